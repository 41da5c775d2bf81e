"""Read the catalogue from the tables, and again only what of them changed."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from costintel.cost.collection import LiveHeader
from costintel.cost.workload import Workload
from costintel.measurement.catalogue import Ages, Catalogue, make_catalogue
from costintel.measurement.hearsay import read_heard
from costintel.measurement.subject import Subject
from costintel.measurement.subjects import SubjectRules, Told
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.live import LiveNamespaces
from costintel.storage.live_costs import LiveCosts
from costintel.storage.live_lists import APPLICATIONS, LiveLists
from costintel.storage.roster import ListedApplication, Name, Roster

_SYNCS_KEPT_FOR = timedelta(minutes=5)
"""How old what was heard of syncs may be, as old as the list: it is about every Application, and only little of it changes."""

_MANY = 2000
"""Applications from which on the cycle collector would be felt."""


@dataclass(kw_only=True)
class CatalogueReader:
    """Keeps the newest catalogue from one request to the next.

    The fold is read when there is a new one, once an hour; Applications and syncs when there is a new list, every five minutes.
    """

    cluster: str
    basis_hours: int
    rules: SubjectRules
    database: Database
    _catalogue: Catalogue | None = None
    _header: LiveHeader | None = None
    _workloads: list[Workload] = field(default_factory=list)
    _subjects: list[Subject] = field(default_factory=list)
    _listed: dict[Name, ListedApplication] = field(default_factory=dict)
    _listed_at: datetime | None = None
    _read_at: datetime | None = None

    def read(self, now: datetime) -> Catalogue:
        """Return the catalogue as of now, syncs up to five minutes old. Raises StorageError."""
        with _without_collector():
            self._read_costs()
            self._read_applications(now)
            # Not there after the first of anything new, however far the reading of the rest came.
            if self._catalogue is None:
                self._catalogue = self._made()
                if len(self._subjects) > _MANY:
                    gc.freeze()
        return self._catalogue

    def _read_costs(self) -> None:
        if Collections(self.database).live(self.cluster) == self._header:
            return
        found = LiveCosts(self.database).read(self.cluster)
        self._catalogue = None
        self._header, self._workloads = (None, []) if found is None else (found.header, found.workloads)

    def _read_applications(self, now: datetime) -> None:
        status = LiveLists(self.database).status(self.cluster, APPLICATIONS)
        listed_at = None if status is None else status.last_complete_at
        is_recent = self._read_at is not None and timedelta() <= now - self._read_at < _SYNCS_KEPT_FOR
        if is_recent and listed_at == self._listed_at:
            return
        roster = Roster(self.database)
        if listed_at != self._listed_at:
            self._listed = {(one.namespace, one.name): one for one in roster.listed(self.cluster)}
        subjects = self._made_subjects(roster, listed_at)
        if subjects != self._subjects:
            self._catalogue, self._subjects = None, subjects
        self._listed_at, self._read_at = listed_at, now

    def _made_subjects(self, roster: Roster, listed_at: datetime | None) -> list[Subject]:
        heard = read_heard(roster, self.cluster, listed_at)
        ageless = [
            one.news.id
            for name, one in heard.items()
            if name not in self._listed and one.news is not None and one.news.created_at is None
        ]
        told = Told(
            listed=self._listed,
            listed_at=listed_at,
            heard=heard,
            first_recorded=roster.first_recorded(self.cluster, ageless) if ageless else {},
        )
        return self.rules.subjects(told)

    def _made(self) -> Catalogue:
        return make_catalogue(
            self._header, self._workloads, self._subjects, ages=self._ages(), basis_hours=self.basis_hours
        )

    def _ages(self) -> Ages:
        """Return the ages of namespaces; what cost something before the window is asked of the young and unlisted ones only."""
        created_at = {one.name: one.created_at for one in LiveNamespaces(self.database).all(self.cluster)}
        if self._header is None:
            return Ages(created_at=created_at, cost_before=frozenset())
        start = self._header.window.start
        whole = {one.destination.namespace for one in self._subjects if one.is_here and one.resources is None}
        names = whole | {workload.namespace for workload in self._workloads}
        young = {name for name in names if created_at.get(name, start) >= start}
        before = (
            Collections(self.database).namespaces_with_cost_before(self.cluster, sorted(young), start) if young else ()
        )
        return Ages(created_at=created_at, cost_before=frozenset(before))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keep the cycle collector away from what is made inside.

    It would look through hundreds of thousands of objects that hold no cycles, again and again while they are made, and later
    with every request; so they are frozen, which does not keep them from being freed with their last reference.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
