"""The template as it is with the default settings, and as it is with every setting given."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra.assembly import TEMPLATE_FILE
from infra.synth import HOST_ASSEMBLY, synthesize
from tests.infra.given import EVERY_SETTING


@pytest.fixture(scope="session")
def assembly() -> Path:
    """Synthesize with the default settings: the assembly that the local stack runs."""
    return synthesize(HOST_ASSEMBLY)


@pytest.fixture(scope="session")
def template(assembly: Path) -> dict[str, Any]:
    """Read the template with the default settings."""
    return _read(assembly)


@pytest.fixture(scope="session")
def full_template() -> dict[str, Any]:
    """Read the template with every setting given."""
    return _read(synthesize(HOST_ASSEMBLY.with_name("host-full"), context=EVERY_SETTING))


def _read(folder: Path) -> dict[str, Any]:
    """Return the template in a cloud assembly."""
    template: dict[str, Any] = json.loads((folder / TEMPLATE_FILE).read_text(encoding="utf-8"))
    return template
