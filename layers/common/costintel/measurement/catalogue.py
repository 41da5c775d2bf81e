"""Every Application with its current cost, and what no Application owns: one reading of the newest 24 hours."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import starmap
from math import fsum
from typing import Any

from costintel.cost.application import AppRef
from costintel.cost.collection import LiveHeader
from costintel.cost.projection import LEAST_HOURS, measured_hours
from costintel.cost.workload import Workload, WorkloadCost, together
from costintel.measurement.apportioning import apportioned
from costintel.measurement.entries import Age, Entry, UnownedEntry
from costintel.measurement.shares import divide
from costintel.measurement.subject import Subject
from costintel.measurement.sums import Counted, Sum, added

_COST_COLUMNS = range(6)
_IDLE_COLUMNS = (10, 11)
"""Where costs and idle costs stand in the sums of a workload."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """What is known of namespaces: since when each exists, and which cost something before the newest 24 hours."""

    created_at: Mapping[str, datetime]
    cost_before: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The Applications by namespace and name, and what nobody owns by namespace; `header` is None before the first fold.

    The counted amounts of all entries add up to `owned_sum` and `unowned_sum`, and these to `total`, which is the fold's.
    `label_keys` are those that any Application has, sorted. `served` keeps what was made of entries to be served.
    """

    header: LiveHeader | None
    basis_hours: int
    entries: Sequence[Entry]
    unowned: Sequence[UnownedEntry]
    owned_sum: Sum
    unowned_sum: Sum
    total: Sum
    label_keys: Sequence[str]
    served: dict[AppRef, Mapping[str, Any]] = field(default_factory=dict, compare=False)


def make_catalogue(
    header: LiveHeader | None,
    workloads: Sequence[Workload],
    subjects: Sequence[Subject],
    *,
    ages: Ages,
    basis_hours: int,
) -> Catalogue:
    """Divide the fold's workloads among the Applications and make an entry of each."""
    shares = divide(workloads, subjects)
    nobodys = _by_namespace(shares.unowned)
    hours = _Hours(header)
    own = [together(workloads) for workloads in shares.own]
    own_ages = [hours.of(_moments(subject, ages, header), cost) for subject, cost in zip(subjects, own, strict=True)]
    rest = [together(workloads) for workloads in nobodys.values()]
    rest_ages = [
        hours.of(_namespace_moments(name, ages, header), cost) for name, cost in zip(nobodys, rest, strict=True)
    ]
    counted = [
        cost if len(mine) == len(all_of_it) else together(mine)
        for cost, mine, all_of_it in zip(own, shares.counted, shares.own, strict=True)
    ]
    amounts = list(_counted([*counted, *rest], [*own_ages, *rest_ages], basis_hours))
    owned_amounts, unowned_amounts = amounts[: len(subjects)], amounts[len(subjects) :]
    owned_sum, unowned_sum = added(owned_amounts), added(unowned_amounts)
    parts = zip(subjects, shares.own, own, own_ages, owned_amounts, strict=True)
    return Catalogue(
        header=header,
        basis_hours=basis_hours,
        entries=list(starmap(_entry, parts)),
        unowned=[
            UnownedEntry(namespace=name, age=age, counted=amount)
            for name, age, amount in zip(nobodys, rest_ages, unowned_amounts, strict=True)
        ],
        owned_sum=owned_sum,
        unowned_sum=unowned_sum,
        total=owned_sum.plus(unowned_sum),
        label_keys=sorted({key for subject in subjects for key in subject.labels}),
    )


def _entry(subject: Subject, workloads: Sequence[Workload], cost: WorkloadCost, age: Age, counted: Counted) -> Entry:
    return Entry(subject=subject, workloads=workloads, own=cost, cost=fsum(cost.sums[:6]), age=age, counted=counted)


class _Hours:
    """Measured hours of the newest 24, computed once for everything of the same age."""

    def __init__(self, header: LiveHeader | None) -> None:
        self._header = header
        self._hours: dict[datetime, float] = {}

    def of(self, moments: Iterable[datetime | None], cost: WorkloadCost) -> Age:
        """Return the measured hours since the earliest of `moments` before the window's end, or since the first container ran.

        What ran existed, so its first container counts where it is earlier; that alone leaves the age a guess.
        """
        if self._header is None:
            return Age(hours=0.0, is_known=False)
        end = self._header.window.end
        known = min((moment for moment in moments if moment is not None and moment < end), default=None)
        first_row = None if cost.start is None else datetime.fromtimestamp(cost.start, UTC)
        since = min((moment for moment in (known, first_row) if moment is not None), default=None)
        hours = 0.0 if since is None else self._since(self._header, since)
        return Age(hours=hours, is_known=known is not None)

    def _since(self, header: LiveHeader, since: datetime) -> float:
        clamped = max(since, header.window.start)
        if clamped not in self._hours:
            self._hours[clamped] = measured_hours(header.observed, clamped)
        return self._hours[clamped]


def _moments(subject: Subject, ages: Ages, header: LiveHeader | None) -> Iterator[datetime | None]:
    """Yield the moments at which an Application is known to have existed; none for one that is not here."""
    if not subject.is_here:
        return
    yield subject.created_at
    yield subject.first_recorded_at
    if header is not None and subject.last_sync is not None and subject.last_sync.finished_at <= header.window.start:
        yield subject.last_sync.finished_at
    if subject.resources is None:
        yield from _namespace_moments(subject.destination.namespace, ages, header)


def _namespace_moments(namespace: str, ages: Ages, header: LiveHeader | None) -> Iterator[datetime | None]:
    yield ages.created_at.get(namespace)
    if header is not None and namespace in ages.cost_before:
        yield header.window.start


def _by_namespace(workloads: Iterable[Workload]) -> dict[str, list[Workload]]:
    namespaces: dict[str, list[Workload]] = {}
    for workload in workloads:
        namespaces.setdefault(workload.namespace, []).append(workload)
    return dict(sorted(namespaces.items()))


def _counted(costs: Sequence[WorkloadCost], ages: Sequence[Age], basis_hours: int) -> Iterator[Counted]:
    """Yield the amounts of each of `costs`, rounded column by column over all of them."""
    if not costs:
        return
    columns = list(zip(*[cost.sums for cost in costs], strict=True))
    factors = [basis_hours / age.hours if age.hours >= LEAST_HOURS else 0.0 for age in ages]
    cost = [apportioned(columns[column]) for column in _COST_COLUMNS]
    monthly = [apportioned(_multiplied(columns[column], factors)) for column in _COST_COLUMNS]
    idle = [apportioned(columns[column]) for column in _IDLE_COLUMNS]
    for units, factor, one in zip(zip(*cost, *monthly, *idle, strict=True), factors, costs, strict=True):
        yield Counted(units, has_monthly=factor > 0, idle_complete=one.idle_complete)


def _multiplied(amounts: Sequence[float], factors: Sequence[float]) -> list[float]:
    return [amount * factor for amount, factor in zip(amounts, factors, strict=True)]
