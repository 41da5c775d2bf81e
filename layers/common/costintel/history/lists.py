"""What each Application listed over time, and who owned what on a day."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from costintel.cost.application import AppRef
from costintel.cost.owners import Owners
from costintel.cost.ownership import Ownership
from costintel.history.census import Member
from costintel.storage.record_history import ListedThen

Claim = tuple[str, str, str]
"""Namespace, kind in lower case, name."""


@dataclass(slots=True, kw_only=True)
class Lists:
    """The lists of Applications, each from the moment it held; equal ones that follow each other are one."""

    _of: dict[AppRef, list[ListedThen]] = field(default_factory=dict)

    def add(self, listed: Iterable[ListedThen]) -> None:
        """Take lists, oldest first for each Application; those it had before are replaced."""
        fresh: dict[AppRef, list[ListedThen]] = {}
        for one in listed:
            known = fresh.setdefault(one.application, [])
            if not known or not _is_same(known[-1], one):
                known.append(one)
        self._of.update(fresh)

    def on(self, application: AppRef, end: datetime) -> ListedThen | None:
        """Return what the Application listed when a day ended: what the last record before that says, else the first."""
        known = self._of.get(application, ())
        return next((one for one in reversed(known) if one.finished_at < end), known[0] if known else None)

    def claims(self, application: AppRef) -> set[Claim]:
        """Return everything that the Application ever listed."""
        return {claim for one in self._of.get(application, ()) for claim in _ownership(one).claims()}

    def namespaces(self, applications: Iterable[AppRef]) -> set[str]:
        """Return the namespaces that these Applications ever had something in."""
        listed = (one for application in applications for one in self._of.get(application, ()))
        return {name for one in listed for name in _ownership(one).namespaces}


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOwnership:
    """Who owned what on a day."""

    owners: Owners[AppRef]
    ownerships: Mapping[AppRef, Ownership]


@dataclass(kw_only=True)
class Ownerships:
    """Ownerships day by day. Those of a day are kept for the next one, which mostly has the same."""

    members: Mapping[AppRef, Member]
    lists: Lists
    _last: tuple[tuple[object, ...], DayOwnership] | None = None

    def on(self, end: datetime) -> DayOwnership:
        """Return who owned what on the day that ended at `end`.

        A workload that several listed belongs to one of them: rather to one that listed it by then than to one that was only
        recorded later, rather to one that exists than to one that is gone, then to the oldest; ties by namespace and name.
        """
        held = {name: one for name in self.members if (one := self.lists.on(name, end)) is not None}
        signature = tuple((name, id(one), one.finished_at < end) for name, one in held.items())
        if self._last is None or self._last[0] != signature:
            self._last = (signature, self._made(held, end))
        return self._last[1]

    def _made(self, held: Mapping[AppRef, ListedThen], end: datetime) -> DayOwnership:
        claimed: dict[Claim, AppRef] = {}
        for application in sorted(held, key=lambda name: self._seniority(held[name], end)):
            for claim in _ownership(held[application]).claims():
                claimed.setdefault(claim, application)
        ownerships = {name: _without_foreign(name, one, claimed) for name, one in held.items()}
        return DayOwnership(owners=Owners(ownerships), ownerships=ownerships)

    def _seniority(self, one: ListedThen, end: datetime) -> tuple[bool, bool, datetime, AppRef]:
        member = self.members[one.application]
        return (one.finished_at >= end, member.is_gone, member.age, one.application)


def _without_foreign(application: AppRef, one: ListedThen, claimed: Mapping[Claim, AppRef]) -> Ownership:
    own = _ownership(one)
    foreign = frozenset(claim for claim in own.claims() if claimed[claim] != application)
    if not foreign:
        return own
    return Ownership(destination_namespace=one.destination_namespace, resources=one.resources, foreign=foreign)


def _ownership(one: ListedThen) -> Ownership:
    return Ownership(destination_namespace=one.destination_namespace, resources=one.resources)


def _is_same(one: ListedThen, other: ListedThen) -> bool:
    return (one.destination_namespace, one.resources) == (other.destination_namespace, other.resources)


def sharing(lists: Lists, changed: Sequence[AppRef], others: Iterable[AppRef]) -> Iterator[AppRef]:
    """Yield those of `others` that ever listed a workload that one of `changed` ever listed."""
    claims = {claim for application in changed for claim in lists.claims(application)}
    return (other for other in others if not claims.isdisjoint(lists.claims(other)))
