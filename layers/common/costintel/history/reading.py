"""The days of one Application as they are shown: kept days, gaps, and days that are not closed yet."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from costintel.collection.folding import Folding
from costintel.cost.amounts import Amounts
from costintel.cost.application import AppRef
from costintel.cost.daily import DailyCost, DailyProgress
from costintel.cost.day import DayHeader, DaySource, DayState, day_window
from costintel.cost.figure import Efficiency, Idle
from costintel.cost.idle import efficiency
from costintel.cost.projection import measured_hours
from costintel.history.census import CensusTaker, Member
from costintel.history.day_fold import day_sums, rows_of
from costintel.history.lists import DayOwnership, Lists, Ownerships
from costintel.storage.collections import Collections
from costintel.storage.daily import Daily
from costintel.storage.folded_days import FoldedDays
from costintel.storage.record_history import ListedThen, RecordHistory, Since

_DAY = timedelta(days=1)


class SeriesState(StrEnum):
    """What is known of a day of a series."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    """Observed under 23 hours: shown, never a baseline."""
    GAP = "gap"
    """OpenCost saw nothing: the cost is unknown, not zero."""
    BEFORE_HISTORY = "before_history"
    """Nothing is known of the cluster by then, or it is not kept any more."""
    PROVISIONAL = "provisional"
    """The day is not closed: its hours so far."""
    ABSENT = "absent"
    """The Application did not exist by then, as far as anybody knows."""
    PENDING = "pending"
    """Still to be folded, or asked from OpenCost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesDay:
    """One UTC day of a series; `cost` is None where the cost is unknown or cannot be."""

    day: date
    state: SeriesState
    cost: DailyCost | None

    @property
    def efficiency(self) -> Efficiency:
        """Used / requested of the day; None without any."""
        if self.cost is None:
            return Efficiency(cpu=None, ram=None)
        return Efficiency(
            cpu=efficiency(self.cost.cpu_core_hours_used, self.cost.cpu_core_hours_requested),
            ram=efficiency(self.cost.ram_byte_hours_used, self.cost.ram_byte_hours_requested),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesView:
    """An Application's days in its present scope, oldest first, without a hole; none of them is later than today."""

    application: AppRef
    scope: str
    days: Sequence[SeriesDay]


@dataclass(frozen=True, kw_only=True)
class SeriesReader:
    """Reads series; it needs nothing but the database. `history_days` is how many days are kept."""

    cluster: str
    history_days: int
    collections: Collections
    daily: Daily
    folded: FoldedDays
    records: RecordHistory
    census: CensusTaker
    folding: Folding

    def series(self, application: AppRef, first: date, last: date, *, now: datetime) -> SeriesView | None:
        """Return the UTC days from `first` to `last`, both included, of an Application; None for one without a series.

        Today, and yesterday until it is closed, come from the stored hours. Raises StorageError.
        """
        member = self.census.take(now, [application]).members.get(application)
        if member is None:
            return None
        today = now.astimezone(UTC).date()
        last = min(last, today)
        view = self._view(member, first, today)
        wanted = [first + number * _DAY for number in range((last - first).days + 1)]
        open_days = {
            day: self._provisional(member, day, now)
            for day in wanted
            if day not in view.headers and day >= today - _DAY
        }
        days = [
            SeriesDay(day=day, state=SeriesState.PROVISIONAL, cost=open_days[day])
            if day in open_days
            else view.day(day)
            for day in wanted
        ]
        return SeriesView(application=application, scope=member.scope, days=days)

    def _view(self, member: Member, first: date, today: date) -> "_View":
        key = (member.application, member.scope)
        headers = self.collections.day_headers(self.cluster, first, today)
        rows = self.daily.series(self.cluster, member.application, member.scope, first, today)
        bounds = self.folded.bounds(self.cluster, [key]).get(key)
        return _View(
            member=member,
            headers={header.day: header for header in headers},
            rows={row.day: row for row in rows},
            progress=self.daily.progress(self.cluster, member.application, member.scope),
            oldest_cost=None if bounds is None else bounds[0],
            oldest_kept=today - self.history_days * _DAY,
        )

    def _provisional(self, member: Member, day: date, now: datetime) -> DailyCost | None:
        """Return what a day that is not closed cost so far, None while nothing of it was seen."""
        header = self._so_far(day, now)
        if not header.observed:
            return None
        ownership, members = self._ownership(member, header.window.end, now)
        own = ownership.ownerships.get(member.application)
        if own is None:
            return None
        folds = self.folding.namespaces(header.window, own.namespaces)
        sums = day_sums((containers for _, containers in folds), ownership, [member.application])
        rows = rows_of(header, members, ownership, sums)
        return rows[0] if rows else _nothing(member, header)

    def _so_far(self, day: date, now: datetime) -> DayHeader:
        window = day_window(day)
        return DayHeader(
            window=window,
            state=DayState.INCOMPLETE,
            source=DaySource.HOURS,
            observed=self.folding.observed(window),
            asked_at=now,
            asked_count=0,
            healed=False,
        )

    def _ownership(self, member: Member, end: datetime, now: datetime) -> tuple[DayOwnership, Mapping[AppRef, Member]]:
        """Return who owns what now in the namespaces of one Application, and those who do."""
        lists = Lists()
        lists.add(self._listed([member], end))
        near = self.records.touching(self.cluster, lists.namespaces([member.application]))
        members = self.census.take(now, sorted({*near, member.application})).members
        lists.add(self._listed(members.values(), end))
        return Ownerships(members=members, lists=lists).on(end), members

    def _listed(self, members: Iterable[Member], end: datetime) -> Iterator[ListedThen]:
        wanted = {one.application: Since(moment=end, is_whole=one.is_whole) for one in members}
        return self.records.listed(self.cluster, wanted)


@dataclass(frozen=True, kw_only=True)
class _View:
    """What is kept of one series, and of the days it is about."""

    member: Member
    headers: Mapping[date, DayHeader]
    rows: Mapping[date, DailyCost]
    progress: DailyProgress | None
    oldest_cost: date | None
    oldest_kept: date

    def day(self, day: date) -> SeriesDay:
        """Return a day that is not provisional."""
        header = self.headers.get(day)
        if header is None:
            return SeriesDay(day=day, state=self._unknown(day), cost=None)
        if day in self.rows or not header.observed:
            return SeriesDay(day=day, state=SeriesState(header.state.value), cost=self.rows.get(day))
        return self._without_cost(header)

    def _without_cost(self, header: DayHeader) -> SeriesDay:
        """Return a day that was observed and in which nothing of the Application cost anything, as far as is folded."""
        day = header.day
        if self._ended_before(day):
            return SeriesDay(day=day, state=SeriesState.ABSENT, cost=None)
        if not self._covers(day):
            return SeriesDay(day=day, state=SeriesState.PENDING, cost=None)
        if self._existed(header):
            return SeriesDay(day=day, state=SeriesState(header.state.value), cost=_nothing(self.member, header))
        return SeriesDay(day=day, state=SeriesState.ABSENT, cost=None)

    def _unknown(self, day: date) -> SeriesState:
        """Return the state of a day that is not stored: beyond the end of what is kept or known, or still to be asked."""
        oldest = min(self.headers, default=None)
        is_beyond = oldest is not None and day < oldest and self.headers[oldest].state is DayState.BEFORE_HISTORY
        return SeriesState.BEFORE_HISTORY if is_beyond or day < self.oldest_kept else SeriesState.PENDING

    def _covers(self, day: date) -> bool:
        return self.progress is not None and self.progress.folded_from <= day <= self.progress.folded_until

    def _ended_before(self, day: date) -> bool:
        return self.member.is_gone and self.progress is not None and day > self.progress.folded_until

    def _existed(self, header: DayHeader) -> bool:
        return self.member.known_since < header.window.end or (
            self.oldest_cost is not None and self.oldest_cost < header.day
        )


def _nothing(member: Member, header: DayHeader) -> DailyCost:
    """Return the day of an Application that existed and cost nothing."""
    known = member.known_since if member.known_since < header.window.end else None
    return DailyCost(
        application=member.application,
        scope=member.scope,
        day=header.day,
        deployment_namespace="",
        cost=Amounts(),
        idle=Idle(cpu=0.0, ram=0.0, complete=True),
        cpu_core_hours_requested=0.0,
        ram_byte_hours_requested=0.0,
        cpu_core_hours_used=0.0,
        ram_byte_hours_used=0.0,
        measured_hours=measured_hours(header.observed, known),
        complete=header.state is DayState.COMPLETE,
        source=header.source.value,
    )
