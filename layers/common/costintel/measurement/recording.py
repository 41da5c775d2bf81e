"""Measure many syncs at once: those that share a window read its hours once, namespace by namespace."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from costintel.collection.folding import Folding, NamespaceFold
from costintel.collection.live import Live
from costintel.cost.collection import LiveHeader
from costintel.cost.container import ContainerCost
from costintel.cost.figure import FigureTerms, figure
from costintel.cost.owners import Owners
from costintel.cost.ownership import Ownership
from costintel.cost.sync import FigureDocument, Sync
from costintel.cost.window import Window
from costintel.measurement.age import Creations, CreationTimes, is_known_before, known_since
from costintel.measurement.attribution import Attribution
from costintel.measurement.document import figure_document
from costintel.storage.collections import Collections
from costintel.storage.records import Records

HOURS = "hours"
TRAILING_HOUR = "trailing_hour"
_NAMESPACES_AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a sync's application cost in a window: None when nothing of it was measured. `ran`: a container of its own did."""

    scope: str
    document: FigureDocument | None
    ran: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A window's containers, namespace by namespace, and the observed spans of its good hours."""

    window: Window
    observed: tuple[Window, ...]
    source: str
    namespaces: Iterable[NamespaceFold]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is known of ages beyond what the syncs tell."""

    cost_before: set[str]
    creations: Creations


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Turns stored hours into the figures of syncs."""

    cluster: str
    basis_hours: int
    collections: Collections
    records: Records
    folding: Folding
    live: Live
    creation_times: CreationTimes

    def measure(self, window: Window, syncs: Sequence[Sync], attribution: Attribution) -> dict[str, Measured]:
        """Return what each sync's application cost in `window` of the stored hours, by the sync's id."""
        ownerships = {sync.id: attribution.ownership(sync) for sync in syncs}
        names = sorted({name for ownership in ownerships.values() for name in ownership.namespaces})
        folded = self._folded(window, names)
        return self.measure_folded(folded, syncs, ownerships)

    def measure_folded(
        self, folded: Folded, syncs: Sequence[Sync], ownerships: dict[str, Ownership]
    ) -> dict[str, Measured]:
        """Return what each sync's application cost in what was folded, by the sync's id."""
        own: dict[str, list[ContainerCost]] = {}
        owners = Owners(ownerships)
        for _, containers in folded.namespaces:
            owners.split(containers, own)
        known = _Known(
            cost_before=self._cost_before(folded.window, ownerships.values()),
            creations=self.creation_times.of(syncs, ownerships.values()),
        )
        return {
            sync.id: self._measured(
                folded,
                own.pop(sync.id, []),
                ownerships[sync.id],
                self._since(known.creations.dated(sync), ownerships[sync.id], folded, known),
            )
            for sync in syncs
        }

    def _folded(self, window: Window, names: list[str]) -> Folded:
        """Take the materialized fold when it is this very window's, which a burst of syncs and settling ones always meet."""
        live = self.live.covering(window)
        folds = None if live is None else self._live_folds(names, live)
        if live is None or folds is None:
            observed, namespaces = self.folding.observed(window), self.folding.namespaces(window, names)
            return Folded(window=window, observed=observed, source=HOURS, namespaces=namespaces)
        return Folded(window=window, observed=live.observed, source=HOURS, namespaces=folds)

    def _live_folds(self, names: list[str], live: LiveHeader) -> list[NamespaceFold] | None:
        """Return the containers of namespaces in the fold `live`, None if another one took its place meanwhile."""
        folds = []
        for start in range(0, len(names), _NAMESPACES_AT_ONCE):
            fold = self.collections.live_fold(self.cluster, names[start : start + _NAMESPACES_AT_ONCE])
            if fold is None or fold.header != live:
                return None
            folds.append(("", fold.containers))
        return folds

    def _measured(
        self, folded: Folded, own: list[ContainerCost], ownership: Ownership, since: datetime | None
    ) -> Measured:
        terms = FigureTerms(
            window=folded.window, basis_hours=self.basis_hours, scope=ownership.scope, source=folded.source
        )
        result = figure(own, folded.observed, known_since=since, terms=terms)
        return Measured(
            scope=ownership.scope,
            document=figure_document(result, list_pods=ownership.resources is not None),
            ran=any(row.running for row in own),
        )

    def _since(self, sync: Sync, ownership: Ownership, folded: Folded, known: _Known) -> datetime | None:
        return known_since(
            sync,
            ownership,
            folded.window,
            first_recorded_at=None if is_known_before(sync, folded.window) else self._first_recorded_at(sync),
            cost_before=known.cost_before,
            namespace_created_at=known.creations.of_namespace(ownership),
        )

    def _first_recorded_at(self, sync: Sync) -> datetime | None:
        first = self.records.earliest_with_destination(self.cluster, sync.application, sync.destination)
        return None if first is None else first.sync.finished_at

    def _cost_before(self, window: Window, ownerships: Iterable[Ownership]) -> set[str]:
        whole = {one.destination_namespace for one in ownerships if one.resources is None and one.destination_namespace}
        if not whole:
            return set()
        return self.collections.namespaces_with_cost_before(self.cluster, sorted(whole), window.start)
