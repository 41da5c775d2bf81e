"""Which Applications have a series: those with a record that deploy to this cluster, whether they still exist or not."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from costintel.argocd.destination import DestinationRules
from costintel.argocd.gate import ACCESS_LABEL
from costintel.cost.application import AppRef
from costintel.storage.live_lists import APPLICATIONS, LiveLists, LiveListStatus
from costintel.storage.record_history import RecordedApplication, RecordHistory

ACCESS = "access application"
OTHER_CLUSTER = "other cluster"
_TRUSTED_FOR = timedelta(hours=1)
"""A list is made every five minutes; one that is much older says little about now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An Application that has a series. `is_gone`: the last complete list does not have it any more."""

    application: AppRef
    is_whole: bool
    age: datetime
    known_since: datetime
    is_gone: bool

    @property
    def scope(self) -> str:
        """`application` or `namespace`."""
        return "namespace" if self.is_whole else "application"


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """The members by Application, why others are none, and whether the list of Applications can be trusted.

    Without a trusted list nobody is taken for gone: everything is folded. `warning` says what is wrong with it; empty when
    nothing is, or when Applications are not listed at all.
    """

    members: Mapping[AppRef, Member]
    skipped: Mapping[str, int]
    is_trusted: bool
    warning: str


@dataclass(frozen=True, kw_only=True)
class CensusTaker:
    """Reads who has a series. `access` is the access Application, which costs nothing."""

    cluster: str
    destinations: DestinationRules
    access: AppRef | None
    records: RecordHistory
    lists: LiveLists

    def take(self, now: datetime, named: Collection[AppRef] | None = None) -> Census:
        """Return the Applications, or those of `named`, as they are known now. Raises StorageError."""
        status = self.lists.status(self.cluster, APPLICATIONS)
        was_listed = status is not None and status.last_complete_at is not None
        recorded = self.records.applications(self.cluster, access_label=ACCESS_LABEL, named=named)
        reasons = {one.application: self._reason(one) for one in recorded}
        warning = _warning(status, now)
        return Census(
            members={
                one.application: _member(one, was_listed=was_listed) for one in recorded if not reasons[one.application]
            },
            skipped=Counter(reason for reason in reasons.values() if reason),
            is_trusted=was_listed and not warning,
            warning=warning,
        )

    def _reason(self, one: RecordedApplication) -> str:
        if one.is_access or one.application == self.access:
            return ACCESS
        return "" if self.destinations.is_local(one.live_destination or one.destination) else OTHER_CLUSTER


def _member(one: RecordedApplication, *, was_listed: bool) -> Member:
    return Member(
        application=one.application,
        is_whole=one.is_whole,
        age=one.created_at or one.first_recorded_at,
        known_since=min(one.created_at or one.first_recorded_at, one.first_recorded_at),
        is_gone=was_listed and one.live_destination is None,
    )


def _warning(status: LiveListStatus | None, now: datetime) -> str:
    if status is None:
        return ""
    if not status.complete:
        return "the list of Applications failed: all are folded, none is forgotten"
    if now - status.listed_at > _TRUSTED_FOR:
        return "the list of Applications is old: all are folded, none is forgotten"
    return ""
