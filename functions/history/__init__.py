"""Entry points of the function."""
