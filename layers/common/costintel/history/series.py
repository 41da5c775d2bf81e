"""The series of every Application, folded from the stored days; OpenCost is not asked for any of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from costintel.collection.days_changes import ChangedDays
from costintel.collection.deadline import Deadline
from costintel.cost.application import AppRef
from costintel.cost.day import DayHeader
from costintel.history.census import Census, CensusTaker
from costintel.history.coverage import Coverage
from costintel.history.day_fold import day_sums, rows_of
from costintel.history.lists import Ownerships
from costintel.history.planning import STALE, Plan, Planner
from costintel.storage.collections import Collections
from costintel.storage.daily import Daily
from costintel.storage.folded_days import FoldedDay, FoldedDays

_SPARE_SECONDS = 30.0
"""No further day is begun with less than this left."""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesOutcome:
    """What one run did: days folded, rows that changed by it, Applications that have a series; what is left and why.

    `waiting` days are still to be folded for some Application. `skipped` counts Applications without a series, by reason.
    """

    days: int
    rows: int
    applications: int
    waiting: int
    skipped: Mapping[str, int]
    warning: str


@dataclass(frozen=True, kw_only=True)
class Series:
    """Folds the series of one cluster."""

    cluster: str
    history_days: int
    collections: Collections
    daily: Daily
    folded: FoldedDays
    census: CensusTaker
    planner: Planner
    changes: ChangedDays

    def fold(self, *, now: datetime, deadline: Deadline, only: Collection[AppRef] | None = None) -> SeriesOutcome:
        """Fold every day that some series lacks, newest first; only those of `only` if it is given.

        Each day is kept on its own: what is done stays done, and doing it again changes nothing. Raises StorageError.
        """
        today = now.astimezone(UTC).date()
        stored = self.collections.day_headers(self.cluster, today - self.history_days * _DAY, today)
        headers = {header.day: header for header in stored}
        changed = self.changes.all() if only is None else set()
        self.changes.done(changed - headers.keys())
        census = self.census.take(now)
        plan = self.planner.plan(census, [day for day, header in headers.items() if header.observed], changed)
        lacking = plan.lacking(changed, only)
        empty = {day: list(plan.coverages) for day in changed & headers.keys() if not headers[day].observed}
        run = _Run(series=self, census=census, plan=plan, now=now)
        folded = run.fold_days({**lacking, **empty}, headers, changed, deadline)
        run.drop_former()
        return SeriesOutcome(
            days=folded,
            rows=run.rows,
            applications=len(census.members),
            waiting=len({**lacking, **empty}) - folded,
            skipped=census.skipped,
            warning=census.warning,
        )

    def refold(self, applications: Collection[AppRef] | None) -> int:
        """Have the series of these Applications (None: of all) folded from the beginning; return how many there are."""
        found = [
            replace(one, ownership=STALE)
            for one in self.daily.all_progress(self.cluster)
            if applications is None or one.application in applications
        ]
        self.daily.save_progress(self.cluster, found)
        return len(found)


@dataclass(kw_only=True)
class _Run:
    """One run of `fold`."""

    series: Series
    census: Census
    plan: Plan
    now: datetime
    rows: int = 0

    def fold_days(
        self,
        lacking: Mapping[date, Sequence[AppRef]],
        headers: Mapping[date, DayHeader],
        changed: Collection[date],
        deadline: Deadline,
    ) -> int:
        """Fold day after day until all are done or time runs out; return how many were."""
        ownerships = Ownerships(members=self.census.members, lists=self.plan.lists)
        for number, day in enumerate(sorted(lacking, reverse=True)):
            if not deadline.allows(_SPARE_SECONDS):
                return number
            self._fold(headers[day], frozenset(lacking[day]), ownerships)
            if day in changed:
                self.series.changes.done([day])
        return len(lacking)

    def drop_former(self) -> None:
        """Forget the series of a scope that is an Application's no more, once the other one is there."""
        for application, scope in self.plan.former:
            if not self.plan.coverages[application].lacks(()):
                self.series.daily.delete(self.series.cluster, application, scope)

    def _fold(self, header: DayHeader, wanted: Collection[AppRef], ownerships: Ownerships) -> None:
        series = self.series
        ownership = ownerships.on(header.window.end)
        owned = [ownership.ownerships[one] for one in wanted if one in ownership.ownerships]
        names = {name for one in owned for name in one.namespaces}
        everything = 2 * len(wanted) >= len(self.plan.coverages)
        kept = series.collections.day_rows(series.cluster, [header.day], None if everything else sorted(names))
        sums = day_sums((containers for _, _, containers in kept), ownership, wanted)
        coverages = [self.plan.coverages[one] for one in wanted]
        self.rows += series.folded.store(
            series.cluster,
            FoldedDay(
                day=header.day,
                rows=rows_of(header, self.census.members, ownership, sums),
                without=[_key(one) for one in coverages if one.member.application not in sums],
            ),
        )
        grown = [one.progress(self.now) for one in coverages if one.done(header.day)]
        series.daily.save_progress(series.cluster, [one for one in grown if one is not None])


def _key(coverage: Coverage) -> tuple[AppRef, str]:
    return (coverage.member.application, coverage.member.scope)
