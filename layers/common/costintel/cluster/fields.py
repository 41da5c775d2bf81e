"""Reading fields of Kubernetes objects: absent parts are normal, and nothing a tenant wrote may stop the whole list."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from costintel.errors import InvalidInput

LENGTH = 2048
"""What is longer is cut; nothing that decides something is as long."""
COUNT = 1000
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What JSON may hold and PostgreSQL refuses: NUL, and halves of surrogate pairs."""


def member(value: object, *path: str) -> object:
    """Return what stands at `path` below `value`, None if any part of it is missing."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def members(value: object, *path: str) -> Sequence[object]:
    """Return the list at `path`, empty if there is none."""
    found = member(value, *path)
    return found if isinstance(found, list) else ()


def text(value: object, *path: str) -> str:
    """Return the text at `path`, empty for what is no text."""
    found = member(value, *path)
    return _UNSTORABLE.sub("\ufffd", found[:LENGTH]) if isinstance(found, str) else ""


def texts(value: object, *path: str) -> tuple[str, ...]:
    """Return the non-empty texts of the list at `path`."""
    return tuple(found for found in map(text, members(value, *path)[:COUNT]) if found)


def text_map(value: object, *path: str) -> dict[str, str]:
    """Return the texts of the map at `path`, such as labels."""
    found = member(value, *path)
    if not isinstance(found, dict):
        return {}
    return {text(key): text(entry) for key, entry in found.items() if isinstance(entry, str)}


def count(value: object, *path: str) -> int | None:
    """Return the whole number at `path`, None if there is none."""
    found = member(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def moment(value: object, *path: str) -> datetime | None:
    """Return the RFC 3339 time at `path` in whole UTC seconds, None if there is none."""
    try:
        found = datetime.fromisoformat(text(value, *path))
        return None if found.tzinfo is None else found.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        return None


def created_at(item: object) -> datetime:
    """Return when an object was created. Raises InvalidInput when it does not say, which no API server lets happen."""
    found = moment(item, "metadata", "creationTimestamp")
    if found is None:
        raise InvalidInput("metadata.creationTimestamp", "an RFC 3339 time, such as 2026-08-20T09:58:57Z")
    return found


def name_of(item: object) -> tuple[str, str]:
    """Return an object's namespace (empty outside any) and name. Raises InvalidInput when it has no name."""
    name = text(item, "metadata", "name")
    if not name:
        raise InvalidInput("metadata.name", "a name")
    return text(item, "metadata", "namespace"), name
