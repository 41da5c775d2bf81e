"""What a sync seems to have changed before its 24 hours are over."""

from dataclasses import dataclass
from datetime import datetime

from costintel.collection.folding import Folding
from costintel.cost.figure import FigureTerms, figure
from costintel.cost.ownership import Ownership
from costintel.cost.window import DAY, Window, ceil_hour, settled_window
from costintel.history.comparison import Against, Chain, Comparison
from costintel.history.month_figure import MonthFigure, month_figure
from costintel.measurement.attribution import read_attribution
from costintel.measurement.document import figure_document
from costintel.storage.collections import Collections
from costintel.storage.records import Records
from costintel.storage.work import Work

LEAST_HOURS = 3


@dataclass(frozen=True, kw_only=True)
class Provisional:
    """Compares the stored hours after a sync with the same hours of the day before it."""

    cluster: str
    basis_hours: int
    collections: Collections
    records: Records
    work: Work
    folding: Folding

    def compared(self, chain: Chain, early: MonthFigure | None) -> Comparison | None:
        """Return the comparison from the third good hour on.

        None before that, once the sync is settled, and where the hours before the chain say nothing: they were not measured
        whole, in another scope, or another sync falls into them. Raises StorageError.
        """
        if chain.last.is_install or chain.last.is_settled or chain.is_crowded or early is None or not early.is_full:
            return None
        after = self._so_far(chain)
        record = self.records.find(self.cluster, chain.last.id) if after is not None else None
        if after is None or record is None:
            return None
        attribution = read_attribution(self.cluster, self.records, self.work, [record.sync])
        ownership = attribution.ownership(record.sync)
        if ownership.scope != early.summary["scope"]:
            return None
        figures = [self._figure(window, ownership) for window in (_before(after, chain.first.finished_at), after)]
        before, since = figures
        if before is None or since is None:
            return None
        return Comparison(against=Against.SAME_HOURS, before=before, after=since)

    def _so_far(self, chain: Chain) -> Window | None:
        window = settled_window(chain.last.finished_at)
        headers = self.collections.headers(self.cluster, window)
        return Window(window.start, headers[-1].window.end) if len(headers) >= LEAST_HOURS else None

    def _figure(self, window: Window, ownership: Ownership) -> MonthFigure | None:
        observed = self.folding.observed(window)
        if len(observed) < LEAST_HOURS:
            return None
        own = [
            row
            for _, containers in self.folding.namespaces(window, ownership.namespaces)
            for row in containers
            if (row.running or ownership.resources is None) and ownership.owns(row)
        ]
        terms = FigureTerms(window=window, basis_hours=self.basis_hours, scope=ownership.scope, source="hours")
        # The early figure is full, so that it is known to have existed in both windows.
        found = figure(own, observed, known_since=window.start, terms=terms)
        return month_figure(figure_document(found, list_pods=ownership.resources is not None))


def _before(after: Window, first_sync: datetime) -> Window:
    """Return the same hours of the day before; for a chain of the last day on which they were over when it began."""
    before = Window(after.start - DAY, after.end - DAY)
    while before.end > ceil_hour(first_sync):
        before = Window(before.start - DAY, before.end - DAY)
    return before
