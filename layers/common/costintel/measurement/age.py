"""Since when a thing is known to have existed: the hours before do not count as measured."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from costintel.cost.application import AppRef
from costintel.cost.ownership import Ownership
from costintel.cost.sync import Sync
from costintel.cost.window import Window
from costintel.storage.live import LiveApplications, LiveNamespaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Creations:
    """When Applications and namespaces were created, as far as the last complete lists tell."""

    applications: Mapping[AppRef, datetime] = field(default_factory=dict)
    namespaces: Mapping[str, datetime] = field(default_factory=dict)

    def dated(self, sync: Sync) -> Sync:
        """Return `sync` with its Application's creation; what its notification says of it counts first."""
        if sync.created_at is not None or sync.application not in self.applications:
            return sync
        return replace(sync, created_at=self.applications[sync.application])

    def of_namespace(self, ownership: Ownership) -> datetime | None:
        """Return when the namespace that is owned as a whole was created; None for an application's own pods."""
        is_whole = ownership.scope == "namespace"
        return self.namespaces.get(ownership.destination_namespace) if is_whole else None


@dataclass(frozen=True, kw_only=True)
class CreationTimes:
    """Looks up creations in the tables of live objects."""

    cluster: str
    applications: LiveApplications
    namespaces: LiveNamespaces

    def of(self, syncs: Iterable[Sync], ownerships: Iterable[Ownership]) -> Creations:
        """Return what the lists tell that the syncs do not: of Applications without a creation, and of whole namespaces."""
        undated = sorted({sync.application for sync in syncs if sync.created_at is None})
        whole = sorted({one.destination_namespace for one in ownerships if one.scope == "namespace"})
        named = self.namespaces.named(self.cluster, whole) if whole else []
        return Creations(
            applications=self.applications.created_at(self.cluster, undated) if undated else {},
            namespaces={one.name: one.created_at for one in named},
        )


def known_since(
    sync: Sync,
    ownership: Ownership,
    window: Window,
    *,
    first_recorded_at: datetime | None,
    cost_before: Container[str],
    namespace_created_at: datetime | None = None,
) -> datetime | None:
    """Return the earliest moment before the end of `window` at which the application, or its namespace, is known to exist.

    Its creation, an earlier sync to the same destination (`first_recorded_at`), this sync itself for the time after it; for
    a whole namespace also the namespace's creation, and an hour before the window in which it cost something (`cost_before`
    holds such namespaces). None when nothing is known.
    """
    moments = [sync.created_at, first_recorded_at, namespace_created_at]
    if sync.finished_at <= window.start:
        moments.append(sync.finished_at)
    if ownership.scope == "namespace" and ownership.destination_namespace in cost_before:
        moments.append(window.start)
    return min((moment for moment in moments if moment is not None and moment < window.end), default=None)


def is_known_before(sync: Sync, window: Window) -> bool:
    """Whether the sync alone tells that the application existed all through `window`."""
    return sync.finished_at <= window.start or (sync.created_at is not None and sync.created_at <= window.start)
