"""What the API tells of one Application: what it costs now, and what its newest sync cost."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from costintel.collection.rfc3339 import text_of
from costintel.cost.application import AppRef
from costintel.cost.container import ContainerCost
from costintel.cost.figure import FigureTerms, figure
from costintel.cost.ownership import Ownership
from costintel.cost.sync import FigureDocument, Record, Sync
from costintel.measurement.age import CreationTimes, is_known_before, known_since
from costintel.measurement.attribution import Contest, read_attribution
from costintel.measurement.document import figure_document
from costintel.measurement.task import INSTALL, SyncTask
from costintel.measurement.windows import over_at
from costintel.storage.collections import Collections, LiveFold
from costintel.storage.records import Records
from costintel.storage.work import Work

LIVE = "live"
_STALE_AFTER = timedelta(hours=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Newest:
    """The newest sync of an Application: its record, and its row of `work` while it is not settled."""

    sync: Sync
    record: Record | None
    task: SyncTask | None


@dataclass(frozen=True, kw_only=True)
class Actuals:
    """Answers `/{app}/actual` from the tables alone."""

    cluster: str
    currency: str
    basis_hours: int
    collections: Collections
    records: Records
    work: Work
    creation_times: CreationTimes

    def actual(self, application: AppRef, now: datetime) -> dict[str, Any] | None:
        """Return what is known of an Application as JSON, None when no sync of it is known.

        `current` is the newest 24 clock hours, else the trailing hour of an application too young for them; `record` the
        newest sync by the time it finished, whenever it was measured. Raises StorageError.
        """
        newest = self._newest(application)
        if newest is None:
            return None
        attribution = read_attribution(self.cluster, self.records, self.work, [newest.sync])
        ownership = attribution.ownership(newest.sync)
        live = self.collections.live_fold(self.cluster, ownership.namespaces)
        current = self._current(newest, ownership, live)
        return {
            **self._subject(newest.sync, ownership),
            **_state(newest, current, now),
            "stale": live is None or now - live.header.window.end > _STALE_AFTER,
            "current": current,
            "contested": [_contested(contest, newest.sync) for contest in attribution.contests(newest.sync)],
            "record": _record(newest),
        }

    def _newest(self, application: AppRef) -> _Newest | None:
        record = self.records.latest(self.cluster, application)
        own = [SyncTask.of(item) for item in self.work.syncs_of(self.cluster, application)]
        task = max(own, key=lambda one: one.sync.finished_at, default=None)
        if task is not None and (record is None or _is_newer(task.sync, record)):
            return _Newest(sync=task.sync, record=None, task=task)
        if record is None:
            return None
        same = next((one for one in own if one.sync.id == record.sync.id), None)
        return _Newest(sync=record.sync, record=record, task=same)

    def _subject(self, sync: Sync, ownership: Ownership) -> dict[str, Any]:
        return {
            "application": {"namespace": sync.application.namespace, "name": sync.application.name},
            "project": sync.project,
            "destination": {
                "server": sync.destination.server,
                "name": sync.destination.name,
                "namespace": sync.destination.namespace,
            },
            "customResources": list(ownership.custom_kinds()),
            "resourcesOmitted": sync.resources_omitted,
            "scope": ownership.scope,
            "currency": self.currency,
        }

    def _current(self, newest: _Newest, ownership: Ownership, live: LiveFold | None) -> FigureDocument | None:
        document = None if live is None else self._live_figure(newest.sync, ownership, live)
        if document is None and newest.record is not None:
            return newest.record.first_current
        return document

    def _live_figure(self, sync: Sync, ownership: Ownership, live: LiveFold) -> FigureDocument | None:
        own = [row for row in live.containers if _owned(row, ownership)]
        terms = FigureTerms(window=live.header.window, basis_hours=self.basis_hours, scope=ownership.scope, source=LIVE)
        since = self._known_since(sync, ownership, live)
        return figure_document(
            figure(own, live.header.observed, known_since=since, terms=terms), list_pods=ownership.resources is not None
        )

    def _known_since(self, sync: Sync, ownership: Ownership, live: LiveFold) -> datetime | None:
        creations = self.creation_times.of([sync], [ownership])
        dated = creations.dated(sync)
        first: datetime | None = None
        if not is_known_before(dated, live.header.window):
            record = self.records.earliest_with_destination(self.cluster, sync.application, sync.destination)
            first = None if record is None else record.sync.finished_at
        return known_since(
            dated,
            ownership,
            live.header.window,
            first_recorded_at=first,
            cost_before=self._cost_before(ownership, live),
            namespace_created_at=creations.of_namespace(ownership),
        )

    def _cost_before(self, ownership: Ownership, live: LiveFold) -> set[str]:
        if ownership.resources is not None:
            return set()
        return self.collections.namespaces_with_cost_before(
            self.cluster, ownership.namespaces, live.header.window.start
        )


def _is_newer(sync: Sync, record: Record) -> bool:
    """Whether `sync` came after what `record` is of; an install is before every sync."""
    return record.measured_on == INSTALL or sync.finished_at > record.sync.finished_at


def _owned(row: ContainerCost, ownership: Ownership) -> bool:
    return (row.running or ownership.resources is None) and ownership.owns(row)


def _state(newest: _Newest, current: FigureDocument | None, now: datetime) -> dict[str, Any]:
    """Return `received` until there is a figure, with the time it will be looked for; then `measured` and when it was."""
    record, task = newest.record, newest.task
    figures = [] if record is None else [record.early, record.settled, record.first_current, current]
    if record is not None and (task is None or any(figures)):
        return {"state": "measured", "measuredAt": text_of(record.measured_at)}
    return {"state": "received", "measuredAt": text_of(max(now, task.not_before if task else now))}


def _contested(contest: Contest, sync: Sync) -> dict[str, str]:
    namespace, kind, name = contest.claim
    listed = {
        (one.namespace or sync.destination.namespace, one.kind.lower(), one.name): one.kind
        for one in sync.resources or ()
    }
    return {
        "kind": listed.get(contest.claim, kind),
        "namespace": namespace,
        "name": name,
        "owner": str(contest.owner),
    }


def _record(newest: _Newest) -> dict[str, Any]:
    sync, record = newest.sync, newest.record
    settles_at = (
        over_at(SyncTask(sync=sync, not_before=sync.received_at).settled) if record is None else record.settles_at
    )
    return {
        "id": sync.id,
        "measuredOn": "sync" if record is None else record.measured_on,
        "foundBy": record.found_by if record is not None else newest.task.found_by if newest.task else "",
        "sync": _sync(sync, is_install=record is not None and record.measured_on == INSTALL),
        "early": None if record is None else record.early,
        "settled": None if record is None else record.settled,
        "settlesAt": None if settles_at is None else text_of(settles_at),
        "isSettled": record is not None and record.is_settled,
    }


def _sync(sync: Sync, *, is_install: bool) -> dict[str, Any]:
    """Return what is told of a sync; an install has no times."""
    return {
        "revision": sync.revision,
        "revisions": list(sync.revisions),
        "startedAt": None if sync.started_at is None else text_of(sync.started_at),
        "finishedAt": None if is_install else text_of(sync.finished_at),
        "initiatedBy": sync.initiated_by,
        "syncStatus": sync.sync_status,
        "healthStatus": sync.health_status,
    }
