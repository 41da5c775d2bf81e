"""What a sync changed: two windows of one application compared, and the difference taken apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from costintel.cost.container import ContainerCost

_COMPUTE = ("cpu", "ram", "gpu")
Controller = tuple[str, str, str]
"""Namespace, kind, name; a pod without controller stands for itself under kind `pod`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerUse:
    """What one controller's pods used and cost in a window.

    `allocated` and `cost` are by compute resource: core-hours, byte-hours, GPU-hours, and money.
    """

    controller: Controller
    pod_hours: float
    allocated: Mapping[str, float]
    cost: Mapping[str, float]
    storage: float = 0.0
    network: float = 0.0
    load_balancer: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeParts:
    """A difference of monthly costs by cause; `total` is their exact sum."""

    replicas: float = 0.0
    size: float = 0.0
    price: float = 0.0
    added: float = 0.0
    removed: float = 0.0
    storage: float = 0.0
    network: float = 0.0
    load_balancer: float = 0.0

    @property
    def total(self) -> float:
        """Sum of the parts."""
        return fsum(self.parts().values())

    def parts(self) -> dict[str, float]:
        """Return the parts by name."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change of a monthly cost between two windows, whole and per controller."""

    parts: ChangeParts
    controllers: Mapping[Controller, ChangeParts] = field(default_factory=dict)


def controller_uses(containers: Iterable[ContainerCost]) -> list[ControllerUse]:
    """Add up containers per controller. A pod's hours are those of its longest-running container."""
    groups: dict[Controller, list[ContainerCost]] = {}
    for row in containers:
        groups.setdefault(_controller(row), []).append(row)
    return [_use(controller, rows) for controller, rows in sorted(groups.items())]


def _controller(row: ContainerCost) -> Controller:
    return (row.namespace, row.controller_kind, row.controller) if row.controller else (row.namespace, "pod", row.pod)


def _use(controller: Controller, rows: Sequence[ContainerCost]) -> ControllerUse:
    pod_hours: dict[str, float] = {}
    for row in rows:
        pod_hours[row.pod] = max(pod_hours.get(row.pod, 0.0), row.running_hours)
    return ControllerUse(
        controller=controller,
        pod_hours=fsum(pod_hours.values()),
        allocated={
            "cpu": fsum(row.cpu_core_hours for row in rows),
            "ram": fsum(row.ram_byte_hours for row in rows),
            "gpu": fsum(row.gpu_hours for row in rows),
        },
        cost={
            "cpu": fsum(row.cpu_cost for row in rows),
            "ram": fsum(row.ram_cost for row in rows),
            "gpu": fsum(row.gpu_cost for row in rows),
        },
        storage=fsum(row.storage_cost for row in rows),
        network=fsum(row.network_cost for row in rows),
        load_balancer=fsum(row.load_balancer_cost for row in rows),
    )


def change(before: Sequence[ControllerUse], after: Sequence[ControllerUse], *, scales: tuple[float, float]) -> Change:
    """Compare two windows. `scales` turn each window's amounts into a month's: basis hours / measured hours.

    Per controller and compute resource, with n pods, a allocated per pod and p price per allocated unit: replicas
    (n1-n0) a0 p0, size n1 (a1-a0) p0, price n1 a1 (p1-p0). A controller that only one window has counts whole. The parts add
    up to the difference of the monthly costs exactly.
    """
    old = {use.controller: _scaled(use, scales[0]) for use in before}
    new = {use.controller: _scaled(use, scales[1]) for use in after}
    parts = {key: _compared(old.get(key), new.get(key)) for key in sorted(old.keys() | new.keys())}
    names = ChangeParts.__slots__
    total = ChangeParts(**{name: fsum(getattr(one, name) for one in parts.values()) for name in names})
    return Change(parts=total, controllers=parts)


def _scaled(use: ControllerUse, scale: float) -> ControllerUse:
    return replace(
        use,
        pod_hours=use.pod_hours * scale,
        allocated={name: amount * scale for name, amount in use.allocated.items()},
        cost={name: amount * scale for name, amount in use.cost.items()},
        storage=use.storage * scale,
        network=use.network * scale,
        load_balancer=use.load_balancer * scale,
    )


def _compared(old: ControllerUse | None, new: ControllerUse | None) -> ChangeParts:
    if old is None and new is not None:
        return replace(_flat(None, new), added=fsum(new.cost.values()))
    if new is None and old is not None:
        return replace(_flat(old, None), removed=-fsum(old.cost.values()))
    assert old is not None
    assert new is not None
    causes = [_causes(old, new, resource) for resource in _COMPUTE]
    return replace(
        _flat(old, new),
        replicas=fsum(cause[0] for cause in causes),
        size=fsum(cause[1] for cause in causes),
        price=fsum(cause[2] for cause in causes),
    )


def _flat(old: ControllerUse | None, new: ControllerUse | None) -> ChangeParts:
    def difference(name: str) -> float:
        return (getattr(new, name) if new else 0.0) - (getattr(old, name) if old else 0.0)

    return ChangeParts(
        storage=difference("storage"), network=difference("network"), load_balancer=difference("load_balancer")
    )


def _causes(old: ControllerUse, new: ControllerUse, resource: str) -> tuple[float, float, float]:
    """Return replicas, size and price of one resource; where a window allocated nothing the whole difference is size."""
    difference = new.cost[resource] - old.cost[resource]
    if not (old.pod_hours and new.pod_hours and old.allocated[resource] and new.allocated[resource]):
        return 0.0, difference, 0.0
    size_before = old.allocated[resource] / old.pod_hours
    size_after = new.allocated[resource] / new.pod_hours
    price_before = old.cost[resource] / old.allocated[resource]
    replicas = (new.pod_hours - old.pod_hours) * size_before * price_before
    size = new.pod_hours * (size_after - size_before) * price_before
    return replicas, size, difference - replicas - size
