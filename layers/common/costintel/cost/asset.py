"""What the cluster is made of and pays for: nodes, disks, load balancers, the control plane."""

from dataclasses import dataclass
from enum import StrEnum


class AssetType(StrEnum):
    """The kinds of asset OpenCost lists."""

    NODE = "Node"
    DISK = "Disk"
    LOAD_BALANCER = "LoadBalancer"
    CONTROL_PLANE = "ClusterManagement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One asset in one window; costs are those of the window.

    `cpu_cost`, `ram_cost` and `gpu_cost` are set for nodes and stand before `discount`, a fraction that holds for CPU and
    memory only. `*_overhead_fraction` is the part of the node that is not allocatable (the system's), None if unknown.
    """

    type: AssetType
    name: str
    start: int
    end: int
    minutes: float
    total_cost: float
    cpu_cost: float = 0.0
    ram_cost: float = 0.0
    gpu_cost: float = 0.0
    discount: float = 0.0
    cpu_core_hours: float = 0.0
    ram_byte_hours: float = 0.0
    gpu_hours: float = 0.0
    byte_hours: float = 0.0
    cpu_overhead_fraction: float | None = None
    ram_overhead_fraction: float | None = None
    node_type: str = ""
    provider_id: str = ""
    spot: bool = False
    local: bool = False
    """A node's own root disk."""
    storage_class: str = ""
    claim: str = ""
    """`namespace/claim` of a disk; empty when nothing claims it."""

    @property
    def cpu_price(self) -> float | None:
        """Price of a core-hour after discount; None without core-hours."""
        return self.cpu_cost * (1 - self.discount) / self.cpu_core_hours if self.cpu_core_hours else None

    @property
    def ram_price(self) -> float | None:
        """Price of a byte-hour after discount; None without byte-hours."""
        return self.ram_cost * (1 - self.discount) / self.ram_byte_hours if self.ram_byte_hours else None

    @property
    def gpu_price(self) -> float | None:
        """Price of a GPU-hour; discounts do not touch it; None without GPU-hours."""
        return self.gpu_cost / self.gpu_hours if self.gpu_hours else None
