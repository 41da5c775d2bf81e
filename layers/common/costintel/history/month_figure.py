"""A figure as it was stored, brought to a month, so that two of them can be compared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from costintel.cost.change import ControllerUse, controller_uses
from costintel.cost.container import ContainerCost
from costintel.cost.projection import Confidence
from costintel.cost.sync import FigureDocument

_PODS = frozenset({"pods", "podsTotal"})
_COSTS = ("cpu", "ram", "gpu", "storage", "network", "loadBalancer")


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthFigure:
    """A stored figure without its pods, and what its controllers use in a month.

    `uses` is None when there is no month of it, or not every pod is listed: no part of a change can be told then.
    """

    summary: Mapping[str, Any]
    uses: tuple[ControllerUse, ...] | None

    @property
    def monthly_cost(self) -> float | None:
        """Cost of a month, None with too little data."""
        monthly = self.summary["monthly"]
        return None if monthly is None else float(monthly["total"])

    @property
    def is_full(self) -> bool:
        """Whether it is good enough to compare a later one with."""
        return bool(self.summary["confidence"] == Confidence.FULL.value)

    def is_comparable(self, other: "MonthFigure") -> bool:
        """Whether both are of one scope."""
        return bool(self.summary["scope"] == other.summary["scope"])

    def has_basis_of(self, other: "MonthFigure") -> bool:
        """Whether the month of both has the same length."""
        return bool(self.summary["basisHours"] == other.summary["basisHours"])


def month_figure(document: FigureDocument | None) -> MonthFigure | None:
    """Read a stored figure; None for none."""
    if document is None:
        return None
    is_whole = document["scope"] == "application" and len(document["pods"]) >= document["podsTotal"]["count"]
    return MonthFigure(
        summary={name: member for name, member in document.items() if name not in _PODS},
        uses=tuple(controller_uses(_month_rows(document))) if is_whole and document["monthly"] is not None else None,
    )


def _month_rows(document: FigureDocument) -> Iterator[ContainerCost]:
    """Yield the containers with a month's hours and costs: each resource's costs add up to its stored month."""
    cost, monthly = document["cost"], document["monthly"]
    scales = [monthly[name] / cost[name] if cost[name] else 0.0 for name in _COSTS]
    month = document["basisHours"] / document["measuredHours"]
    for pod in document["pods"]:
        for container in pod["containers"]:
            costs = [container["cost"][name] * scale for name, scale in zip(_COSTS, scales, strict=True)]
            yield _row(pod, container, costs, month)


def _row(pod: Mapping[str, Any], container: Mapping[str, Any], costs: list[float], month: float) -> ContainerCost:
    cpu, ram, gpu, storage, network, load_balancer = costs
    return ContainerCost(
        namespace=pod["namespace"],
        pod=pod["pod"],
        container=container["container"],
        node="",
        controller_kind=pod["controllerKind"],
        controller=pod["controller"],
        start=0,
        end=0,
        running_hours=container["runningHours"] * month,
        cpu_cost=cpu,
        ram_cost=ram,
        gpu_cost=gpu,
        storage_cost=storage,
        network_cost=network,
        load_balancer_cost=load_balancer,
        cpu_core_hours=container["cpuCoreHours"] * month,
        ram_byte_hours=container["ramByteHours"] * month,
        gpu_hours=container["gpuHours"] * month,
        # A document does not say these, and a change needs none of them.
        cpu_core_hours_requested=0.0,
        ram_byte_hours_requested=0.0,
        cpu_core_hours_used=0.0,
        ram_byte_hours_used=0.0,
        idle_cpu_cost=0.0,
        idle_ram_cost=0.0,
        idle_complete=False,
    )
