"""Syncs that follow each other closely: together they are one point of the trend."""

from collections.abc import Sequence
from datetime import datetime, timedelta

JOINED_WITHIN = timedelta(hours=24)
CLOSED_AFTER = timedelta(hours=48)
MOST_POINTS = 100
"""Points of a trend in one answer."""


def chains(moments: Sequence[datetime]) -> list[range]:
    """Return which of `moments`, oldest first, belong together: the positions of each chain.

    Whatever follows within 24 hours joins a chain, which is closed 48 hours after it began.
    """
    found: list[range] = []
    for position, moment in enumerate(moments):
        is_joined = (
            bool(found)
            and moment - moments[position - 1] < JOINED_WITHIN
            and moment - moments[found[-1].start] < CLOSED_AFTER
        )
        if is_joined:
            found[-1] = range(found[-1].start, position + 1)
        else:
            found.append(range(position, position + 1))
    return found
