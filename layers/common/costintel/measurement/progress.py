"""Move waiting syncs forward: early, settled, done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from costintel.collection.backoff import backoff
from costintel.collection.deadline import Deadline
from costintel.cost.sync import Record
from costintel.cost.window import Window
from costintel.errors import CostIntelError, StorageUnavailable
from costintel.measurement.attribution import Attribution, read_attribution
from costintel.measurement.first_current import FirstCurrent
from costintel.measurement.recording import Measured, Recording
from costintel.measurement.task import EARLY, SETTLED, STAGES, Stage, SyncTask
from costintel.measurement.windows import StoredWindows, over_at
from costintel.storage.records import Records
from costintel.storage.work import SYNC, Work

_AT_ONCE = 250
"""Syncs whose containers are in memory at once."""
_SPARE_SECONDS = 20.0
"""No further batch is begun with less than this left."""
_LOOK_AGAIN_IN = timedelta(minutes=10)
"""A settled sync stays until the doubtful hours of its window were asked once more."""
_BROKEN = (CostIntelError, ArithmeticError, LookupError, TypeError, ValueError)
"""What a sync that cannot be measured as it is may raise: it is put off, and must not hold up the others."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """How many figures were made, and how many syncs wait for hours, are done, or could not be measured and why."""

    measured: int = 0
    waiting: int = 0
    done: int = 0
    failed: int = 0
    errors: set[str] = field(default_factory=set)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Measures the windows that are final and writes down what comes next."""

    cluster: str
    work: Work
    records: Records
    recording: Recording
    first_current: FirstCurrent

    def advance(
        self, tasks: Sequence[SyncTask], windows: StoredWindows, *, deadline: Deadline
    ) -> tuple[Tally, list[SyncTask]]:
        """Measure what can be measured of `tasks` and put each off until its next step; return those that go on.

        In batches, each of them written down before the next begins; none is begun shortly before the deadline.
        Raises StorageUnavailable; everything stored by then stays.
        """
        tally, going_on = Tally(), list[SyncTask]()
        attribution = self._attribution(tasks, windows)
        for start in range(0, len(tasks), _AT_ONCE):
            if not deadline.allows(_SPARE_SECONDS):
                break
            batch = {task.sync.id: task for task in tasks[start : start + _AT_ONCE]}
            step = _Step(progress=self, attribution=attribution, windows=windows, tally=tally, tasks=batch)
            going_on += step.advance()
        return tally, going_on

    def _attribution(self, tasks: Sequence[SyncTask], windows: StoredWindows) -> Attribution:
        ready = [task.sync for task in tasks if any(_is_ready(task, stage, windows) for stage in STAGES)]
        return read_attribution(self.cluster, self.records, self.work, ready)


def _is_ready(task: SyncTask, stage: Stage, windows: StoredWindows) -> bool:
    """Whether the window of `stage` is final, and its figure is not made yet, or was made from other answers."""
    window = stage.window(task)
    return windows.is_over(window) and windows.is_final(window) and stage.basis(task) != windows.basis(window)


