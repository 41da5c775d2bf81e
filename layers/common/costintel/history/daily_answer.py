"""The days of an Application as they are served."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from costintel.cost.application import AppRef
from costintel.cost.day_range import DayRange
from costintel.history.reading import SeriesDay, SeriesReader
from costintel.measurement.document import amounts_document, efficiency_document, idle_document


@dataclass(frozen=True, kw_only=True)
class DailyAnswers:
    """Answers `/{app}/daily` from the series and the stored hours."""

    currency: str
    reader: SeriesReader

    def answer(self, application: AppRef, days: DayRange, *, now: datetime) -> dict[str, Any] | None:
        """Return the days as JSON, oldest first, none left out and none later than today.

        None for an Application that has no record, or deploys elsewhere. Raises StorageError.
        """
        view = self.reader.series(application, days.first, days.last, now=now)
        if view is None:
            return None
        return {
            "application": {"namespace": application.namespace, "name": application.name},
            "currency": self.currency,
            "scope": view.scope,
            "from": days.first.isoformat(),
            "to": days.last.isoformat(),
            "days": [day_document(day) for day in view.days],
        }


def day_document(day: SeriesDay) -> dict[str, Any]:
    """Return a day; everything about its cost is null where that is not known or cannot be."""
    cost = day.cost
    return {
        "day": day.day.isoformat(),
        "state": day.state.value,
        "source": None if cost is None else cost.source,
        "measuredHours": None if cost is None else round(cost.measured_hours, 6),
        "cost": None if cost is None else amounts_document(cost.cost),
        "idle": None if cost is None else idle_document(cost.idle),
        "efficiency": efficiency_document(day.efficiency),
    }
