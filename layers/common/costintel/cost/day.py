"""A UTC day of the whole cluster, closed and kept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import StrEnum
from math import fsum

from costintel.cost.asset import Asset
from costintel.cost.container import ContainerCost
from costintel.cost.window import DAY, Window


class DayState(StrEnum):
    """What a closed day is worth."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    """Observed under 23 hours: shown, never a baseline, asked again while OpenCost may know it."""
    GAP = "gap"
    """Nothing was seen, though something is known before it."""
    BEFORE_HISTORY = "before_history"
    """Empty, and nothing is known before it."""


class DaySource(StrEnum):
    """What a day's figures come from."""

    HOURS = "hours"
    DAY = "day"
    """OpenCost's answer for the day as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayHeader:
    """A closed UTC day of the cluster, without its containers.

    `observed` are the spans in which OpenCost saw the cluster, oldest first. `asked_at` is when it was last asked for the day
    as a whole, of a day that never was (`asked_count` 0) when it was folded. `healed`: the whole day's answer stands in the
    place of its hours. Raises ValueError for a window that is not a UTC day.
    """

    window: Window
    state: DayState
    source: DaySource
    observed: tuple[Window, ...]
    asked_at: datetime
    asked_count: int
    healed: bool

    def __post_init__(self) -> None:
        if self.window != day_window(self.day):
            raise ValueError(f"window {self.window.start}..{self.window.end}: expected a UTC day")

    @property
    def day(self) -> date:
        """The day."""
        return self.window.start.astimezone(UTC).date()

    @property
    def observed_hours(self) -> float:
        """Hours in which the cluster was seen."""
        return fsum(span.hours for span in self.observed)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDay:
    """A day with everything that is kept of it.

    `namespaces` are folded containers by namespace, each namespace once; read once, so that it may come from a stream.
    """

    cluster: str
    header: DayHeader
    namespaces: Iterable[tuple[str, Sequence[ContainerCost]]]
    assets: Sequence[Asset]
    opencost_version: str


def day_window(day: date) -> Window:
    """Return the 24 hours of a UTC day."""
    start = datetime.combine(day, time(), UTC)
    return Window(start, start + DAY)
