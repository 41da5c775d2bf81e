"""Workloads that two Applications list: each counts at one of them, the older."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from costintel.cost.application import AppRef
from costintel.cost.ownership import Ownership
from costintel.cost.sync import Sync
from costintel.measurement.task import SyncTask
from costintel.storage.records import Records
from costintel.storage.work import Work

Claim = tuple[str, str, str]
"""Namespace, kind in lower case, name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A workload that several Applications list, and the one it counts for."""

    claim: Claim
    owner: AppRef


@dataclass(kw_only=True)
class Attribution:
    """Who lists what, as far as the newest sync of each Application tells."""

    cluster: str
    records: Records
    claimants: dict[Claim, dict[AppRef, Sync]] = field(default_factory=dict)
    _ages: dict[AppRef, datetime] = field(default_factory=dict)

    def ownership(self, sync: Sync) -> Ownership:
        """Return what `sync`'s Application owns: what it lists, less what an older Application lists too."""
        own = _ownership(sync)
        contests = self._contests(own, sync)
        foreign = frozenset(contest.claim for contest in contests if contest.owner != sync.application)
        return Ownership(destination_namespace=own.destination_namespace, resources=own.resources, foreign=foreign)

    def contests(self, sync: Sync) -> list[Contest]:
        """Return the workloads that `sync`'s Application and another one list, sorted."""
        return sorted(self._contests(_ownership(sync), sync), key=lambda contest: contest.claim)

    def _contests(self, own: Ownership, sync: Sync) -> Iterator[Contest]:
        for claim in dict.fromkeys(own.claims()):
            listed_by = {**self.claimants.get(claim, {}), sync.application: sync}
            if len(listed_by) > 1:
                yield Contest(claim=claim, owner=min(listed_by.values(), key=self._seniority).application)

    def _seniority(self, sync: Sync) -> tuple[datetime, str, str]:
        return (self._age(sync), sync.application.namespace, sync.application.name)

    def _age(self, sync: Sync) -> datetime:
        """Return when the Application was created; if its notifications do not say, when it was first recorded."""
        if sync.created_at is not None:
            return sync.created_at
        if sync.application not in self._ages:
            first = self.records.earliest_with_destination(self.cluster, sync.application, sync.destination)
            self._ages[sync.application] = sync.finished_at if first is None else first.sync.finished_at
        return min(self._ages[sync.application], sync.finished_at)


def read_attribution(
    cluster: str, records: Records, work: Work, syncs: Iterable[Sync], *, others: Iterable[Sync] = ()
) -> Attribution:
    """Read who else lists workloads in the namespaces that `syncs` touch: recorded syncs, those still waiting, and `others`."""
    namespaces = {name for sync in syncs if sync.resources for name in _ownership(sync).namespaces}
    attribution = Attribution(cluster=cluster, records=records)
    if not namespaces:
        return attribution
    recorded = records.newest_syncs(cluster, sorted(namespaces))
    for sync in _newest([*others, *recorded, *pending_syncs(cluster, work)]):
        for claim in _ownership(sync).claims():
            if claim[0] in namespaces:
                attribution.claimants.setdefault(claim, {})[sync.application] = sync
    return attribution


def pending_syncs(cluster: str, work: Work) -> list[Sync]:
    """Return the syncs that have no record yet; what was measured once speaks through its record."""
    return [SyncTask.of(item).sync for item in work.unrecorded_syncs(cluster)]


def _newest(syncs: Iterable[Sync]) -> Iterable[Sync]:
    newest: dict[AppRef, Sync] = {}
    for sync in sorted(syncs, key=lambda one: one.finished_at):
        newest[sync.application] = sync
    return newest.values()


def _ownership(sync: Sync) -> Ownership:
    return Ownership(destination_namespace=sync.destination.namespace, resources=sync.resources)
