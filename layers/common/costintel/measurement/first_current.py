"""A first figure for applications that are too young to be in any stored hour."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from costintel.collection.deadline import Deadline
from costintel.collection.trailing import EVERY, TrailingAnswer, TrailingHour, trailing_window
from costintel.cost.owners import Owners
from costintel.cost.ownership import Ownership
from costintel.cost.sync import Sync
from costintel.cost.window import ceil_hour
from costintel.measurement.attribution import read_attribution
from costintel.measurement.recording import TRAILING_HOUR, Folded, Recording
from costintel.measurement.task import SyncTask
from costintel.measurement.windows import StoredWindows
from costintel.storage.collections import Collections
from costintel.storage.records import Records
from costintel.storage.work import Work

_SEEN_AFTER = timedelta(minutes=5)
"""OpenCost sees a container at the first 5-minute point after its start."""
_USEFUL_AFTER = timedelta(minutes=15)
"""From then on the trailing hour reaches far enough past a sync to hold such a point."""


@dataclass(frozen=True, kw_only=True)
class FirstCurrent:
    """Asks for the trailing hour while somebody waits, and gives their records a first current figure."""

    cluster: str
    work: Work
    records: Records
    collections: Collections
    trailing: TrailingHour
    recording: Recording

    def next_at(self, task: SyncTask, windows: StoredWindows) -> datetime | None:
        """Return when to look at the trailing hour for `task`, None if it does not wait for it."""
        if not is_waiting(task, windows):
            return None
        again = self.trailing.next_at(windows.now) or windows.now + EVERY
        return max(again, task.sync.finished_at + _USEFUL_AFTER)

    def serve(self, tasks: Sequence[SyncTask], windows: StoredWindows, *, deadline: Deadline) -> int:
        """Give each waiting task of `tasks` its first current figure; return how many got one."""
        window = trailing_window(windows.now)
        waiting = [
            task.sync
            for task in tasks
            if is_waiting(task, windows) and window.end >= task.sync.finished_at + _SEEN_AFTER
        ]
        if not waiting:
            return 0
        attribution = read_attribution(self.cluster, self.records, self.work, waiting)
        ownerships = {sync.id: attribution.ownership(sync) for sync in waiting}
        unseen = [sync for sync in waiting if self._is_unseen(sync)]
        answer = self.trailing.ask(now=windows.now, deadline=deadline) if unseen else None
        return 0 if answer is None else self._save(answer, unseen, ownerships)

    def _is_unseen(self, sync: Sync) -> bool:
        """Whether no stored hour holds a container it lists, nor an earlier sync tells that it has none.

        Containers that count for another Application were seen all the same.
        """
        listed = Ownership(destination_namespace=sync.destination.namespace, resources=sync.resources)
        if not listed.namespaces:
            return False
        owners = Owners({sync.id: listed})
        live = self.collections.live_namespaces(self.cluster, listed.namespaces)
        if any(row.running and owners.of(row) for row in live):
            return False
        first = self.records.earliest_with_destination(self.cluster, sync.application, sync.destination)
        return first is None or first.sync.id == sync.id

    def _save(self, answer: TrailingAnswer, syncs: Sequence[Sync], ownerships: dict[str, Ownership]) -> int:
        names = sorted({name for sync in syncs for name in ownerships[sync.id].namespaces})
        folded = Folded(
            window=answer.window,
            observed=answer.observed,
            source=TRAILING_HOUR,
            namespaces=answer.namespaces(names),
        )
        measured = self.recording.measure_folded(folded, syncs, {sync.id: ownerships[sync.id] for sync in syncs})
        saved = 0
        for sync in syncs:
            document, ran = measured[sync.id].document, measured[sync.id].ran
            if document is not None and ran:
                saved += self.records.save_first_current(self.cluster, sync.id, document)
        return saved


def is_waiting(task: SyncTask, windows: StoredWindows) -> bool:
    """Whether `task` is recorded, ran nothing before its sync, and the first full hour after it is not stored yet."""
    return bool(task.early_basis) and not task.ran and ceil_hour(task.sync.finished_at) not in windows.headers
