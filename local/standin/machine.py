"""Nodes as assets: what a machine costs, and how much of it the system keeps."""

from dataclasses import dataclass

from local.standin.asset import IDLE_BREAKDOWN, Asset, Json
from local.standin.model import BYTES_PER_GIB, Node, Source
from local.standin.price import NodePrice, node_price
from local.standin.sampling import is_sampled
from local.standin.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedNode:
    """A node in a window.

    `is_ghost`: its last price sample lies before the window (trap T46). `has_size`: kube-state-metrics told how big it
    is; if not, OpenCost counts one core and no memory (measured, trap T43).
    """

    node: Node
    start: float
    end: float
    price: NodePrice
    is_ghost: bool
    has_size: bool

    @property
    def hours(self) -> float:
        """How long it was observed."""
        return (self.end - self.start) / 3600

    @property
    def cpu_cores(self) -> float:
        """Known cores."""
        return self.node.cpu_cores if self.has_size else 0.0

    @property
    def ram_bytes(self) -> float:
        """Known memory."""
        return self.node.ram_bytes if self.has_size else 0.0

    @property
    def gpus(self) -> int:
        """Known GPUs."""
        return 0 if self.is_ghost else self.node.gpus

    @property
    def cpu_cost(self) -> float:
        """Before the discount."""
        return 0.0 if self.is_ghost else (self.cpu_cores or 1.0) * self.hours * self.price.cpu_core

    @property
    def ram_cost(self) -> float:
        """Before the discount."""
        return self.ram_bytes / BYTES_PER_GIB * self.hours * self.price.ram_gib

    @property
    def gpu_cost(self) -> float:
        """Never discounted."""
        return self.gpus * self.hours * self.price.gpu

    @property
    def total_cost(self) -> float:
        """After the discount."""
        return (self.cpu_cost + self.ram_cost) * (1 - self.node.discount) + self.gpu_cost

    def overhead(self) -> Json | None:
        """Give what the system keeps, as fractions; null without cost, zeros while the size is unknown."""
        if not self.total_cost:
            return None
        if not self.has_size:
            return {"CpuOverheadFraction": 0, "RamOverheadFraction": 0, "OverheadCostFraction": 0}
        cpu = 1 - self.node.allocatable_cpu_cores / self.node.cpu_cores
        ram = 1 - self.node.allocatable_ram_bytes / self.node.ram_bytes
        kept = cpu * self.cpu_cost + ram * self.ram_cost
        return {
            "CpuOverheadFraction": cpu,
            "RamOverheadFraction": ram,
            "OverheadCostFraction": kept / self.total_cost,
        }


def observed_nodes(view: View) -> list[ObservedNode]:
    """Give the nodes OpenCost has a price for, in the window."""
    return [seen for node in view.index.model.nodes if (seen := _observed(node, view))]


def _observed(node: Node, view: View) -> ObservedNode | None:
    priced = view.series(node.start_seconds, node.end_seconds, Source.OPENCOST)
    span = view.span(priced)
    if span is None:
        return None
    sized = view.series(node.start_seconds, node.end_seconds, Source.KUBE_STATE_METRICS)
    is_ghost = not is_sampled(priced, view.window)
    return ObservedNode(
        node=node,
        start=span[0],
        end=span[1],
        price=node_price(node, view),
        is_ghost=is_ghost,
        has_size=not is_ghost and is_sampled(sized, view.window),
    )


def node_asset(seen: ObservedNode, view: View) -> Asset:
    """Give the Node asset; sizes are null when it was observed for no time at all."""
    fields: Json = {
        "nodeType": "" if seen.is_ghost else seen.node.instance_type,
        "cpuCores": float(seen.cpu_cores) if seen.hours else None,
        "ramBytes": float(seen.ram_bytes) if seen.hours else None,
        "cpuCoreHours": seen.cpu_cores * seen.hours,
        "ramByteHours": seen.ram_bytes * seen.hours,
        "GPUHours": seen.gpus * seen.hours,
        "cpuBreakdown": IDLE_BREAKDOWN,
        "ramBreakdown": IDLE_BREAKDOWN,
        "preemptible": float(seen.node.spot and not seen.is_ghost),
        "discount": float(seen.node.discount),
        "cpuCost": seen.cpu_cost,
        "gpuCost": seen.gpu_cost,
        "gpuCount": float(seen.gpus) if seen.hours else None,
        "ramCost": seen.ram_cost,
        "adjustment": 0.0,
        "overhead": seen.overhead(),
        "totalCost": seen.total_cost,
    }
    model = view.index.model
    return Asset(
        kind="Node",
        cluster=model.cluster_id,
        provider=model.provider,
        name=seen.node.name,
        provider_id=seen.node.provider_id,
        start=seen.start,
        end=seen.end,
        labels=view.index.node_labels[seen.node.name] if seen.has_size else None,
        fields=fields,
    )
