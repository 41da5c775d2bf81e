"""The days of an engine, and what the tests look at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from costintel.collection.days import Days, DaysOutcome, Patience
from costintel.collection.days_changes import ChangedDays
from costintel.collection.deadline import Deadline
from costintel.cost.container import ContainerCost
from costintel.cost.day import DayHeader
from costintel.storage.day_marks import DayMarks
from costintel.storage.hour_assets import HourAssets
from tests.collection.engine import CLUSTER, Engine

DAY = timedelta(days=1)
LAST = date(2026, 11, 29)
"""Yesterday, as seen from the engine's NOW."""
MIDNIGHT = datetime(2026, 11, 30, tzinfo=UTC)
"""The end of LAST."""


@dataclass(kw_only=True)
class DayEngine:
    """Runs the days of `engine` at moments that tests choose; waiting takes no time and is noted."""

    engine: Engine
    history_days: int = 400
    waits: list[float] = field(default_factory=list)
    pause: Callable[[float], None] | None = None

    def run(self, now: datetime, *, seconds: float = 900, patience_seconds: float = 0) -> DaysOutcome:
        days = Days(
            cluster=CLUSTER,
            history_days=self.history_days,
            conversations=self.engine.hours.conversations,
            collections=self.engine.collections,
            work=self.engine.work,
            hours=self.engine.hours,
            marks=DayMarks(self.engine.database),
            hour_assets=HourAssets(self.engine.database),
            clock=lambda: now,
        )
        return days.run(
            deadline=Deadline.after(seconds),
            patience=Patience(seconds=patience_seconds, pause=self.pause or self.waits.append),
        )

    def headers(self) -> dict[date, DayHeader]:
        found = self.engine.collections.day_headers(CLUSTER, date(2025, 1, 1), date(2027, 12, 31))
        return {header.day: header for header in found}

    def states(self) -> dict[date, str]:
        return {day: header.state.value for day, header in self.headers().items()}

    def rows(self, day: date = LAST) -> dict[tuple[str, str, str], ContainerCost]:
        found = self.engine.collections.day_rows(CLUSTER, [day], None)
        return {row[:3]: row for _, _, rows in found for row in rows}

    def cost(self, day: date = LAST) -> float:
        return sum(row.amounts.total for row in self.rows(day).values())

    def changed(self) -> set[date]:
        return ChangedDays(cluster=CLUSTER, work=self.engine.work).all()


def hours_of(day: date) -> Sequence[datetime]:
    """Return the starts of the hours of `day`."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return [start + timedelta(hours=number) for number in range(24)]
