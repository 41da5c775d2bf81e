"""Applications of other clusters: what was stored for them is deleted, if the operator wants that."""

from dataclasses import dataclass
from datetime import datetime

from costintel.collection.backoff import backoff
from costintel.cost.application import AppRef
from costintel.errors import StorageError, StorageUnavailable
from costintel.storage.records import Records
from costintel.storage.work import PRUNE, Work, WorkItem

_MOST = 500


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """Executes the prunes that complete lists made due."""

    cluster: str
    work: Work
    records: Records

    def run(self, *, now: datetime) -> int:
        """Delete records, days and waiting syncs of the Applications that are due; return of how many. Estimates stay.

        What PostgreSQL refuses to delete is put off. Raises StorageUnavailable.
        """
        return sum(self._done(item, now) for item in self.work.due(self.cluster, PRUNE, now, _MOST))

    def _done(self, item: WorkItem, now: datetime) -> bool:
        try:
            self.records.delete_measurements(self.cluster, AppRef(*item.subject.split(":", 1)))
        except StorageUnavailable:
            raise
        except StorageError as error:
            attempts, reason = item.attempts + 1, str(error)
            again_at = now + backoff(attempts)
            self.work.postpone(self.cluster, PRUNE, item.subject, not_before=again_at, error=reason, attempts=attempts)
            return False
        self.work.delete(self.cluster, PRUNE, [item.subject])
        return True
