"""What is to be done about days, as of one moment."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from costintel.collection.days_due import CLOSES_AFTER, EMPTY_TAIL, asks_at, has_all_hours, is_closable, is_outdated
from costintel.collection.days_ledger import DayAttempt
from costintel.cost.collection import HourHeader
from costintel.cost.day import DayHeader, day_window
from costintel.cost.hour import HourState

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """The stored days and hours, what is owed of both, and the days of history wanted.

    `owed` are hours that are still asked for; a day is not healed before they are there.
    """

    days: Mapping[date, DayHeader]
    hours: Mapping[datetime, HourHeader]
    owed: Collection[datetime]
    attempts: Mapping[date, DayAttempt]
    history_days: int
    now: datetime

    @property
    def sees(self) -> bool:
        """Whether OpenCost sees the cluster: the newest stored hour is good. Otherwise its empty answers prove nothing."""
        newest = max(self.hours, default=None)
        return newest is not None and self.hours[newest].state is HourState.GOOD

    def to_fold(self) -> list[date]:
        """Return the days to fold from their hours, oldest first."""
        touched = sorted({hour.astimezone(UTC).date() for hour in self.hours})
        return [day for day in touched if self._first <= day < self._today and self._folds(day)]

    def to_ask(self, tried: Collection[date] = frozenset()) -> date | None:
        """Return the newest day to ask for as a whole now, apart from those `tried`."""
        wanted = (day for day, moment in self._wanted() if moment is not None and moment <= self.now)
        return next((day for day in wanted if day not in tried), None)

    def settled(self) -> list[date]:
        """Return the days with an attempt that are not to be asked for any more: its run was killed after the answer."""
        return [
            day for day in self.attempts if day < self._first or (day in self.days and asks_at(self.days[day]) is None)
        ]

    def waiting(self) -> int:
        """Return for how many days there will be another question; the tail that nobody knows yet counts as one."""
        return sum(moment is not None for _, moment in self._wanted())

    def _wanted(self) -> Iterator[tuple[date, datetime | None]]:
        """Yield each day from yesterday back to the end of the empty tail with the moment to ask for it, None for never."""
        oldest, empty = min(self.days, default=self._today), 0
        day = self._today - _DAY
        while day >= self._first and empty < EMPTY_TAIL:
            header = self.days.get(day)
            moment = self._moment(day, header)
            yield day, moment
            if header is None and day < oldest and moment is not None and moment <= self.now:
                return  # older days are wanted once this one is answered
            empty = 0 if header is None or header.observed else empty + 1
            day -= _DAY

    def _moment(self, day: date, header: DayHeader | None) -> datetime | None:
        window = day_window(day)
        moment = window.end + CLOSES_AFTER if header is None else asks_at(header)
        attempt = self.attempts.get(day)
        if moment is None:
            return None
        if self._is_owed(day):
            return max(moment, self.now + CLOSES_AFTER)
        return moment if attempt is None else max(moment, attempt.not_before)

    def _folds(self, day: date) -> bool:
        header = self.days.get(day)
        if header is not None:
            return is_outdated(header, self.hours)
        # Hours that are missing for good are no reason to fold the others, unless the whole day cannot be had now.
        waits = day in self.attempts or self._is_owed(day) or has_all_hours(day, self.hours)
        return waits and is_closable(day, self.hours, self.now)

    def _is_owed(self, day: date) -> bool:
        return any(hour in self.owed for hour in day_window(day).clock_hours())

    @property
    def _today(self) -> date:
        return self.now.astimezone(UTC).date()

    @property
    def _first(self) -> date:
        return self._today - self.history_days * _DAY
