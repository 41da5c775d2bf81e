"""Figures as they are stored and served: camelCase JSON, rounded here and nowhere else.

Whatever is added up in a document adds up to the last digit: parts to totals, containers to pods, pods to the figure. Each
resource's column of containers is rounded to the figure's rounded amount by largest remainder; everything else is sums.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from costintel.collection.rfc3339 import text_of
from costintel.cost.amounts import PLACES, Amounts, round_parts
from costintel.cost.container import ContainerCost
from costintel.cost.figure import Efficiency, Figure, Idle, PodFigure
from costintel.cost.idle import efficiency
from costintel.cost.sync import FigureDocument

MOST_PODS = 500
"""Pods listed in one document, the dearest: three figures of that length stay well under the 5 MB of an answer."""
_UNITS = 10**PLACES
_NAMES = ("cpu", "ram", "gpu", "storage", "network", "loadBalancer", "total")
_Row = tuple[int, ...]
"""A container's costs in the order of the resources, then its idle CPU and memory cost, in millionths."""


def figure_document(figure: Figure | None, *, list_pods: bool) -> FigureDocument | None:
    """Return a figure as JSON, None for none.

    Without `list_pods` (namespace scope: the pods may be somebody else's) only their number and sum are told.
    """
    if figure is None:
        return None
    cost, idle = _units(figure.cost.parts()), _units((figure.idle.cpu, figure.idle.ram))
    running = sum(any(row.running for row in pod.containers) for pod in figure.pods)
    totals = {"cost": _cost(cost), "idle": _idle(idle, complete=figure.idle.complete)}
    return {
        "window": {"start": text_of(figure.window.start), "end": text_of(figure.window.end)},
        "measuredHours": _number(figure.measured_hours),
        "basisHours": figure.basis_hours,
        "confidence": figure.confidence.value,
        "scope": figure.scope,
        "source": figure.source,
        **totals,
        "monthly": None if figure.monthly is None else _cost(_units(figure.monthly.parts())),
        "efficiency": efficiency_document(figure.efficiency),
        "pods": _pods(figure, (*cost, *idle)) if list_pods else [],
        "podsTotal": {"count": running, **totals},
    }


def amounts_document(amounts: Amounts) -> dict[str, float]:
    """Return amounts as JSON; the parts add up to their total."""
    return _cost(_units(amounts.parts()))


def idle_document(idle: Idle) -> dict[str, float | bool]:
    """Return workload idle as JSON."""
    return _idle(_units((idle.cpu, idle.ram)), complete=idle.complete)


def efficiency_document(efficient: Efficiency) -> dict[str, float | None]:
    """Return efficiencies as JSON."""
    return {"cpu": _ratio(efficient.cpu), "ram": _ratio(efficient.ram)}


def _pods(figure: Figure, totals: Sequence[int]) -> list[dict[str, Any]]:
    rounded = iter(_rounded_rows([row for pod in figure.pods for row in pod.containers], totals))
    listed = [(pod, [next(rounded) for _ in pod.containers]) for pod in figure.pods]
    if len(listed) > MOST_PODS:
        dearest = sorted(listed, key=lambda entry: -entry[0].cost.total)[:MOST_PODS]
        listed = sorted(dearest, key=lambda entry: (entry[0].namespace, entry[0].pod))
    return [_pod(pod, rows) for pod, rows in listed]


def _pod(pod: PodFigure, rows: Sequence[_Row]) -> dict[str, Any]:
    *cost, idle_cpu, idle_ram = map(sum, zip(*rows, strict=True))
    return {
        "namespace": pod.namespace,
        "pod": pod.pod,
        "controllerKind": pod.controller_kind,
        "controller": pod.controller,
        "cost": _cost(cost),
        "idle": _idle((idle_cpu, idle_ram), complete=pod.idle.complete),
        "containers": [_container(one, row) for one, row in zip(pod.containers, rows, strict=True)],
    }


def _container(container: ContainerCost, row: _Row) -> dict[str, Any]:
    return {
        "container": container.container,
        "cost": _cost(row[:6]),
        "idle": _idle(row[6:], complete=container.idle_complete),
        "efficiency": {
            "cpu": _ratio(efficiency(container.cpu_core_hours_used, container.cpu_core_hours_requested)),
            "ram": _ratio(efficiency(container.ram_byte_hours_used, container.ram_byte_hours_requested)),
        },
        "runningHours": _number(container.running_hours),
        "cpuCoreHours": _number(container.cpu_core_hours),
        "ramByteHours": _number(container.ram_byte_hours),
        "gpuHours": _number(container.gpu_hours),
    }


def _cost(units: Iterable[int]) -> dict[str, float]:
    parts = list(units)
    return dict(zip(_NAMES, [part / _UNITS for part in (*parts, sum(parts))], strict=True))


def _idle(units: Sequence[int], *, complete: bool) -> dict[str, float | bool]:
    cpu, ram = units
    return {"cpu": cpu / _UNITS, "ram": ram / _UNITS, "total": (cpu + ram) / _UNITS, "complete": complete}


def _ratio(ratio: float | None) -> float | None:
    return None if ratio is None else _number(ratio)


def _number(number: float) -> float:
    """Round a number that is not money: it adds up to nothing, so the nearest binary number will do."""
    return round(number, PLACES) + 0.0


def _units(parts: Sequence[float]) -> list[int]:
    """Return parts in millionths, adding up to their rounded total."""
    return [round(part * _UNITS) for part in round_parts(list(parts))]


def _rounded_rows(containers: Sequence[ContainerCost], totals: Sequence[int]) -> Iterable[_Row]:
    if not containers:
        return ()
    columns = zip(*((*row[9:15], row.idle_cpu_cost, row.idle_ram_cost) for row in containers), strict=True)
    return zip(*(_column(column, total) for column, total in zip(columns, totals, strict=True)), strict=True)


def _column(amounts: Sequence[float], total: int) -> list[int]:
    """Return one resource's amounts in millionths, adding up to `total`."""
    if not any(amounts):
        return [0] * len(amounts)
    return [round(part * _UNITS) for part in round_parts(list(amounts), total / _UNITS)]
