"""The objects of the stand-in, as they are now and as lists that are still being read show them."""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any

Entries = tuple["Stored", ...]
CONTINUE_SECONDS = 300.0
"""How long a snapshot lasts: etcd forgets old revisions about every five minutes."""


@dataclass(frozen=True, slots=True, order=True)
class Stored:
    """One object, written once as compact JSON; it sorts by namespace and name."""

    namespace: str
    name: str
    body: bytes


class SnapshotGoneError(Exception):
    """The revision a list was being read from is no longer known."""


class Store:
    """Objects by resource (its plural name). Every change makes a new revision."""

    def __init__(self, *, clock: Callable[[], float] = monotonic, continue_seconds: float = CONTINUE_SECONDS) -> None:
        self._clock = clock
        self._continue_seconds = continue_seconds
        self._lock = Lock()
        self._revision = 1000
        self._entries: dict[str, Entries] = {}
        self._kept: dict[tuple[str, int], tuple[Entries, float]] = {}

    def put(self, resource: str, item: Mapping[str, Any]) -> None:
        """Add an object, or replace the one of that namespace and name."""
        self.put_bodies(resource, [stored(item)])

    def put_bodies(self, resource: str, added: Iterable[Stored]) -> None:
        """Add many at once, or replace them."""
        with self._lock:
            entries = {(one.namespace, one.name): one for one in self._entries.get(resource, ())}
            entries.update({(one.namespace, one.name): one for one in added})
            self._change(resource, tuple(entries[key] for key in sorted(entries)))

    def delete(self, resource: str, namespace: str, name: str) -> bool:
        """Remove an object; False if there is none."""
        with self._lock:
            before = self._entries.get(resource, ())
            after = tuple(one for one in before if (one.namespace, one.name) != (namespace, name))
            if len(after) == len(before):
                return False
            self._change(resource, after)
            return True

    def get(self, resource: str, namespace: str, name: str) -> bytes | None:
        """Give one object's JSON."""
        entries = self._entries.get(resource, ())
        return next((one.body for one in entries if (one.namespace, one.name) == (namespace, name)), None)

    def now(self, resource: str) -> tuple[Entries, int]:
        """Give all objects of a resource in order, and the revision they show."""
        with self._lock:
            return self._entries.get(resource, ()), self._revision

    def keep(self, resource: str, revision: int, entries: Entries) -> None:
        """Remember what a revision shows, for whoever goes on reading it; forget what is too old."""
        now = self._clock()
        with self._lock:
            self._kept.setdefault((resource, revision), (entries, now))
            old = [key for key, (_, kept_at) in self._kept.items() if now - kept_at > self._continue_seconds]
            for key in old:
                del self._kept[key]

    def at(self, resource: str, revision: int) -> Entries:
        """Give what a revision shows. Raises SnapshotGoneError when it is too old."""
        with self._lock:
            entries, kept_at = self._kept.get((resource, revision), ((), float("-inf")))
        if self._clock() - kept_at > self._continue_seconds:
            raise SnapshotGoneError
        return entries

    def forget_revisions(self) -> None:
        """Forget every revision but the present one, as etcd's compaction does."""
        with self._lock:
            self._kept.clear()

    def _change(self, resource: str, entries: Entries) -> None:
        self._revision += 1
        self._entries[resource] = entries


def stored(item: Mapping[str, Any]) -> Stored:
    """Write an object down."""
    metadata = item["metadata"]
    return Stored(metadata.get("namespace", ""), metadata["name"], json.dumps(item, separators=(",", ":")).encode())


def after(entries: Entries, key: tuple[str, str]) -> Entries:
    """Give what comes after a namespace and name."""
    return entries[bisect_right(entries, key, key=lambda one: (one.namespace, one.name)) :]
