"""Assets added up over windows that follow each other: slices of a window, or the hours of a day."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import fsum
from typing import Any

from costintel.cost.asset import Asset

_ADDED = (
    "minutes",
    "total_cost",
    "cpu_cost",
    "ram_cost",
    "gpu_cost",
    "cpu_core_hours",
    "ram_byte_hours",
    "gpu_hours",
    "byte_hours",
)


def add_assets(assets: Iterable[Asset]) -> list[Asset]:
    """Add up the windows of each asset (costs, hours and minutes add, spans join), in the order in which they first come.

    What does not add up, such as a node's discount, is that of its last window.
    """
    groups: dict[tuple[str, str, str], list[Asset]] = {}
    for asset in assets:
        groups.setdefault((asset.type, asset.name, asset.provider_id), []).append(asset)
    return [group[0] if len(group) == 1 else _summed(group) for group in groups.values()]


def _summed(group: Sequence[Asset]) -> Asset:
    sums: dict[str, Any] = {name: fsum(getattr(asset, name) for asset in group) for name in _ADDED}
    sums |= {"start": min(asset.start for asset in group), "end": max(asset.end for asset in group)}
    return replace(group[-1], **sums)