@dataclass(kw_only=True)
class _Step:
    """One pass over some tasks, with everything that holds for all of them."""

    progress: Progress
    attribution: Attribution
    windows: StoredWindows
    tally: Tally
    tasks: dict[str, SyncTask]
    broken: set[str] = field(default_factory=set)

    def advance(self) -> list[SyncTask]:
        """Measure, record, and write down what comes next; return the tasks that go on."""
        before = dict(self.tasks)
        for stage in STAGES:
            self._measure_stage(stage)
        return self._schedule(before)

    def _measure_stage(self, stage: Stage) -> None:
        """Measure the tasks whose window of `stage` is final, those that share a window together."""
        groups: dict[Window, list[SyncTask]] = {}
        for task in self.tasks.values():
            if self._is_ready(task, stage):
                groups.setdefault(stage.window(task), []).append(task)
        for window, group in groups.items():
            self._measure(stage, window, group)

    def _schedule(self, before: Mapping[str, SyncTask]) -> list[SyncTask]:
        """Write down when each task goes on; return those that do."""
        waiting = [task for key, task in self.tasks.items() if key not in self.broken]
        done = [task for task in waiting if self._is_done(task)]
        if done:
            self.progress.work.delete(self.progress.cluster, SYNC, [task.sync.id for task in done])
        self.tally.done += len(done)
        going_on = [task for task in waiting if not self._is_done(task)]
        for task in going_on:
            self._put_off(task, before[task.sync.id])
        return going_on

    def _is_ready(self, task: SyncTask, stage: Stage) -> bool:
        return task.sync.id not in self.broken and _is_ready(task, stage, self.windows)

    def _is_done(self, task: SyncTask) -> bool:
        return bool(task.early_basis and task.settled_basis) and not self.windows.awaits_confirmation(task.settled)

    def _measure(self, stage: Stage, window: Window, group: Sequence[SyncTask]) -> None:
        """Measure and record `group`; what breaks one of them breaks only that one."""
        try:
            syncs = [task.sync for task in group]
            measured = self.progress.recording.measure(window, syncs, self.attribution)
            for task in group:
                self._save(task, stage, measured[task.sync.id])
        except StorageUnavailable:
            raise
        except _BROKEN as error:
            if len(group) > 1:
                for task in group:
                    if self._is_ready(self.tasks[task.sync.id], stage):
                        self._measure(stage, window, [task])
            else:
                self._break(group[0], error)

    def _save(self, task: SyncTask, stage: Stage, measured: Measured) -> None:
        self.progress.records.save(
            Record(
                sync=task.sync,
                cluster=self.progress.cluster,
                measured_on="sync",
                found_by=task.found_by,
                scope=measured.scope,
                measured_at=self.windows.now,
                settles_at=over_at(task.settled),
                early=None if stage.is_settled else measured.document,
                settled=measured.document if stage.is_settled else None,
                is_settled=stage.is_settled,
            )
        )
        basis = self.windows.basis(stage.window(task))
        self.tasks[task.sync.id] = task.measured(stage, basis, ran=measured.ran)
        self.tally.measured += 1

    def _break(self, task: SyncTask, error: Exception) -> None:
        attempts = task.attempts + 1
        self.progress.work.postpone(
            self.progress.cluster,
            SYNC,
            task.sync.id,
            not_before=self.windows.now + backoff(attempts),
            error=f"{type(error).__name__}: {error}",
            attempts=attempts,
        )
        self.broken.add(task.sync.id)
        self.tally.failed += 1
        self.tally.errors.add(type(error).__name__)

    def _put_off(self, task: SyncTask, before: SyncTask) -> None:
        at = self._next_at(task)
        if at is not None:
            if task != before or at != before.not_before:
                self._write(task, at)
            return
        self.tally.waiting += 1
        if task != before:
            self._write(task, before.not_before)
        if before.not_before <= self.windows.now:
            self._wait(task)

    def _write(self, task: SyncTask, not_before: datetime) -> None:
        self.progress.work.update_payload(self.progress.cluster, SYNC, task.sync.id, task.payload, not_before)

    def _wait(self, task: SyncTask) -> None:
        """Hours of its window are missing: look again later, each time after a longer while; a new hour wakes it before."""
        attempts = task.attempts + 1
        self.progress.work.postpone(
            self.progress.cluster,
            SYNC,
            task.sync.id,
            not_before=self.windows.now + backoff(attempts),
            error="hours of its window are not stored yet",
            attempts=attempts,
        )

    def _next_at(self, task: SyncTask) -> datetime | None:
        """Return when the next step can be done, None when it could be done now were the hours there."""
        now = self.windows.now
        if task.settled_basis:
            return now + _LOOK_AGAIN_IN
        stage = SETTLED if task.early_basis else EARLY
        ready_at = over_at(stage.window(task))
        if ready_at <= now:
            return None
        waiting_until = self.progress.first_current.next_at(task, self.windows) if task.early_basis else None
        return ready_at if waiting_until is None else min(ready_at, waiting_until)
