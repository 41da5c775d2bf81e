"""`/assets` entries turned into assets, and the prices of the nodes among them."""

from collections.abc import Callable
from math import isfinite
from typing import Any, Final, NamedTuple

from costintel.cost.asset import Asset, AssetType

_TYPES: Final = {kind.value: kind for kind in AssetType}
_GHOST_MINUTES: Final = 5


class NodePrice(NamedTuple):
    """What an hour of a node's resources costs after discount, before any adjustment; None without hours."""

    cpu_core: float | None
    ram_byte: float | None
    gpu: float | None


UNPRICED: Final = NodePrice(None, None, None)


def read_asset(entry: dict[str, Any], seconds: Callable[[str], int]) -> Asset | None:
    """Return the asset of an entry; None for types that OpenCost does not have and for ghosts.

    A ghost is an asset of at most five minutes that cost nothing: it was gone, or not yet there (T46). Kubecost's
    adjustment of a node belongs to its CPU, memory and GPU in proportion, so that the parts go on adding up to the total.
    """
    kind = _TYPES.get(entry["type"])
    start, end, total = seconds(entry["start"]), seconds(entry["end"]), _number(entry, "totalCost")
    minutes = (end - start) / 60
    if kind is None or minutes <= 0 or (not total and minutes <= _GHOST_MINUTES):
        return None
    properties = entry.get("properties") or {}
    parts = _node(entry, total) if kind is AssetType.NODE else _disk(entry) if kind is AssetType.DISK else {}
    return Asset(
        type=kind,
        name=properties.get("name", ""),
        provider_id=properties.get("providerID", ""),
        start=start,
        end=end,
        minutes=minutes,
        total_cost=total,
        **parts,
    )


def node_price(entry: dict[str, Any]) -> NodePrice:
    """Return the prices a Node entry's costs and hours come to: the discount is on CPU and memory only."""
    kept = 1 - _number(entry, "discount")
    return NodePrice(
        _price(_number(entry, "cpuCost") * kept, _number(entry, "cpuCoreHours")),
        _price(_number(entry, "ramCost") * kept, _number(entry, "ramByteHours")),
        _price(_number(entry, "gpuCost"), _number(entry, "GPUHours")),
    )


def _node(entry: dict[str, Any], total: float) -> dict[str, Any]:
    before = total - _number(entry, "adjustment")
    adjusted = total / before if before else 1.0
    overhead = entry.get("overhead") or {}
    cpu_overhead, ram_overhead = overhead.get("CpuOverheadFraction"), overhead.get("RamOverheadFraction")
    known = bool(cpu_overhead or ram_overhead)
    return {
        "cpu_cost": _number(entry, "cpuCost") * adjusted,
        "ram_cost": _number(entry, "ramCost") * adjusted,
        "gpu_cost": _number(entry, "gpuCost") * adjusted,
        "discount": _number(entry, "discount"),
        "cpu_core_hours": _number(entry, "cpuCoreHours"),
        "ram_byte_hours": _number(entry, "ramByteHours"),
        "gpu_hours": _number(entry, "GPUHours"),
        "cpu_overhead_fraction": cpu_overhead if known else None,
        "ram_overhead_fraction": ram_overhead if known else None,
        "node_type": entry.get("nodeType", ""),
        "spot": bool(entry.get("preemptible")),
    }


def _disk(entry: dict[str, Any]) -> dict[str, Any]:
    claim = entry.get("claimName")
    storage_class = entry.get("storageClass", "")
    return {
        "byte_hours": _number(entry, "byteHours"),
        "local": bool(entry.get("local")) or storage_class == "__local__",
        "storage_class": storage_class,
        "claim": f"{entry.get('claimNamespace', '')}/{claim}" if claim else "",
    }


def _price(cost: float, hours: float) -> float | None:
    return cost / hours if hours and cost else None


def _number(entry: dict[str, Any], name: str) -> float:
    number = entry.get(name) or 0.0
    if not isfinite(number):
        raise ValueError(name)
    return float(number)
