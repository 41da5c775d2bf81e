"""Compare a complete live list with what is known, and write down what follows; the measuring service's tick does it.

Argo CD's notifications lose syncs: they make us fast, the list makes us complete.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from costintel.argocd.destination import DestinationRules
from costintel.argocd.notification import OTHER_CLUSTER
from costintel.cluster.classification import MEASURED
from costintel.collection.rfc3339 import text_of
from costintel.cost.application import AppRef
from costintel.cost.live import ListOutcome, LiveApplication, LiveSync
from costintel.cost.sync import sync_id
from costintel.cost.window import CLOCK_TOLERANCE, Window
from costintel.measurement.adoption import adoptions
from costintel.measurement.correction import Adoption, Correction, contradicts
from costintel.measurement.listed import class_of, listed_syncs, newest_listed, sync_of
from costintel.measurement.task import RECONCILIATION, new_payload
from costintel.storage.known_syncs import KnownSync, KnownSyncs
from costintel.storage.records import Records
from costintel.storage.work import CORRECTION, INSTALL, PRUNE, Work

_AT_ONCE = 200
"""Syncs written by one statement: each carries what its Application lists."""

Adopted = Mapping[AppRef, Mapping[str, LiveSync]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a list has by class, and how much of each kind of work is new."""

    classes: Mapping[str, int]
    missed: int
    installs: int
    corrections: int
    prunes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The syncs that are known: all that wait, the newest of each Application, and those whose finish is not known.

    `newest` has a sync that waits and is recorded twice, because the two may differ.
    """

    waiting: frozenset[str]
    newest: Mapping[AppRef, Sequence[KnownSync]]
    undated: Sequence[KnownSync]


@dataclass(frozen=True, kw_only=True)
class Reconciliation:
    """What a complete list means for records and work. `access` is the access Application."""

    cluster: str
    destinations: DestinationRules
    access: AppRef | None
    prunes_remote: bool
    work: Work
    records: Records
    known_syncs: KnownSyncs

    def compare(self, listed: ListOutcome[LiveApplication], *, first_complete_at: datetime) -> Findings:
        """Write the rows of `work` that follow from a complete list, the first of which ever was begun at `first_complete_at`.

        What finished before that is not looked for: the install covers it. Raises StorageError; the next list does it again.
        """
        classes: dict[str, list[LiveApplication]] = {}
        for application in listed.items:
            found_as = class_of(application, rules=self.destinations, access=self.access)
            classes.setdefault(found_as, []).append(application)
        local = {one.application: one for one in classes.get(MEASURED, ())}
        known = self._known()
        adopted = adoptions(local, known.undated)
        period = Window(first_complete_at.replace(microsecond=0), listed.listed_at + CLOCK_TOLERANCE)
        missed = self._missed(local.values(), known, adopted, period)
        new = self._remember(missed, listed.listed_at)
        synced = {application for application, (one, *_) in known.newest.items() if not one.is_install}
        synced |= {application.application for application, _ in missed.values()}
        remote = {one.application for one in classes.get(OTHER_CLUSTER, ())}
        return Findings(
            classes={name: len(found) for name, found in sorted(classes.items())},
            missed=new,
            corrections=self._correct(local, known, adopted, listed.listed_at),
            installs=self._install(local, known, synced, listed.listed_at),
            prunes=self._prune(remote & set(known.newest), listed.listed_at),
        )

    def _known(self) -> _Known:
        waiting = self.known_syncs.waiting(self.cluster)
        newest = {one.application: [one] for one in self.known_syncs.newest_recorded(self.cluster)}
        for one in waiting:
            former = newest.get(one.application, [])
            if one.id in {known.id for known in former}:
                newest[one.application] = [*former, one]
            elif all(known.is_install or one.finished_at > known.finished_at for known in former):
                newest[one.application] = [one]
        recorded_undated = self.known_syncs.with_unknown_finish(self.cluster)
        undated = {one.id: one for one in (*recorded_undated, *waiting) if not one.finished_at_known}
        return _Known(waiting=frozenset(one.id for one in waiting), newest=newest, undated=list(undated.values()))

    def _missed(
        self, applications: Iterable[LiveApplication], known: _Known, adopted: Adopted, period: Window
    ) -> dict[str, tuple[LiveApplication, LiveSync]]:
        """Return the listed syncs of a period that nobody told of, by id, except those whose id another is about to take over."""
        listed = {
            sync_id(self.cluster, one.application, sync.finished_at): (one, sync)
            for one in applications
            for sync in listed_syncs(one)
            if period.start <= sync.finished_at < period.end and sync not in adopted.get(one.application, {}).values()
        }
        candidates = [sync_key for sync_key in listed if sync_key not in known.waiting]
        recorded = self.records.ids(self.cluster, candidates) if candidates else set()
        return {sync_key: listed[sync_key] for sync_key in candidates if sync_key not in recorded}

    def _remember(self, missed: Mapping[str, tuple[LiveApplication, LiveSync]], listed_at: datetime) -> int:
        new = 0
        remaining = iter(missed.items())
        while batch := list(islice(remaining, _AT_ONCE)):
            payloads = {
                sync_key: new_payload(
                    sync_of(self.cluster, application, sync, listed_at=listed_at), found_by=RECONCILIATION
                )
                for sync_key, (application, sync) in batch
            }
            new += len(self.work.insert_syncs(self.cluster, payloads, listed_at))
        return new

    def _correct(
        self, local: Mapping[AppRef, LiveApplication], known: _Known, adopted: Adopted, listed_at: datetime
    ) -> int:
        payloads = {
            str(application): correction.payload for application, correction in self._corrections(local, known, adopted)
        }
        if payloads:
            self.work.put_many(self.cluster, CORRECTION, payloads, listed_at)
        return len(payloads)

    def _corrections(
        self, local: Mapping[AppRef, LiveApplication], known: _Known, adopted: Adopted
    ) -> Iterator[tuple[AppRef, Correction]]:
        for application, live in local.items():
            taken = {
                old: Adoption.of(self.cluster, application, sync) for old, sync in adopted.get(application, {}).items()
            }
            contradicted = self._contradicted(live, known.newest.get(application, ()), taken)
            if taken or contradicted is not None:
                yield application, Correction(adoptions=taken, contradicted=contradicted)

    def _contradicted(
        self, live: LiveApplication, newest: Sequence[KnownSync], taken: Mapping[str, Adoption]
    ) -> str | None:
        """Return the id of the newest known sync if the list, which knows no newer one, says something else than it."""
        listed = newest_listed(live)
        if not newest or newest[0].is_install or listed is None:
            return None
        told = newest[0].id
        known_id = taken[told].id if told in taken else told
        is_same = known_id == sync_id(self.cluster, live.application, listed.finished_at)
        return known_id if is_same and any(contradicts(live, one) for one in newest) else None

    def _install(
        self, local: Mapping[AppRef, LiveApplication], known: _Known, synced: set[AppRef], listed_at: datetime
    ) -> int:
        """Keep a row for each Application without a sync that has no record, or an install's that is not good any more.

        An install's that is not good yet, because it is too young, has its row still.
        """
        existing = {item.subject for item in self.work.all(self.cluster, INSTALL)}
        open_ones = {
            str(application)
            for application, live in local.items()
            if not live.deleting and application not in synced
            if str(application) in existing or not _is_installed(live, known.newest.get(application, ()))
        }
        return self._replace(INSTALL, open_ones, existing, listed_at)

    def _prune(self, remote: set[AppRef], listed_at: datetime) -> int:
        existing = {item.subject for item in self.work.all(self.cluster, PRUNE)}
        wanted = {str(application) for application in remote} if self.prunes_remote else set[str]()
        return self._replace(PRUNE, wanted, existing, listed_at)

    def _replace(self, kind: str, wanted: set[str], existing: set[str], listed_at: datetime) -> int:
        """Make the rows of `kind` those of `wanted`, leaving those that exist as they are; return how many are new."""
        if gone := sorted(existing - wanted):
            self.work.delete(self.cluster, kind, gone)
        fresh = sorted(wanted - existing)
        if not fresh:
            return 0
        payload = {"listedAt": text_of(listed_at)}
        return len(self.work.insert_many(self.cluster, kind, dict.fromkeys(fresh, payload), listed_at))


def _is_installed(live: LiveApplication, newest: Sequence[KnownSync]) -> bool:
    """Whether an install's record says what the list does, e.g. not that of an Application that had not been compared yet."""
    return bool(newest) and not contradicts(live, newest[0])
