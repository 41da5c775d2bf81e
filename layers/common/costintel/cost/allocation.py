"""OpenCost's row for one container in one window, in additive units."""

from math import fsum
from typing import NamedTuple

UNMOUNTED = "__unmounted__"
"""OpenCost's name for volumes and load balancers that no running container uses."""


class LoadBalancerShare(NamedTuple):
    """What of one load balancer a row carries."""

    service: str
    """`namespace/service`."""
    cost: float


class Allocation(NamedTuple):
    """What one container (or a namespace's unmounted volumes) used and cost in one window.

    A tuple, because a cluster has tens of thousands an hour. Averages are already turned into additive core-hours and
    byte-hours: requests and memory with the row's minutes, CPU usage with the window's hours, because OpenCost averages it
    over the whole window and not over the container's life. `None` usage was not measured, which is not zero.
    """

    namespace: str
    pod: str
    container: str
    node: str
    controller_kind: str
    """Lower case; empty when OpenCost knows none."""
    controller: str
    start: int
    """Seconds since the epoch."""
    end: int
    cpu_cost: float = 0.0
    ram_cost: float = 0.0
    gpu_cost: float = 0.0
    storage_cost: float = 0.0
    network_cost: float = 0.0
    load_balancer_cost: float = 0.0
    cpu_core_hours: float = 0.0
    """Allocated: the larger of request and usage."""
    ram_byte_hours: float = 0.0
    gpu_hours: float = 0.0
    cpu_core_hours_requested: float = 0.0
    ram_byte_hours_requested: float = 0.0
    cpu_core_hours_used: float | None = None
    ram_byte_hours_used: float | None = None
    load_balancers: tuple[LoadBalancerShare, ...] = ()

    @property
    def running(self) -> bool:
        """Whether this is a container and not storage or a load balancer that nothing uses."""
        return self.container != UNMOUNTED

    @property
    def minutes(self) -> float:
        """Minutes from its first to its last sample."""
        return (self.end - self.start) / 60

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same container in the next window."""
        return (self.namespace, self.pod, self.container)

    @property
    def total_cost(self) -> float:
        """Sum of its costs."""
        return fsum(self[8:14])


def lengthened(row: Allocation, *, start: int, factor: float) -> Allocation:
    """Return `row` starting at `start` with everything that grows with time times `factor`; network and CPU usage stay."""
    used = row.ram_byte_hours_used
    return row._replace(
        start=start,
        cpu_cost=row.cpu_cost * factor,
        ram_cost=row.ram_cost * factor,
        gpu_cost=row.gpu_cost * factor,
        storage_cost=row.storage_cost * factor,
        cpu_core_hours=row.cpu_core_hours * factor,
        ram_byte_hours=row.ram_byte_hours * factor,
        gpu_hours=row.gpu_hours * factor,
        cpu_core_hours_requested=row.cpu_core_hours_requested * factor,
        ram_byte_hours_requested=row.ram_byte_hours_requested * factor,
        ram_byte_hours_used=None if used is None else used * factor,
    )
