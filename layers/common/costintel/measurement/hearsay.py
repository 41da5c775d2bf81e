"""What was heard of each Application's syncs: the newest record, or the newest sync that waits for one."""

from collections.abc import Iterable
from datetime import UTC, datetime

from costintel.cost.sync import Sync
from costintel.measurement.subject import LastSync, SubjectState
from costintel.measurement.subjects import Heard
from costintel.measurement.task import INSTALL, SyncTask
from costintel.storage.roster import Deployed, Name, NewestRecord, Roster


def read_heard(roster: Roster, cluster: str, listed_at: datetime | None) -> dict[Name, Heard]:
    """Return what was heard of each Application; what a sync said of it only where it was received after `listed_at`."""
    records = roster.newest_records(cluster)
    since = float("-inf") if listed_at is None else listed_at.timestamp()
    newer = [record.id for record in records if record.received_at > since]
    deployed = {one.id: one for one in roster.deployed(cluster, newer)} if newer else {}
    heard = {(record.namespace, record.name): _recorded(record, deployed.get(record.id)) for record in records}
    installed = {(record.namespace, record.name) for record in records if record.measured_on == INSTALL}
    for name, sync in _newest(SyncTask.of(item).sync for item in roster.waiting_syncs(cluster)).items():
        known = heard.get(name)
        if known is None or known.last is None or name in installed or sync.finished_at > known.last.finished_at:
            heard[name] = _waiting(sync)
    return heard


def _recorded(record: NewestRecord, deployed: Deployed | None) -> Heard:
    finished_at = datetime.fromtimestamp(record.finished_at, UTC)
    return Heard(
        received_at=record.received_at,
        state=SubjectState.MEASURED if record.is_measured else SubjectState.RECEIVED,
        has_record=True,
        last=None if record.measured_on == INSTALL else LastSync(finished_at, record.revision, record.revisions),
        news=deployed,
    )


def _waiting(sync: Sync) -> Heard:
    return Heard(
        received_at=sync.received_at.timestamp(),
        state=SubjectState.RECEIVED,
        has_record=False,
        last=LastSync(sync.finished_at, sync.revision, sync.revisions),
        news=_deployed(sync),
    )


def _deployed(sync: Sync) -> Deployed:
    listed = sync.resources
    return Deployed(
        id=sync.id,
        project=sync.project,
        destination_server=sync.destination.server,
        destination_name=sync.destination.name,
        destination_namespace=sync.destination.namespace,
        resources=None if listed is None else [(one.group, one.kind, one.namespace, one.name) for one in listed],
        resources_omitted=sync.resources_omitted,
        created_at=None if sync.created_at is None else sync.created_at.timestamp(),
    )


def _newest(syncs: Iterable[Sync]) -> dict[Name, Sync]:
    ordered = sorted(syncs, key=lambda one: one.finished_at)
    return {(sync.application.namespace, sync.application.name): sync for sync in ordered}
