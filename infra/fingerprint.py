"""Fingerprints of files: equal content, equal fingerprint, wherever and whenever it was written."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

IGNORED_NAMES = frozenset({"__pycache__", ".DS_Store", ".mypy_cache", ".ruff_cache"})


def source_files(folder: Path) -> dict[str, Path]:
    """Return the files below `folder` by their path in it; compiled bytecode and caches are left out."""
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if _is_source(path, folder)}


def _is_source(path: Path, folder: Path) -> bool:
    """Whether somebody wrote the file."""
    ignored = IGNORED_NAMES.intersection(path.relative_to(folder).parts) or path.suffix == ".pyc"
    return path.is_file() and not ignored


def fingerprint(files: Mapping[str, Path], *, words: Mapping[str, str]) -> str:
    """Return 64 hex digits that change with a file's name in `files`, with its content or with one of `words`."""
    digest = hashlib.sha256()
    for name, word in sorted(words.items()):
        digest.update(f"{name}={word}\0".encode())
    for name, path in sorted(files.items()):
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
