"""Windows whose first five minutes the backend lost (T14): what can be repaired without the window before."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from costintel.cost.allocation import Allocation, lengthened
from costintel.cost.asset import Asset, AssetType
from costintel.cost.repair import RESOLUTION_SECONDS, extension
from costintel.cost.window import Window


def starts_late(assets: Iterable[Asset], window: Window) -> bool:
    """Whether the window lost its first five minutes: its earliest Node asset starts exactly five minutes in.

    Nodes seen once do not count: some versions place them half a step of the grid earlier.
    """
    nodes = [asset for asset in assets if asset.type is AssetType.NODE]
    starts = [node.start for node in nodes if node.end - node.start > RESOLUTION_SECONDS]
    return bool(starts) and min(starts) == _late(window)


def repaired_assets(assets: Sequence[Asset], window: Window) -> list[Asset]:
    """Return the assets of a window that starts late with the lost minutes given back.

    What starts five minutes in is extended to the window's start. The control plane always shows the whole window and costs
    five minutes less.
    """
    return [_repaired(asset, window) for asset in assets]


def repaired_unmounted(row: Allocation, window: Window) -> Allocation:
    """Return an unmounted row, which shows the whole window but costs five minutes less, at the whole window's cost."""
    return lengthened(row, start=row.start, factor=_whole(window))


def repaired_span(span: tuple[int, int], window: Window) -> tuple[int, int]:
    """Return the observed span of a window that starts late: from the window's start on, if it began with the late rows."""
    start, end = span
    return (int(window.start.timestamp()) if start <= _late(window) else start, end)


def _repaired(asset: Asset, window: Window) -> Asset:
    if asset.type is AssetType.CONTROL_PLANE:
        return replace(asset, total_cost=asset.total_cost * _whole(window))
    if asset.start != _late(window):
        return asset
    factor = extension(asset.end - asset.start)
    return replace(
        asset,
        start=int(window.start.timestamp()),
        minutes=asset.minutes * factor,
        total_cost=asset.total_cost * factor,
        cpu_cost=asset.cpu_cost * factor,
        ram_cost=asset.ram_cost * factor,
        gpu_cost=asset.gpu_cost * factor,
        cpu_core_hours=asset.cpu_core_hours * factor,
        ram_byte_hours=asset.ram_byte_hours * factor,
        gpu_hours=asset.gpu_hours * factor,
        byte_hours=asset.byte_hours * factor,
    )


def _late(window: Window) -> int:
    return int(window.start.timestamp()) + RESOLUTION_SECONDS


def _whole(window: Window) -> float:
    return extension(window.hours * 3600 - RESOLUTION_SECONDS)
