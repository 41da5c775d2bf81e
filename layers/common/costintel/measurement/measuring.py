"""The measuring service: what is due becomes figures, and nothing is given up."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from costintel.collection.deadline import Deadline
from costintel.collection.hours import Hours
from costintel.collection.live import Live
from costintel.collection.questions import EnsureOutcome
from costintel.collection.stored_hours import read_headers
from costintel.cost.window import HOUR
from costintel.measurement.correction import Corrections
from costintel.measurement.first_current import FirstCurrent
from costintel.measurement.install import Installed, Installs
from costintel.measurement.intake import Received, receive
from costintel.measurement.progress import Progress, Tally
from costintel.measurement.pruning import Pruning
from costintel.measurement.task import STAGES, SyncTask
from costintel.measurement.windows import StoredWindows, over_at
from costintel.storage.collections import Collections
from costintel.storage.work import SYNC, Work

_MOST_TASKS = 1000
"""Syncs taken up in one run unless a new hour concerns all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one run did, for logs and metrics."""

    hours: EnsureOutcome
    syncs: Tally
    first_currents: int
    pruned_hours: int
    installed: Installed = field(default_factory=Installed)
    corrections: int = 0
    pruned_applications: int = 0


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """Measures the syncs of one cluster, and does what live lists made due."""

    cluster: str
    work: Work
    collections: Collections
    hours: Hours
    live: Live
    progress: Progress
    first_current: FirstCurrent
    installs: Installs
    corrections: Corrections
    pruning: Pruning

    def receive(self, bodies: Mapping[str, str], *, now: datetime) -> Received:
        """Remember the syncs of queue messages (message id to body); see `intake.receive`."""
        return receive(bodies, cluster=self.cluster, work=self.work, now=now)

    def measure(self, sync_ids: Iterable[str], *, now: datetime, deadline: Deadline) -> Outcome:
        """Measure syncs that were just received, as far as that can be done now; the tick does the rest.

        Raises StorageError: what is not done stays in `work`.
        """
        found = [self.work.find(self.cluster, SYNC, sync_id) for sync_id in sync_ids]
        tasks = [SyncTask.of(item) for item in found if item is not None]
        return self._run(tasks, [], now=now, deadline=deadline)

    def tick(self, *, now: datetime, deadline: Deadline) -> Outcome:
        """Do everything that is due: what lists showed, hours, syncs, settling, first figures of young applications, installs.

        Raises StorageError: what is not done stays in `work`.
        """
        pruned = self.pruning.run(now=now)
        corrected = self.corrections.run(now=now)
        tasks = [SyncTask.of(item) for item in self.work.due(self.cluster, SYNC, now, _MOST_TASKS)]
        due = self.hours.due(now=now)
        if self.installs.is_due(now=now):
            due += self.hours.wake_newest(now=now)
        outcome = self._run(tasks, due, now=now, deadline=deadline)
        installed = self.installs.run(self._windows(now), deadline=deadline)
        return replace(outcome, installed=installed, corrections=corrected, pruned_applications=pruned)

    def _run(self, tasks: Sequence[SyncTask], due: Sequence[datetime], *, now: datetime, deadline: Deadline) -> Outcome:
        needed = [hour for task in tasks for hour in _needed_hours(task, now)]
        hours = self.hours.ensure(list(dict.fromkeys([*due, *needed])), now=now, deadline=deadline)
        if self.live.refresh(now=now) or hours.asked:
            # An hour came, or one is judged differently: any of the waiting syncs may have waited for that.
            tasks = self._waiting()
        windows = self._windows(now)
        tally, going_on = self.progress.advance(tasks, windows, deadline=deadline)
        return Outcome(
            hours=hours,
            syncs=tally,
            first_currents=self.first_current.serve(going_on, windows, deadline=deadline),
            pruned_hours=self._prune(now) if hours.asked else 0,
        )

    def _windows(self, now: datetime) -> StoredWindows:
        return StoredWindows(headers=read_headers(self.collections, self.cluster), now=now)

    def _waiting(self) -> list[SyncTask]:
        return [SyncTask.of(item) for item in self.work.all(self.cluster, SYNC)]

    def _prune(self, now: datetime) -> int:
        """Remove old hours, except those that a waiting sync is still to be measured from, and the hour before them."""
        needed = [STAGES[bool(task.early_basis)].window(task).start - HOUR for task in self._waiting()]
        return self.hours.prune(now=now, needed_from=min(needed, default=None))


def _needed_hours(task: SyncTask, now: datetime) -> Iterator[datetime]:
    """Yield the hours that the next figures of `task` are folded from."""
    for stage in STAGES:
        if not stage.basis(task) and over_at(stage.window(task)) <= now:
            yield from stage.window(task).clock_hours()
