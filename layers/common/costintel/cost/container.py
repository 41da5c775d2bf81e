"""A container's cost over any number of windows: what hours and days are folded into."""

from collections.abc import Iterable, Iterator
from math import fsum
from typing import NamedTuple

from costintel.cost.allocation import Allocation
from costintel.cost.amounts import Amounts
from costintel.cost.idle import idle_cost


class ContainerCost(NamedTuple):
    """One container (or a namespace's unmounted volumes) folded over the windows of a collection; everything adds up.

    `*_requested` and `*_used` count only rows with a request and measured usage, so that their quotient is an efficiency.
    `idle_complete` is False when some row's usage was not measured: the idle sums are then "at least".
    """

    namespace: str
    pod: str
    container: str
    node: str
    controller_kind: str
    controller: str
    start: int
    end: int
    running_hours: float
    cpu_cost: float
    ram_cost: float
    gpu_cost: float
    storage_cost: float
    network_cost: float
    load_balancer_cost: float
    cpu_core_hours: float
    ram_byte_hours: float
    gpu_hours: float
    cpu_core_hours_requested: float
    ram_byte_hours_requested: float
    cpu_core_hours_used: float
    ram_byte_hours_used: float
    idle_cpu_cost: float
    idle_ram_cost: float
    idle_complete: bool

    @property
    def amounts(self) -> Amounts:
        """Its costs by resource."""
        return Amounts(
            cpu=self.cpu_cost,
            ram=self.ram_cost,
            gpu=self.gpu_cost,
            storage=self.storage_cost,
            network=self.network_cost,
            load_balancer=self.load_balancer_cost,
        )

    @property
    def running(self) -> bool:
        """Whether this is a container and not something nothing uses."""
        return self.running_hours > 0


_SUMMED = slice(8, 24)


def container_cost(row: Allocation) -> ContainerCost:
    """Return one window's row in the additive form, its idle cost computed for that window."""
    idle_cpu = idle_cost(row.cpu_cost, requested=row.cpu_core_hours_requested, used=row.cpu_core_hours_used)
    idle_ram = idle_cost(row.ram_cost, requested=row.ram_byte_hours_requested, used=row.ram_byte_hours_used)
    cpu_used, ram_used = row.cpu_core_hours_used, row.ram_byte_hours_used
    has_cpu = row.cpu_core_hours_requested > 0 and cpu_used is not None
    has_ram = row.ram_byte_hours_requested > 0 and ram_used is not None
    return ContainerCost._make(
        (
            *row[:8],
            row.minutes / 60 if row.running else 0.0,
            *row[8:17],
            row.cpu_core_hours_requested if has_cpu else 0.0,
            row.ram_byte_hours_requested if has_ram else 0.0,
            cpu_used if has_cpu else 0.0,
            ram_used if has_ram else 0.0,
            idle_cpu or 0.0,
            idle_ram or 0.0,
            idle_cpu is not None and idle_ram is not None,
        )
    )


def fold(rows: Iterable[ContainerCost]) -> list[ContainerCost]:
    """Add up rows of the same container over several windows, sorted by namespace, pod and container."""
    groups: dict[tuple[str, str, str], list[ContainerCost]] = {}
    for row in rows:
        groups.setdefault(row[:3], []).append(row)
    return [group[0] if len(group) == 1 else _merged(group) for _, group in sorted(groups.items())]


def _merged(group: list[ContainerCost]) -> ContainerCost:
    named = next((row for row in reversed(group) if row.controller), group[-1])
    return ContainerCost._make(
        (
            *named[:3],
            group[-1].node or named.node,
            named.controller_kind,
            named.controller,
            min(row.start for row in group),
            max(row.end for row in group),
            *_column_sums(group),
            all(row.idle_complete for row in group),
        )
    )


def _column_sums(group: list[ContainerCost]) -> Iterator[float]:
    return map(fsum, zip(*(row[_SUMMED] for row in group), strict=True))
