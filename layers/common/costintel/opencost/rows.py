"""`/allocation` entries turned into rows: what a window decides by itself is corrected here."""

from collections.abc import Iterable, Mapping
from math import fsum, isfinite
from typing import Any, Final

from costintel.cost.allocation import UNMOUNTED, Allocation, LoadBalancerShare
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused
from costintel.opencost.assets import UNPRICED, NodePrice
from costintel.opencost.moment import is_of, remembering

ROUNDING: Final = 1.2e-5
"""How far an unrounded figure may lie from the one reported with 5 decimals and still be taken for it."""
_IDLE: Final = "__idle__"

_Entry = Mapping[str, Any]


class RowReader:
    """Reads the entries of one window; remembers repeated texts and times, and counts what it could not use.

    `foreign` counts entries of other clusters, `unknown_costs` rows whose CPU or memory cost nobody knows.
    """

    def __init__(self, window: Window, *, cluster_id: str, prices: Mapping[str, NodePrice]) -> None:
        self._window = window
        self._cluster_id = cluster_id
        self._prices = prices
        self._hours = window.hours
        self._seconds = remembering()
        self._texts: dict[str, str] = {}
        self.foreign = 0
        self.unknown_costs = 0

    def read(self, name: str, entry: _Entry) -> Allocation | None:
        """Return the row of an entry; None if it is not one of ours: foreign, idle, a ghost (T46) or without duration (T13).

        Raises OpenCostRefused if the entry is not a container's, is of another window, or has a field of the wrong type.
        """
        try:
            return self._read(name, entry)
        except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError) as error:
            raise OpenCostRefused(f"an allocation has a field that cannot be read ({type(error).__name__})") from error

    def _read(self, name: str, entry: _Entry) -> Allocation | None:
        properties = entry.get("properties") or {}
        if properties.get("cluster", "") != self._cluster_id:
            self.foreign += 1
            return None
        if name.endswith(_IDLE):
            return None
        if not is_of(entry, self._window, seconds=self._seconds):
            raise OpenCostRefused("the answer is for another window than was asked for")
        start, end = self._seconds(entry["start"]), self._seconds(entry["end"])
        row = self._row(entry, properties, start, end) if end > start else None
        if row is not None and not isfinite(sum(row[8:19]) + (row[19] or 0.0) + (row[20] or 0.0)):
            raise ValueError("number")
        return row

    def _row(self, entry: _Entry, properties: _Entry, start: int, end: int) -> Allocation | None:
        container = self._place(properties, "container")
        running, hours = container != UNMOUNTED, (end - start) / 3600
        node = self._text(properties.get("node", ""))
        cpu_hours, ram_hours = entry.get("cpuCoreHours") or 0.0, entry.get("ramByteHours") or 0.0
        costs = self._costs(entry, self._prices.get(node, UNPRICED), running=running)
        if running and not node and not (cpu_hours or ram_hours or any(costs)):
            return None
        return Allocation._make(
            (
                self._place(properties, "namespace"),
                self._text(self._place(properties, "pod").partition(" ")[0]),
                container,
                node,
                *self._controller(properties),
                start,
                end,
                *costs,
                cpu_hours,
                ram_hours,
                entry.get("gpuHours") or 0.0,
                (entry.get("cpuCoreRequestAverage") or 0.0) * hours,
                (entry.get("ramByteRequestAverage") or 0.0) * hours,
                *(self._used(entry, hours) if running else (0.0, 0.0)),
                _shares(entry),
            )
        )

    def _place(self, properties: _Entry, name: str) -> str:
        place = properties.get(name)
        if not place:
            raise OpenCostRefused(f"an allocation has no {name}: expected the answer container by container")
        return self._text(place)

    def _controller(self, properties: _Entry) -> tuple[str, str]:
        """Return kind and name. OpenCost names a Rollout's ReplicaSet `NAME-HASH`; the Rollout is `NAME`."""
        kind, name = properties.get("controllerKind", "").lower(), properties.get("controller", "")
        if kind == "rollout":
            name = name.rpartition("-")[0] or name
        return self._text(kind), self._text(name)

    def _text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def _costs(self, entry: _Entry, price: NodePrice, *, running: bool) -> tuple[float, ...]:
        cpu = _restored(entry.get("cpuCost"), entry.get("cpuCoreHours"), price.cpu_core)
        ram = _restored(entry.get("ramCost"), entry.get("ramByteHours"), price.ram_byte)
        if running and (cpu is None or ram is None):
            self.unknown_costs += 1
        gpu = _restored(entry.get("gpuCost"), entry.get("gpuHours"), price.gpu)
        return (
            (cpu or 0.0) + (entry.get("cpuCostAdjustment") or 0.0),
            (ram or 0.0) + (entry.get("ramCostAdjustment") or 0.0),
            (gpu or 0.0) + (entry.get("gpuCostAdjustment") or 0.0),
            _part_sum(entry, "pvCost", entry.get("pvs")) + (entry.get("pvCostAdjustment") or 0.0),
            (entry.get("networkCost") or 0.0) + (entry.get("networkCostAdjustment") or 0.0),
            _part_sum(entry, "loadBalancerCost", entry.get("lbAllocations"))
            + (entry.get("loadBalancerCostAdjustment") or 0.0),
        )

    def _used(self, entry: _Entry, hours: float) -> tuple[float | None, float | None]:
        """Return core-hours and byte-hours used; None without cAdvisor, which shows as memory usage 0 on a row that ran (T44).

        Memory is averaged over the container's samples, CPU over the whole window however short it lived (T41).
        """
        cpu_average, ram_average = entry.get("cpuCoreUsageAverage"), entry.get("ramByteUsageAverage")
        if not ram_average:
            return None, None
        return None if cpu_average is None else (cpu_average or 0.0) * self._hours, ram_average * hours


def _restored(reported: float | None, hours: float | None, price: float | None) -> float | None:
    """Return a cost that was rounded to 5 decimals as hours x price where both agree (T37), else as reported; None if unknown.

    The hours are rounded to 5 decimals too, so above a price of 1 the reported cost is the more exact one.
    """
    if hours is None or price is None or price > 1:
        return reported
    exact = hours * price
    return exact if reported is None or abs(exact - reported) <= ROUNDING else reported


def _part_sum(entry: _Entry, name: str, parts: Mapping[str, _Entry] | None) -> float:
    """Return a cost as the sum of its parts, which OpenCost does not round, where both agree; else as reported."""
    reported = entry.get(name) or 0.0
    if not parts:
        return float(reported)
    exact = fsum(_part_costs(parts.values()))
    return exact if abs(exact - reported) <= ROUNDING else float(reported)


def _part_costs(parts: Iterable[_Entry]) -> list[float]:
    return [part.get("cost") or 0.0 for part in parts]


def _shares(entry: _Entry) -> tuple[LoadBalancerShare, ...]:
    """Return what the row carries of each load balancer; nothing where the shares do not add up to its cost."""
    parts = entry.get("lbAllocations")
    if not parts:
        return ()
    shares = tuple(LoadBalancerShare(part["service"], part.get("cost") or 0.0) for part in parts.values())
    agree = abs(fsum(share.cost for share in shares) - (entry.get("loadBalancerCost") or 0.0)) <= ROUNDING
    return shares if agree else ()
