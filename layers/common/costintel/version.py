"""The release."""

VERSION = "0.1.0"
"""As in pyproject.toml."""
