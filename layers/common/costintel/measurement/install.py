"""Applications that had no sync since we know them: measured from the newest 24 hours, so that each has a figure at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Self

from costintel.collection.deadline import Deadline
from costintel.collection.rfc3339 import moment_of, text_of
from costintel.cost.application import AppRef
from costintel.cost.collection import LiveHeader
from costintel.cost.live import LiveApplication
from costintel.cost.projection import Confidence
from costintel.cost.sync import Record, Sync, install_id
from costintel.errors import CostIntelError, StorageUnavailable
from costintel.measurement.attribution import Attribution, read_attribution
from costintel.measurement.listed import newest_listed
from costintel.measurement.recording import Measured, Recording
from costintel.measurement.task import INSTALL as ON_INSTALL
from costintel.measurement.windows import StoredWindows
from costintel.storage.collections import Collections
from costintel.storage.live import LiveApplications
from costintel.storage.records import Records
from costintel.storage.work import INSTALL, Work, WorkItem

_WAITS = (timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=4), timedelta(minutes=8))
_LATER = timedelta(hours=1)
_AT_ONCE = 250
"""Applications whose containers are in memory at once."""
_SPARE_SECONDS = 20.0
"""No further batch is begun with less than this left."""
_BROKEN = (CostIntelError, ArithmeticError, LookupError, TypeError, ValueError)


@dataclass(slots=True, kw_only=True)
class Installed:
    """How many Applications got a figure, how many still wait for one (or for a better one), and what broke some."""

    measured: int = 0
    waiting: int = 0
    errors: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallTask:
    """An Application to be measured. `steps` counts tries that came in their turn; `tried_at` is the last one, in turn or not."""

    application: AppRef
    listed_at: datetime
    not_before: datetime
    steps: int = 0
    tried_at: datetime | None = None

    @classmethod
    def of(cls, item: WorkItem) -> Self:
        """Read a row of `work`."""
        tried_at = item.payload.get("triedAt")
        return cls(
            application=AppRef(*item.subject.split(":", 1)),
            listed_at=moment_of(item.payload["listedAt"]),
            not_before=item.not_before,
            steps=item.payload.get("steps", 0),
            tried_at=None if tried_at is None else moment_of(tried_at),
        )

    @property
    def payload(self) -> dict[str, Any]:
        """What the row keeps."""
        return {
            "listedAt": text_of(self.listed_at),
            "steps": self.steps,
            "triedAt": None if self.tried_at is None else text_of(self.tried_at),
        }

    def is_due(self, now: datetime, live: LiveHeader | None) -> bool:
        """Whether its turn has come, or there are new hours since the last try."""
        is_new = live is not None and (self.tried_at is None or live.folded_at > self.tried_at)
        return self.not_before <= now or is_new

    def tried(self, now: datetime) -> "InstallTask":
        """Return it after a try: after one in its turn the next comes in 1, 2, 4, 8 minutes, then every hour."""
        if self.not_before > now:
            return replace(self, tried_at=now)
        wait = _WAITS[self.steps] if self.steps < len(_WAITS) else _LATER
        return replace(self, tried_at=now, steps=self.steps + 1, not_before=now + wait)


@dataclass(frozen=True, kw_only=True)
class Installs:
    """Measures the Applications that the list showed to be without a measurement."""

    cluster: str
    work: Work
    records: Records
    collections: Collections
    applications: LiveApplications
    recording: Recording

    def is_due(self, *, now: datetime) -> bool:
        """Whether the turn of one has come."""
        return bool(self.work.due(self.cluster, INSTALL, now, 1))

    def run(self, windows: StoredWindows, *, deadline: Deadline) -> Installed:
        """Measure those that are due from the newest 24 hours, without asking OpenCost; the others are tried again.

        A sync that has come meanwhile wins. One is done when it has a figure of at least an hour, from a window whose hours
        are all there. Raises StorageUnavailable; what is stored by then stays.
        """
        installed = Installed()
        items = self.work.all(self.cluster, INSTALL)
        if not items:
            return installed
        live = self.collections.live(self.cluster)
        due = {one.application: one for one in map(InstallTask.of, items) if one.is_due(windows.now, live)}
        run = _Run(installs=self, windows=windows, live=live, installed=installed, due=due)
        run.advance([AppRef(*item.subject.split(":", 1)) for item in items], deadline)
        installed.waiting += len(items) - len(due)
        return installed


@dataclass(kw_only=True)
class _Run:
    """One pass over the Applications that are due, with everything that holds for all of them."""

    installs: Installs
    windows: StoredWindows
    live: LiveHeader | None
    installed: Installed
    due: Mapping[AppRef, InstallTask]

    def advance(self, waiting: Sequence[AppRef], deadline: Deadline) -> None:
        """Measure in batches, each written down before the next; `waiting` are all that have no measurement, due or not."""
        if not self.due:
            return
        listed = self.installs.applications.named(self.installs.cluster, waiting)
        syncs = {one.application: self._sync(one) for one in listed.values()}
        self._forget(application for application in self.due if application not in listed)
        wanted = [syncs[application] for application in self.due if application in syncs]
        attribution = self._attribution(wanted, syncs.values())
        for start in range(0, len(wanted), _AT_ONCE):
            if not deadline.allows(_SPARE_SECONDS):
                self.installed.waiting += len(wanted) - start
                return
            self._batch(wanted[start : start + _AT_ONCE], attribution)

    def _attribution(self, wanted: Sequence[Sync], others: Iterable[Sync]) -> Attribution:
        """Applications that have no record yet list workloads, too."""
        return read_attribution(self.installs.cluster, self.installs.records, self.installs.work, wanted, others=others)

    def _batch(self, syncs: Sequence[Sync], attribution: Attribution) -> None:
        measured = self._measured(syncs, attribution)
        done = [sync.application for sync in syncs if self._keep(sync, measured.get(sync.id))]
        self._forget(done)
        self._put_off({sync.application for sync in syncs} - set(done))

    def _measured(self, syncs: Sequence[Sync], attribution: Attribution) -> dict[str, Measured]:
        """Measure; what breaks one breaks only that one."""
        if self.live is None:
            return {}
        try:
            return self.installs.recording.measure(self.live.window, syncs, attribution)
        except StorageUnavailable:
            raise
        except _BROKEN as error:
            if len(syncs) == 1:
                self.installed.errors.add(type(error).__name__)
                return {}
            found: dict[str, Measured] = {}
            for sync in syncs:
                found |= self._measured([sync], attribution)
            return found

    def _keep(self, sync: Sync, measured: Measured | None) -> bool:
        """Record a figure; return whether nothing remains to be done for the Application."""
        if measured is None or measured.document is None:
            return False
        record = Record(
            sync=sync,
            cluster=self.installs.cluster,
            measured_on=ON_INSTALL,
            found_by=ON_INSTALL,
            scope=measured.scope,
            measured_at=self.windows.now,
            settles_at=None,
            early=measured.document,
            settled=None,
            is_settled=False,
        )
        try:
            is_kept = self.installs.records.save_first(record)
        except StorageUnavailable:
            raise
        except _BROKEN as error:
            self.installed.errors.add(type(error).__name__)
            return False
        self.installed.measured += is_kept
        is_enough = measured.document["confidence"] != Confidence.TOO_LITTLE and self._is_complete()
        return is_enough or not is_kept

    def _is_complete(self) -> bool:
        """Whether no more and no other hours of the window are to come."""
        window = None if self.live is None else self.live.window
        return window is not None and self.windows.is_final(window) and not self.windows.awaits_confirmation(window)

    def _forget(self, applications: Iterable[AppRef]) -> None:
        subjects = [str(application) for application in applications]
        if subjects:
            self.installs.work.delete(self.installs.cluster, INSTALL, subjects)

    def _put_off(self, applications: Iterable[AppRef]) -> None:
        """Write down the next try of each, those of one time together."""
        at: dict[datetime, dict[str, Mapping[str, Any]]] = {}
        for application in sorted(applications):
            task = self.due[application].tried(self.windows.now)
            at.setdefault(task.not_before, {})[str(application)] = task.payload
            self.installed.waiting += 1
        for not_before, payloads in at.items():
            self.installs.work.put_many(self.installs.cluster, INSTALL, payloads, not_before)

    def _sync(self, application: LiveApplication) -> Sync:
        """Return what stands in a record where a sync would be: the Application as listed, finished when it was created.

        That is before any sync of it, which is therefore the newer one, and since then it is known to exist.
        """
        task = self.due.get(application.application)
        newest = newest_listed(application)
        return Sync(
            id=install_id(self.installs.cluster, application.application),
            application=application.application,
            project=application.project,
            destination=application.destination,
            resources=application.resources,
            resources_omitted=False,
            finished_at=application.created_at,
            finished_at_known=True,
            started_at=None,
            created_at=application.created_at,
            revision="" if newest is None else newest.revision,
            revisions=() if newest is None else newest.revisions,
            sync_status=application.sync_status,
            health_status=application.health_status,
            initiated_by="",
            images=application.images,
            received_at=self.windows.now if task is None else task.listed_at,
        )
