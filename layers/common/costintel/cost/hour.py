"""The states of an hour: which answers of OpenCost are figures and which only look like them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from costintel.cost.allocation import Allocation
from costintel.cost.window import Window


class HourState(StrEnum):
    """What an hour's answer is worth. Only good hours become figures."""

    GOOD = "good"
    GAP = "gap"
    """No running row: OpenCost did not see the cluster; its assets lie too."""
    UNPRICED = "unpriced"
    """Rows at default prices: OpenCost's own metrics were missing, so there is no Node asset."""
    BEFORE_HISTORY = "before_history"
    """Empty, and nothing good is known before it."""
    MISSING = "missing"
    """OpenCost did not answer for it for 48 hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HourFacts:
    """What of one asked hour decides its state."""

    start: int
    """Seconds since the epoch."""
    running_rows: int
    rows: int
    nodes: int
    state: HourState | None = None
    suspect: bool = False
    """Good, but with fewer than half the containers of the good hour before: worth asking once more."""


def observed_span(rows: Sequence[Allocation], window: Window) -> tuple[int, int] | None:
    """Return the seconds [start, end) in which OpenCost saw the cluster: min start .. max end over running rows.

    Rows of five minutes or less are left out unless there are no others: a job seen once stretches the span.
    None without a running row. Clamped to `window`.
    """
    running = [row for row in rows if row.running]
    long = [row for row in running if row.end - row.start > 300] or running
    if not long:
        return None
    first, last = int(window.start.timestamp()), int(window.end.timestamp())
    return max(first, min(row.start for row in long)), min(last, max(row.end for row in long))


def decide_states(hours: Sequence[HourFacts], *, good_before: bool) -> list[HourFacts]:
    """Return `hours` (oldest first) with state and suspicion decided from themselves and their neighbours.

    `good_before` says whether an earlier good hour or day is known than the first of `hours`. Hours in state `missing`
    were never answered and stay so. An hour without Node assets is `unpriced` when the nearest running hour with nodes stands
    directly beside its run of such hours, on either side.
    """
    decided: list[HourFacts] = []
    known = good_before
    for index, hour in enumerate(hours):
        state = _state(hours, index, known=known)
        known = known or state is HourState.GOOD
        decided.append(replace(hour, state=state, suspect=state is HourState.GOOD and _halved(decided, hour)))
    return decided


def _state(hours: Sequence[HourFacts], index: int, *, known: bool) -> HourState:
    hour = hours[index]
    if hour.state is HourState.MISSING:
        return HourState.MISSING
    if hour.running_rows == 0:
        return HourState.GAP if known or hour.rows else HourState.BEFORE_HISTORY
    if hour.nodes == 0 and (_priced(hours[:index][::-1]) or _priced(hours[index + 1 :])):
        return HourState.UNPRICED
    return HourState.GOOD


def _priced(neighbours: Sequence[HourFacts]) -> bool:
    """Whether the nearest running neighbour that has nodes exists: nodeless ones beside it are as doubtful as the hour itself."""
    return any(hour.running_rows and hour.nodes for hour in neighbours)


def _halved(before: Sequence[HourFacts], hour: HourFacts) -> bool:
    previous = next((one for one in reversed(before) if one.state is HourState.GOOD), None)
    return previous is not None and hour.running_rows * 2 < previous.running_rows
