"""The folder of packages that Lambda's own Python runtime brings: the runtime client and boto3, nothing else.

Functions start with this folder and their layers only, so a package that is missing in the layer is missing here too.
"""

import re
from importlib import metadata
from pathlib import Path

_ROOTS = ("awslambdaric", "boto3")


def link_packages(folder: Path) -> Path:
    """Fill `folder` with links to the installed packages; return it.

    Raises:
        importlib.metadata.PackageNotFoundError: one of them is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for place in {place for name in _with_dependencies(_ROOTS) for place in _top_level(name)}:
        link = folder / place.name
        link.unlink(missing_ok=True)
        link.symlink_to(place)
    return folder


def _with_dependencies(roots: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            wanted = [text for text in metadata.requires(name) or [] if "extra ==" not in text]
            waiting += [re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0] for text in wanted]
    return found


def _top_level(name: str) -> set[Path]:
    distribution = metadata.distribution(name)
    parts = {file.parts[0] for file in distribution.files or []}
    return {Path(str(distribution.locate_file(part))) for part in parts if part != ".."}
