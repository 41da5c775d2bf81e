"""What the API tells of one Application over time, put together."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from costintel.collection.folding import Folding
from costintel.cost.application import AppRef
from costintel.cost.day_range import DayRange
from costintel.history.daily_answer import DailyAnswers
from costintel.history.month import Months
from costintel.history.provisional import Provisional
from costintel.history.series_assembly import SeriesParts, assemble_reader
from costintel.history.trend import Trend
from costintel.measurement.current import Actuals
from costintel.storage.collections import Collections
from costintel.storage.records import Records
from costintel.storage.sync_history import SyncHistory
from costintel.storage.work import Work


@dataclass(frozen=True, kw_only=True)
class HistoryAnswers:
    """Days, trend and month, each as JSON; None for an Application that has no record, or deploys elsewhere."""

    days: DailyAnswers
    trends: Trend
    months: Months

    def daily(self, application: AppRef, days: DayRange, now: datetime) -> dict[str, Any] | None:
        """Return what it cost day by day. Raises StorageError."""
        return self.days.answer(application, days, now=now)

    def trend(self, application: AppRef, *, offset: int, limit: int, now: datetime) -> dict[str, Any] | None:
        """Return what its syncs changed. Raises StorageError."""
        return self.trends.answer(application, offset=offset, limit=limit, now=now)

    def month(self, application: AppRef, now: datetime) -> dict[str, Any] | None:
        """Return its calendar month. Raises StorageError."""
        return self.months.answer(application, now=now)


def assemble_answers(parts: SeriesParts, actuals: Actuals) -> HistoryAnswers:
    """Return what answers from the history; currency and month are those of `actuals`."""
    database, reader = parts.database, assemble_reader(parts)
    provisional = Provisional(
        cluster=parts.cluster,
        basis_hours=actuals.basis_hours,
        collections=Collections(database),
        records=Records(database),
        work=Work(database),
        folding=Folding(cluster=parts.cluster, collections=Collections(database)),
    )
    trend = Trend(
        cluster=parts.cluster,
        currency=actuals.currency,
        census=reader.census,
        syncs=SyncHistory(database),
        provisional=provisional,
    )
    return HistoryAnswers(
        days=DailyAnswers(currency=actuals.currency, reader=reader),
        trends=trend,
        months=Months(
            currency=actuals.currency, basis_hours=actuals.basis_hours, reader=reader, trend=trend, actuals=actuals
        ),
    )
