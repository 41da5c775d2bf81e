"""What was asked of a stand-in."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import Any


class CallLog:
    """Counts of calls per path, the windows asked for in order, and how many were answered at once at most."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._paths: Counter[str] = Counter()
        self._windows: list[dict[str, str]] = []
        self._in_flight = 0
        self._most_in_flight = 0

    def clear(self) -> None:
        """Begin anew."""
        with self._lock:
            in_flight = self._in_flight
            self._forget()
            self._in_flight = self._most_in_flight = in_flight

    @contextmanager
    def call(self, path: str, window: str | None, asked_at: datetime) -> Iterator[None]:
        """Record a call for as long as it is answered."""
        with self._lock:
            self._paths[path] += 1
            if window is not None:
                self._windows.append({"path": path, "window": window, "asked_at": asked_at.isoformat()})
            self._in_flight += 1
            self._most_in_flight = max(self._most_in_flight, self._in_flight)
        try:
            yield
        finally:
            with self._lock:
                self._in_flight -= 1

    def summary(self) -> dict[str, Any]:
        """`{"total", "paths": {path: count}, "windows": [{"path", "window", "asked_at"}], "most_in_flight"}`."""
        with self._lock:
            return {
                "total": self._paths.total(),
                "paths": dict(sorted(self._paths.items())),
                "windows": list(self._windows),
                "most_in_flight": self._most_in_flight,
            }
