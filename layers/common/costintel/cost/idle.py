"""Workload idle: what was requested, paid for and not used."""

from math import isfinite


def idle_cost(cost: float | None, *, requested: float, used: float | None) -> float | None:
    """Return `cost x max(0, 1 - used/requested)`, the part of a CPU or memory cost that went unused.

    `requested` and `used` are core-hours or byte-hours of the same container and window. Nothing requested is nothing idle.
    None when the cost or the usage was not measured: unknown idle is not zero idle.
    """
    if cost is None or not isfinite(cost):
        return None
    if requested <= 0:
        return 0.0
    if used is None:
        return None
    return cost * max(0.0, 1 - used / requested)


def efficiency(used: float, requested: float) -> float | None:
    """Return used / requested over rows that have a request and measured usage; None without any. Not capped at 1."""
    return used / requested if requested > 0 else None
