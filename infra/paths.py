"""Where things lie in the checkout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ROOT / "functions"
LAYER = ROOT / "layers" / "common"
REQUIREMENTS = LAYER / "requirements.txt"
PACKAGE = LAYER / "costintel"
CERTIFICATES = ROOT / "infra" / "certificates"
BUILD = ROOT / "build"

FUNCTION_NAMES = ("webhook", "measure", "history", "exporter", "api", "migrate")
"""The folders below `functions/` that are deployed, each its own asset."""
