"""Take messages from the queue: once PostgreSQL remembers a sync, its message has done its work."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from costintel.argocd.message import parse_message
from costintel.cost.sync import Sync
from costintel.errors import InvalidInput, StorageError
from costintel.measurement.task import new_payload
from costintel.storage.work import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What became of a batch: ids of syncs that are new, and of messages that failed, each with the reason."""

    new: frozenset[str]
    failed: Mapping[str, str]


def receive(bodies: Mapping[str, str], *, cluster: str, work: Work, now: datetime) -> Received:
    """Remember the syncs of `bodies` (message id to body) in one statement.

    A message that cannot be read, or that PostgreSQL does not take, has failed: it comes again, and at last lies in the
    dead-letter queue. A sync that was there already, or is recorded, is not new.
    """
    syncs, failed = _parsed(bodies)
    try:
        new = _insert(syncs.values(), cluster=cluster, work=work, now=now)
    except InvalidInput:
        return _one_by_one(syncs, failed, cluster=cluster, work=work, now=now)
    except StorageError as error:
        return Received(new=frozenset(), failed={**failed, **dict.fromkeys(syncs, str(error))})
    return Received(new=frozenset(new), failed=failed)


def _parsed(bodies: Mapping[str, str]) -> tuple[dict[str, Sync], dict[str, str]]:
    syncs: dict[str, Sync] = {}
    failed: dict[str, str] = {}
    for message, body in bodies.items():
        try:
            syncs[message] = parse_message(body)
        except InvalidInput as error:
            failed[message] = str(error)
    return syncs, failed


def _insert(syncs: Iterable[Sync], *, cluster: str, work: Work, now: datetime) -> set[str]:
    payloads = {sync.id: new_payload(sync) for sync in syncs}
    return work.insert_syncs(cluster, payloads, now) if payloads else set()


def _one_by_one(
    syncs: Mapping[str, Sync], failed: dict[str, str], *, cluster: str, work: Work, now: datetime
) -> Received:
    """One of them cannot be kept: find out which, so that it does not take the others with it."""
    new: set[str] = set()
    for message, sync in syncs.items():
        try:
            new |= _insert([sync], cluster=cluster, work=work, now=now)
        except (InvalidInput, StorageError) as error:
            failed[message] = str(error)
    return Received(new=frozenset(new), failed=failed)
