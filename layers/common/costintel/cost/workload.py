"""What a whole controller cost: containers added up, so that a cluster of them can be told apart quickly."""

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any, NamedTuple

from costintel.cost.amounts import Amounts
from costintel.cost.container import ContainerCost
from costintel.cost.figure import Efficiency, Idle
from costintel.cost.idle import efficiency

Row = Sequence[Any]
"""The fields of a ContainerCost after its namespace, as they are stored."""
Sums = tuple[float, ...]
"""Costs in the order of the resources, requested CPU and memory, used CPU and memory, idle CPU and memory cost."""

_PLACE = {name: place - 1 for place, name in enumerate(ContainerCost._fields)}
_POD, _KIND, _CONTROLLER = _PLACE["pod"], _PLACE["controller_kind"], _PLACE["controller"]
_START, _RUNNING_HOURS, _IDLE_COMPLETE = _PLACE["start"], _PLACE["running_hours"], _PLACE["idle_complete"]
_COSTS = slice(_PLACE["cpu_cost"], _PLACE["load_balancer_cost"] + 1)
_USAGE = slice(_PLACE["cpu_core_hours_requested"], _PLACE["idle_ram_cost"] + 1)


class WorkloadCost(NamedTuple):
    """What one workload, or several together, cost; `start` is when the first container ran, in seconds, None if none did.

    A tuple, like a container, because a cluster has tens of thousands.
    """

    sums: Sums
    start: int | None
    idle_complete: bool

    @property
    def amounts(self) -> Amounts:
        """Costs by resource."""
        cpu, ram, gpu, storage, network, load_balancer = self.sums[:6]
        return Amounts(cpu=cpu, ram=ram, gpu=gpu, storage=storage, network=network, load_balancer=load_balancer)

    @property
    def idle(self) -> Idle:
        """Workload idle."""
        return Idle(cpu=self.sums[10], ram=self.sums[11], complete=self.idle_complete)

    @property
    def efficiency(self) -> Efficiency:
        """Used / requested."""
        cpu_requested, ram_requested, cpu_used, ram_used = self.sums[6:10]
        return Efficiency(cpu=efficiency(cpu_used, cpu_requested), ram=efficiency(ram_used, ram_requested))


class Workload(NamedTuple):
    """The containers of one controller, of one pod without a known controller, or a namespace's unmounted volumes.

    Every container of a workload has the same owners. `pod` is one of `pods`, which are empty for what never ran.
    """

    namespace: str
    pod: str
    controller_kind: str
    controller: str
    pods: frozenset[str]
    cost: WorkloadCost

    @property
    def running(self) -> bool:
        """Whether these are containers and not something nothing uses."""
        return self.cost.start is not None


NOTHING = WorkloadCost((0.0,) * 12, start=None, idle_complete=True)


def workloads(namespace: str, rows: Iterable[Row]) -> list[Workload]:
    """Add up a namespace's containers that have the same owners, whatever these are, in the order in which they first come."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(_key(row), []).append(row)
    return [_workload(namespace, group) for group in groups.values()]


def together(parts: Sequence[Workload]) -> WorkloadCost:
    """Return what `parts` cost together."""
    if not parts:
        return NOTHING
    if len(parts) == 1:
        return parts[0].cost
    costs = [part.cost for part in parts]
    return WorkloadCost(
        sums=_added([cost.sums for cost in costs]),
        start=min((cost.start for cost in costs if cost.start is not None), default=None),
        idle_complete=all(cost.idle_complete for cost in costs),
    )


def _key(row: Row) -> tuple[str, ...]:
    """Return what decides the owners of a container.

    The name of a Job's pod decides, too, when the Job is one of several that OpenCost gives one name; whatever did not run
    belongs to its namespace, whatever it is called.
    """
    if not row[_RUNNING_HOURS] > 0:
        return ()
    kind, controller = row[_KIND], row[_CONTROLLER]
    if not controller or kind.lower() == "job":
        return (kind, controller, row[_POD])
    return (kind, controller)


def _workload(namespace: str, rows: list[Row]) -> Workload:
    first = rows[0]
    is_running = first[_RUNNING_HOURS] > 0
    cost = WorkloadCost(
        sums=_added([(*row[_COSTS], *row[_USAGE]) for row in rows]),
        start=min(row[_START] for row in rows) if is_running else None,
        idle_complete=all(row[_IDLE_COMPLETE] for row in rows),
    )
    pods = frozenset(row[_POD] for row in rows) if is_running else frozenset()
    return Workload(namespace, first[_POD], first[_KIND], first[_CONTROLLER], pods, cost)


def _added(sums: list[Sums]) -> Sums:
    return sums[0] if len(sums) == 1 else tuple(map(fsum, zip(*sums, strict=True)))
