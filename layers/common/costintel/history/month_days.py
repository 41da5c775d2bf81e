"""What the days of an Application say about its calendar month, its rate, and its last complete day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from math import fsum

from costintel.cost.amounts import Amounts
from costintel.cost.daily import DailyCost
from costintel.cost.day import day_window
from costintel.cost.forecast import Forecast, forecast
from costintel.cost.window import Window
from costintel.history.reading import SeriesDay, SeriesState

RATE_DAYS = 7
WHOLE_HOURS = 23.0
"""A complete day of which the Application did not exist so long is no measure of others."""
_DAY = timedelta(days=1)
_UNKNOWN = frozenset(
    {SeriesState.GAP, SeriesState.PENDING, SeriesState.BEFORE_HISTORY, SeriesState.INCOMPLETE},
)


class NoForecast(StrEnum):
    """Why nothing is said of the end of the month."""

    NOT_ENOUGH_DAYS = "not_enough_days"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthToDate:
    """What the days of the month cost so far; None while none of them is measured.

    `is_complete` False: a day before today is unknown or was not observed whole, and the cost is "at least".
    """

    cost: Amounts | None
    measured_hours: float
    complete_days: int
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthDays:
    """Days of a series up to today, oldest first and without a hole; they reach back beyond the month's first."""

    days: Sequence[SeriesDay]
    month: Window

    @property
    def whole(self) -> list[DailyCost]:
        """The complete days through which the Application existed, oldest first."""
        return [
            day.cost
            for day in self.days
            if day.state is SeriesState.COMPLETE and day.cost is not None and day.cost.measured_hours >= WHOLE_HOURS
        ]

    @property
    def to_date(self) -> MonthToDate:
        """What the month has cost so far."""
        days = self._of_month()
        costs = [day.cost for day in days if day.cost is not None]
        hours = fsum(cost.measured_hours for cost in costs)
        return MonthToDate(
            cost=Amounts.sum(cost.cost for cost in costs) if hours > 0 else None,
            measured_hours=hours,
            complete_days=sum(day.state is SeriesState.COMPLETE for day in days),
            is_complete=not any(day.state in _UNKNOWN for day in days),
        )

    @property
    def days_to_estimate(self) -> float:
        """Days of the month that no cost is known of: those to come, and what was missed of those that were."""
        today = self.days[-1].day
        to_come = (self.month.end.astimezone(UTC).date() - today).days - 1
        return to_come + fsum(_missed(day) for day in self._of_month())

    def forecast(self) -> Forecast | NoForecast:
        """Return what the month will have cost, from its days so far and the last complete ones."""
        whole = self.whole
        if whole and self._has_ended():
            return NoForecast.ENDED
        so_far = self.to_date.cost
        found = forecast(
            0.0 if so_far is None else so_far.total,
            [day.cost.total for day in whole],
            remaining_days=self.days_to_estimate,
        )
        return NoForecast.NOT_ENOUGH_DAYS if found is None else found

    def week(self) -> list[DailyCost] | None:
        """Return the newest seven complete days, None while there are fewer."""
        whole = self.whole
        return whole[-RATE_DAYS:] if len(whole) >= RATE_DAYS else None

    def _of_month(self) -> list[SeriesDay]:
        first = self.month.start.astimezone(UTC).date()
        return [day for day in self.days if day.day >= first]

    def _has_ended(self) -> bool:
        closed = [day for day in self.days if day.state is not SeriesState.PROVISIONAL]
        return bool(closed) and closed[-1].state is SeriesState.ABSENT


def month_of(day: date) -> Window:
    """Return the calendar month, in UTC, that a day lies in."""
    first = day.replace(day=1)
    following = (first + 31 * _DAY).replace(day=1)
    return Window(day_window(first).start, day_window(following).start)


def first_needed(now: datetime, most_days: int) -> date:
    """Return the first day to read: `most_days` before today's, or the month's first."""
    today = now.astimezone(UTC).date()
    return min(today.replace(day=1), today - most_days * _DAY)


def _missed(day: SeriesDay) -> float:
    """Return which share of a day is to be estimated; nothing of a day on which it, or the history, did not exist yet."""
    if day.state in {SeriesState.COMPLETE, SeriesState.ABSENT, SeriesState.BEFORE_HISTORY}:
        return 0.0
    return 1.0 if day.cost is None else max(0.0, 1 - day.cost.measured_hours / 24)
