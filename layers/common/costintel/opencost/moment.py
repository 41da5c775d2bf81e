"""OpenCost's times."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from costintel.cost.window import Window


def seconds_of(text: str) -> int:
    """Return an RFC 3339 time as seconds since the epoch. Raises ValueError, also for a time without a zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"time {text[:40]!r}: expected a zone")
    return int(moment.timestamp())


def remembering() -> Callable[[str], int]:
    """Return `seconds_of` with a memory: a window has few distinct times and tens of thousands of rows."""
    known: dict[str, int] = {}

    def seconds(text: str) -> int:
        moment = known.get(text)
        if moment is None:
            moment = known[text] = seconds_of(text)
        return moment

    return seconds


def in_query(moment: datetime) -> str:
    """Return a time the only way every OpenCost reads it: UTC, `Z`, whole seconds (T2). Raises ValueError for fractions."""
    if moment.microsecond:
        raise ValueError(f"time {moment}: expected whole seconds")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_of(entry: Mapping[str, Any], window: Window, *, seconds: Callable[[str], int]) -> bool:
    """Whether an entry says it is of `window`; without Prometheus OpenCost may answer for the nearest bucket it has (T28)."""
    said = entry.get("window")
    if said is None:
        return True
    return seconds(said["start"]) == window.start.timestamp() and seconds(said["end"]) == window.end.timestamp()
