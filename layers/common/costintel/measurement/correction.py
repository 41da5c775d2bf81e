"""Syncs whose notification said something else than the live list: what they said is corrected, and measured again."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Self

from costintel.collection.backoff import backoff
from costintel.collection.rfc3339 import moment_of, text_of
from costintel.cost.application import AppRef, Destination
from costintel.cost.live import LiveApplication, LiveSync
from costintel.cost.sync import Sync, sync_id
from costintel.errors import CostIntelError, StorageUnavailable
from costintel.measurement.task import SyncTask, new_payload
from costintel.storage.connection import Database
from costintel.storage.known_syncs import KnownSync
from costintel.storage.live import LiveApplications
from costintel.storage.records import Records
from costintel.storage.work import CORRECTION, SYNC, Work, WorkItem

_SYNCED = "Synced"
_AGAIN_WITHIN = timedelta(hours=48)
"""A settled sync is measured again as long as its hours are young; of an older one only what it says is corrected."""
_MOST = 500
_BROKEN = (CostIntelError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """A sync's real finish and start, and so its real id."""

    id: str
    finished_at: datetime
    started_at: datetime | None

    @classmethod
    def of(cls, cluster: str, application: AppRef, sync: LiveSync) -> Self:
        """Return it for a sync that the list has."""
        sync_key = sync_id(cluster, application, sync.finished_at)
        return cls(id=sync_key, finished_at=sync.finished_at, started_at=sync.started_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What is to be corrected of one Application: ids to adopt, by the id they replace, and the sync that the list contradicts."""

    adoptions: Mapping[str, Adoption]
    contradicted: str | None

    @classmethod
    def parse(cls, payload: Mapping[str, Any]) -> Self:
        """Read what `payload` gave. Raises KeyError, TypeError or ValueError for anything else."""
        adoptions = {
            old: Adoption(
                id=one["id"],
                finished_at=moment_of(one["finishedAt"]),
                started_at=None if one["startedAt"] is None else moment_of(one["startedAt"]),
            )
            for old, one in dict(payload["adoptions"]).items()
        }
        return cls(adoptions=adoptions, contradicted=payload["contradicted"])

    @property
    def payload(self) -> dict[str, Any]:
        """What a row of `work` keeps."""
        adoptions = {
            old: {
                "id": one.id,
                "finishedAt": text_of(one.finished_at),
                "startedAt": None if one.started_at is None else text_of(one.started_at),
            }
            for old, one in self.adoptions.items()
        }
        return {"adoptions": adoptions, "contradicted": self.contradicted}


def contradicts(application: LiveApplication, known: KnownSync) -> bool:
    """Whether the list says something else than `known`, its Application's newest sync, where it is right (see `corrected`)."""
    names = application.resources is not None and not known.lists_resources
    elsewhere = _destination(application, known.destination) != known.destination
    return names or elsewhere or application.project != known.project


def corrected(sync: Sync, application: LiveApplication) -> Sync:
    """Return an Application's newest sync as the list has it: project, destination, and resources where it had none.

    A destination that was edited after the sync is not the sync's: Argo CD calls the Application out of sync until the next one.
    """
    is_unknown = sync.resources is None or sync.resources_omitted
    return replace(
        sync,
        project=application.project,
        destination=_destination(application, sync.destination),
        resources=application.resources if is_unknown else sync.resources,
        resources_omitted=sync.resources_omitted and application.resources is None,
        created_at=sync.created_at or application.created_at,
    )


def _destination(application: LiveApplication, told: Destination) -> Destination:
    return application.destination if application.sync_status == _SYNCED else told


@dataclass(frozen=True, kw_only=True)
class Corrections:
    """Executes the corrections that lists made necessary, each as a whole."""

    cluster: str
    database: Database
    work: Work
    records: Records
    applications: LiveApplications

    def run(self, *, now: datetime) -> int:
        """Correct what is due; return for how many Applications. What breaks one of them is put off. Raises StorageUnavailable."""
        items = self.work.due(self.cluster, CORRECTION, now, _MOST)
        references = {item.subject: AppRef(*item.subject.split(":", 1)) for item in items}
        listed = self.applications.named(self.cluster, list(references.values())) if items else {}
        return sum(self._done(item, listed.get(references[item.subject]), now) for item in items)

    def _done(self, item: WorkItem, application: LiveApplication | None, now: datetime) -> bool:
        try:
            with self.database.transaction():
                self._correct(Correction.parse(item.payload), application, now)
                self.work.delete(self.cluster, CORRECTION, [item.subject])
        except StorageUnavailable:
            raise
        except _BROKEN as error:
            attempts = item.attempts + 1
            self.work.postpone(
                self.cluster,
                CORRECTION,
                item.subject,
                not_before=now + backoff(attempts),
                error=f"{type(error).__name__}: {error}",
                attempts=attempts,
            )
            return False
        return True

    def _correct(self, correction: Correction, application: LiveApplication | None, now: datetime) -> None:
        for old, adoption in correction.adoptions.items():
            self._adopt(old, adoption, now)
        if correction.contradicted is not None and application is not None:
            self._rewrite(correction.contradicted, application, now)

    def _adopt(self, old: str, adoption: Adoption, now: datetime) -> None:
        """Give a sync its real id; measure it anew over its real windows unless it is known by that id already."""
        told = self._told(old)
        if told is None:
            return
        is_known = self._told(adoption.id) is not None
        self.records.adopt_id(self.cluster, old, adoption.id, finished_at=adoption.finished_at)
        self.work.delete(self.cluster, SYNC, [old])
        if is_known or not told.is_measured_again(adoption.finished_at, now):
            return
        sync = replace(
            told.sync,
            id=adoption.id,
            finished_at=adoption.finished_at,
            finished_at_known=True,
            started_at=told.sync.started_at or adoption.started_at,
        )
        self.work.put(self.cluster, SYNC, sync.id, new_payload(sync, found_by=told.found_by), now)

    def _rewrite(self, contradicted: str, application: LiveApplication, now: datetime) -> None:
        """Correct what a sync says; if other pods are its own now, it is measured anew."""
        told = self._told(contradicted)
        if told is None:
            return
        sync = corrected(told.sync, application)
        owns_others = any(_owned(version) != _owned(sync) for version in told.versions)
        if told.item is not None and not owns_others:
            payload = replace(SyncTask.of(told.item), sync=sync).payload
            self.work.update_payload(self.cluster, SYNC, sync.id, payload, told.item.not_before)
        elif owns_others and told.is_measured_again(sync.finished_at, now):
            self.work.put(self.cluster, SYNC, sync.id, new_payload(sync, found_by=told.found_by), now)
        self.records.correct(self.cluster, sync)

    def _told(self, sync_key: str) -> "_Told | None":
        item = self.work.find(self.cluster, SYNC, sync_key)
        record = self.records.find(self.cluster, sync_key)
        recorded = () if record is None else (record.sync,)
        if item is not None:
            task = SyncTask.of(item)
            return _Told(versions=(task.sync, *recorded), found_by=task.found_by, item=item)
        return None if record is None else _Told(versions=recorded, found_by=record.found_by, item=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A sync as it was told of; `item` is its row of `work` while it is not settled.

    `versions` are what that row and the record say of it, which may differ: a function that was slower may have saved last.
    """

    versions: tuple[Sync, ...]
    found_by: str
    item: WorkItem | None

    @property
    def sync(self) -> Sync:
        """What is gone by."""
        return self.versions[0]

    def is_measured_again(self, finished_at: datetime, now: datetime) -> bool:
        """Whether it waits anyway, or its hours are young enough."""
        return self.item is not None or now - finished_at <= _AGAIN_WITHIN


def _owned(sync: Sync) -> tuple[Any, ...]:
    return (sync.destination.namespace, sync.resources)
