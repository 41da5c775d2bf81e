"""What was asked of the stand-in."""

from collections import Counter
from threading import Lock
from typing import Any


class Calls:
    """Every request in order: its path, its query, and the status of the answer (0 = none was sent)."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls: list[dict[str, Any]] = []
        self.connections = 0

    def begin(self, path: str, query: str) -> dict[str, Any]:
        """Record one that has come; its status is set before its answer is sent."""
        call = {"path": path, "query": query, "status": 0}
        with self._lock:
            self._calls.append(call)
        return call

    def connected(self) -> None:
        """Count a new connection."""
        with self._lock:
            self.connections += 1

    def clear(self) -> None:
        """Begin anew."""
        with self._lock:
            self._calls.clear()
            self.connections = 0

    def summary(self) -> dict[str, Any]:
        """`{"total", "connections", "paths": {path: count}, "calls": [{"path", "query", "status"}]}`."""
        with self._lock:
            paths = Counter(call["path"] for call in self._calls)
            return {
                "total": len(self._calls),
                "connections": self.connections,
                "paths": dict(sorted(paths.items())),
                "calls": [dict(call) for call in self._calls],
            }
