"""What each sync of an Application changed, point by point."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from costintel.cost.application import AppRef
from costintel.cost.chain import MOST_POINTS
from costintel.history.census import CensusTaker
from costintel.history.comparison import Chain, Figures, Point, chains_of, compared
from costintel.history.month_figure import month_figure
from costintel.history.provisional import Provisional
from costintel.history.trend_document import point_document
from costintel.storage.sync_history import SyncHistory


@dataclass(frozen=True, kw_only=True)
class Trend:
    """Reads the points of Applications from their records; it needs nothing but the database."""

    cluster: str
    currency: str
    census: CensusTaker
    syncs: SyncHistory
    provisional: Provisional

    def answer(self, application: AppRef, *, offset: int, limit: int, now: datetime) -> dict[str, Any] | None:
        """Return the points as JSON, oldest first: `limit` of them, without the newest `offset`.

        None for an Application that has no record, or deploys elsewhere. Raises StorageError.
        """
        member = self.census.take(now, [application]).members.get(application)
        if member is None:
            return None
        chains = self._chains(application)
        end = max(0, len(chains) - offset)
        start = max(0, end - min(limit, MOST_POINTS))
        points = self._points(chains[start:end])
        return {
            "application": {"namespace": application.namespace, "name": application.name},
            "currency": self.currency,
            "scope": member.scope,
            "count": len(chains),
            "nextOffset": len(chains) - start if start else None,
            "points": [self._document(point) for point in points],
        }

    def changes(self, application: AppRef, *, since: datetime, until: datetime) -> list[Point]:
        """Return the points of settled syncs that finished from `since` up to, and without, `until`. Raises StorageError."""
        found = [
            chain
            for chain in self._chains(application)
            if not chain.last.is_install and since <= chain.last.finished_at < until and chain.last.is_settled
        ]
        return self._points(found[-MOST_POINTS:])

    def _chains(self, application: AppRef) -> list[Chain]:
        return chains_of(self.syncs.syncs(self.cluster, application))

    def _points(self, chains: Sequence[Chain]) -> list[Point]:
        figures = self._figures(chains)
        return [
            Point(
                chain=chain,
                early=figures.early.get(chain.first.id),
                settled=figures.settled.get(chain.last.id),
                compared=compared(chain, figures),
            )
            for chain in chains
        ]

    def _figures(self, chains: Sequence[Chain]) -> Figures:
        early = {chain.first.id for chain in chains}
        settled = {chain.last.id for chain in chains}
        settled |= {chain.baseline.id for chain in chains if chain.baseline is not None}
        found = Figures(early={}, settled={})
        # Brought to what is needed of them one by one: five hundred pods each would be too much at once.
        for stored in self.syncs.figures(self.cluster, early=early, settled=settled) if chains else ():
            found.early[stored.id] = month_figure(stored.early)
            found.settled[stored.id] = month_figure(stored.settled)
        return found

    def _document(self, point: Point) -> dict[str, Any]:
        provisional = self.provisional.compared(point.chain, point.early)
        return point_document(point, provisional=provisional)
