"""What is forgotten when it is old, so that no table grows without end."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from costintel.cost.day import day_window
from costintel.storage.collections import Collections
from costintel.storage.daily import Daily
from costintel.storage.record_history import RecordHistory
from costintel.storage.records import Records

RECORDS_KEPT_DAYS = 400
"""Records are kept at least so long, however few days are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What was forgotten: days, rows of series, records of old syncs, Applications with everything about them."""

    days: int = 0
    rows: int = 0
    records: int = 0
    applications: int = 0


@dataclass(frozen=True, kw_only=True)
class Retention:
    """Forgets days and series beyond `history_days`, old records, and Applications that are long gone.

    Hours, lists and summaries are bounded where they are stored; estimates are not touched.
    """

    cluster: str
    history_days: int
    collections: Collections
    daily: Daily
    records: Records
    history: RecordHistory

    def prune(self, *, now: datetime, applications_too: bool) -> Pruned:
        """Forget what is old; Applications too, unless the list of those that exist cannot be trusted. Raises StorageError."""
        today = now.astimezone(UTC).date()
        first = today - timedelta(days=self.history_days)
        before = day_window(today - timedelta(days=max(self.history_days, RECORDS_KEPT_DAYS))).start
        return Pruned(
            days=self.collections.prune_days(self.cluster, first),
            rows=self.daily.delete_before(self.cluster, first),
            records=self.history.prune(self.cluster, before),
            applications=self._forget(before) if applications_too else 0,
        )

    def _forget(self, before: datetime) -> int:
        vanished = self.history.vanished(self.cluster, before)
        for application in vanished:
            self.records.delete_measurements(self.cluster, application)
        for application in self.history.forgotten(self.cluster):
            self.daily.delete(self.cluster, application)
        return len(vanished)
