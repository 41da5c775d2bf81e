"""Windows of time, UTC, and the two windows of a sync."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
FIRST_FINISH = datetime(2014, 6, 1, tzinfo=UTC)
CLOCK_TOLERANCE = timedelta(hours=1)
INGESTION_DELAY = timedelta(minutes=10)
"""How long after an hour ended its last samples may still arrive."""


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A span [start, end) in UTC. Raises ValueError for naive times or an end before its start."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise ValueError(f"window {self.start}..{self.end}: expected times with a zone")
        if self.end < self.start:
            raise ValueError(f"window {self.start}..{self.end}: expected an end after its start")

    @classmethod
    def of_hours(cls, end: datetime, hours: int) -> Self:
        """Return the window of `hours` hours that ends at `end`."""
        return cls(end - hours * HOUR, end)

    @property
    def hours(self) -> float:
        """Length in hours."""
        return (self.end - self.start) / HOUR

    def clock_hours(self) -> list[datetime]:
        """Return the start of each clock hour that lies whole inside the window, oldest first."""
        first = ceil_hour(self.start)
        count = int((floor_hour(self.end) - first) / HOUR)
        return [first + index * HOUR for index in range(max(0, count))]

    def overlap_hours(self, other: "Window") -> float:
        """Return how many hours both windows share."""
        return max(0.0, (min(self.end, other.end) - max(self.start, other.start)) / HOUR)

    def since(self, moment: datetime) -> "Window":
        """Return the part of the window from `moment` on; empty at the window's end if `moment` is later."""
        return Window(min(max(self.start, moment), self.end), self.end)


def is_plausible_finish(finished_at: datetime, now: datetime) -> bool:
    """Whether a sync can have finished then: no earlier than Kubernetes exists, and not later than a wrong clock explains.

    A finish far in the future would stand as the newest sync until then, and hide every later one.
    """
    return FIRST_FINISH <= finished_at <= now + CLOCK_TOLERANCE


def floor_hour(moment: datetime) -> datetime:
    """Return the start of the clock hour that `moment` lies in."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def ceil_hour(moment: datetime) -> datetime:
    """Return the first full clock hour at or after `moment`."""
    floor = floor_hour(moment)
    return floor if floor == moment else floor + HOUR


def early_window(finished_at: datetime) -> Window:
    """Return the 24 hours before a sync that finished at `finished_at`: those stored by then, ending at floor_hour(T - 10 min)."""
    return Window.of_hours(floor_hour(finished_at - INGESTION_DELAY), 24)


def settled_window(finished_at: datetime) -> Window:
    """Return the 24 hours after a sync: from the first full hour at or after its end."""
    start = ceil_hour(finished_at)
    return Window(start, start + DAY)


def newest_closed_hour(now: datetime) -> datetime:
    """Return the start of the newest clock hour whose samples are in: it ended at least ten minutes before `now`."""
    return floor_hour(now - INGESTION_DELAY) - HOUR
