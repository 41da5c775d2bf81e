"""An Application's calendar month: so far, at its end, as a rate; and whether its last complete day stands out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import fsum
from typing import Any

from costintel.cost.anomaly import MOST_DAYS, Anomaly, AnomalyState, anomaly
from costintel.cost.application import AppRef
from costintel.cost.daily import DailyCost
from costintel.cost.day import day_window
from costintel.cost.window import Window
from costintel.history.comparison import Comparison
from costintel.history.month_days import MonthDays, first_needed, month_of
from costintel.history.month_document import Judged, judged_document, month_document
from costintel.history.reading import SeriesReader
from costintel.history.trend import Trend
from costintel.measurement.current import Actuals

_READ_DAYS = 60
"""Enough for 28 complete days and the one after them, were half of the days gaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Explanation:
    """What syncs changed a day, and the revision of the one that changed most."""

    daily_cost: float = 0.0
    revision: str = ""


@dataclass(frozen=True, kw_only=True)
class Months:
    """Answers `/{app}/month` from the series, and from the records for what explains a change."""

    currency: str
    basis_hours: int
    reader: SeriesReader
    trend: Trend
    actuals: Actuals

    def answer(self, application: AppRef, *, now: datetime) -> dict[str, Any] | None:
        """Return the month as JSON; None for an Application that has no record, or deploys elsewhere. Raises StorageError."""
        today = now.astimezone(UTC).date()
        view = self.reader.series(application, first_needed(now, _READ_DAYS), today, now=now)
        if view is None:
            return None
        days = MonthDays(days=view.days, month=month_of(today))
        actual = self.actuals.actual(application, now)
        judged = self._judged(application, view.scope, days)
        return {
            "application": {"namespace": application.namespace, "name": application.name},
            "currency": self.currency,
            "scope": view.scope,
            **month_document(days, None if actual is None else actual["current"], basis_hours=self.basis_hours),
            "anomaly": judged_document(judged),
        }

    def _judged(self, application: AppRef, scope: str, days: MonthDays) -> Judged:
        """Judge the last complete day by those before it, and look for syncs in between that explain the difference."""
        if not days.whole:
            return Judged(day=None, found=Anomaly(state=AnomalyState.NOT_ENOUGH_HISTORY))
        *before, last = days.whole
        baseline = [day.cost.total for day in before[-MOST_DAYS:]]
        found = anomaly(last.cost.total, baseline)
        if found.state is AnomalyState.ANOMALY:
            explanation = self._explanation(application, scope, before[-MOST_DAYS:], last.day)
            found = anomaly(last.cost.total, baseline, explained=explanation.daily_cost, revision=explanation.revision)
        return Judged(day=last.day, found=found)

    def _explanation(self, application: AppRef, scope: str, baseline: Sequence[DailyCost], day: date) -> _Explanation:
        """Add up what the syncs changed since the middle of the baseline: what came before is in its median already."""
        window = day_window(day)
        since = day_window(baseline[len(baseline) // 2].day).start
        points = self.trend.changes(application, since=since, until=window.end)
        effects = [
            (_daily_effect(point.compared, window.since(point.chain.last.finished_at)), point.chain.last)
            for point in points
            if isinstance(point.compared, Comparison) and point.compared.after.summary["scope"] == scope
        ]
        if not effects:
            return _Explanation()
        _, foremost = max(effects, key=lambda effect: abs(effect[0]))
        return _Explanation(
            daily_cost=fsum(effect for effect, _ in effects),
            revision=foremost.revision or ", ".join(foremost.revisions),
        )


def _daily_effect(comparison: Comparison, affected: Window) -> float:
    """Return how much more a day costs by it, of which `affected` is the part after the sync."""
    return comparison.total / float(comparison.after.summary["basisHours"]) * affected.hours
