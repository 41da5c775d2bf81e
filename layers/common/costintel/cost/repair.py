"""The five minutes that some backends lose at the start of every window.

Prometheus 3 and what behaves like it read ranges as open on the left, so the first point of OpenCost's five-minute grid is
missing: an hour shows 55 minutes, a day 1,435. What ran before the window and goes on in it is extended back to its start.
"""

from collections.abc import Container
from typing import Final

from costintel.cost.allocation import Allocation, lengthened
from costintel.cost.window import Window

RESOLUTION_SECONDS: Final = 300
"""The grid of OpenCost's queries: starts and ends are multiples of it, and what is lost is one step of it."""


def extension(seconds: float) -> float:
    """Return by how much `seconds` grow when one step of the grid is added: (minutes + 5) / minutes."""
    return (seconds + RESOLUTION_SECONDS) / seconds


def extend_late(rows: list[Allocation], before: Container[tuple[str, str, str]], window: Window) -> list[Allocation]:
    """Return the rows of a window that starts late, those that lost its first five minutes extended to its start.

    `before` holds the keys of the rows that reached this window's start in the window before. A row that begins exactly
    five minutes in and was there before ran all along: it gets the five minutes, and cost and hours in proportion. Network
    cost and CPU usage are totals of the whole window and stay; load balancers are corrected when the answer is read.
    """
    start = int(window.start.timestamp())
    return [
        lengthened(row, start=start, factor=extension(row.end - row.start))
        if row.running and row.start == start + RESOLUTION_SECONDS and row.key in before
        else row
        for row in rows
    ]
