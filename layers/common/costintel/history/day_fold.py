"""One day of the cluster turned into a day of each series."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import fsum
from operator import itemgetter

from costintel.cost.amounts import Amounts
from costintel.cost.application import AppRef
from costintel.cost.container import ContainerCost
from costintel.cost.daily import DailyCost
from costintel.cost.day import DayHeader, DayState
from costintel.cost.figure import Idle
from costintel.cost.ownership import Ownership
from costintel.cost.projection import measured_hours
from costintel.history.census import Member
from costintel.history.lists import DayOwnership

Columns = tuple[float, ...]
_columns = itemgetter(*range(9, 15), *range(18, 24))
"""Of a container: the six costs, requested CPU and memory, used CPU and memory, idle CPU and memory cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSums:
    """What an Application's containers of some namespaces add up to; `start` is when the first one ran, None if none did."""

    columns: Columns
    start: int | None
    idle_complete: bool


def day_sums(
    namespaces: Iterable[Iterable[ContainerCost]], ownership: DayOwnership, wanted: Collection[AppRef]
) -> dict[AppRef, OwnSums]:
    """Return what each of `wanted` that cost something cost, from the containers of each namespace."""
    parts: dict[AppRef, list[OwnSums]] = {}
    for containers in namespaces:
        own: dict[AppRef, list[ContainerCost]] = {}
        ownership.owners.split(list(containers), own)
        for application, rows in own.items():
            if application in wanted:
                parts.setdefault(application, []).append(_sums(rows))
    return {application: _together(listed) for application, listed in parts.items()}


def daily_cost(header: DayHeader, member: Member, ownership: Ownership, sums: OwnSums) -> DailyCost:
    """Return an Application's day.

    Measured are the observed hours from the moment it is known, or its first container ran where that is earlier: what ran
    existed. Of volumes that nothing mounts nobody knows since when: they count all day.
    """
    *costs, cpu_requested, ram_requested, cpu_used, ram_used, idle_cpu, idle_ram = sums.columns
    cpu, ram, gpu, storage, network, load_balancer = costs
    return DailyCost(
        application=member.application,
        scope=member.scope,
        day=header.day,
        deployment_namespace=ownership.destination_namespace,
        cost=Amounts(cpu=cpu, ram=ram, gpu=gpu, storage=storage, network=network, load_balancer=load_balancer),
        idle=Idle(cpu=idle_cpu, ram=idle_ram, complete=sums.idle_complete),
        cpu_core_hours_requested=cpu_requested,
        ram_byte_hours_requested=ram_requested,
        cpu_core_hours_used=cpu_used,
        ram_byte_hours_used=ram_used,
        measured_hours=measured_hours(header.observed, _since(header.window.end, member.known_since, sums.start)),
        complete=header.state is DayState.COMPLETE,
        source=header.source.value,
    )


def _since(end: datetime, known_since: datetime, first_row: int | None) -> datetime | None:
    moments = [known_since] if known_since < end else []
    if first_row is not None:
        moments.append(datetime.fromtimestamp(first_row, UTC))
    return min(moments, default=None)


def _sums(rows: Collection[ContainerCost]) -> OwnSums:
    return OwnSums(
        columns=tuple(map(fsum, zip(*map(_columns, rows), strict=True))),
        start=min((row.start for row in rows if row.running), default=None),
        idle_complete=all(row.idle_complete for row in rows),
    )


def _together(parts: Collection[OwnSums]) -> OwnSums:
    if len(parts) == 1:
        return next(iter(parts))
    return OwnSums(
        columns=tuple(map(fsum, zip(*(part.columns for part in parts), strict=True))),
        start=min((part.start for part in parts if part.start is not None), default=None),
        idle_complete=all(part.idle_complete for part in parts),
    )


def rows_of(
    header: DayHeader, members: Mapping[AppRef, Member], ownership: DayOwnership, sums: Mapping[AppRef, OwnSums]
) -> list[DailyCost]:
    """Return the day of each Application that cost something."""
    return [
        daily_cost(header, members[application], ownership.ownerships[application], own)
        for application, own in sums.items()
    ]
