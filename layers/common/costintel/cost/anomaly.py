"""Whether yesterday's cost stands out of the days before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

LEAST_DAYS = 5
MOST_DAYS = 28
LEAST_SCORE = 3.5
LEAST_SHARE = 0.20
LEAST_AMOUNT = 1.0
_MAD_TO_DEVIATION = 1.4826
_FLOOR_SHARE = 0.05
_FLOOR_AMOUNT = 0.10


class AnomalyState(StrEnum):
    """What is known about the last complete day."""

    NOT_ENOUGH_HISTORY = "not_enough_history"
    NORMAL = "normal"
    ANOMALY = "anomaly"
    EXPLAINED = "changed_with_sync"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anomaly:
    """The last complete day against its baseline: costs a day, score in robust deviations; None without enough history."""

    state: AnomalyState
    cost: float | None = None
    baseline: float | None = None
    score: float | None = None
    baseline_days: int = 0
    revision: str = ""


def anomaly(cost: float, baseline: Sequence[float], *, explained: float = 0.0, revision: str = "") -> Anomaly:
    """Judge a day's `cost` by the complete days before it, newest last, all of one scope.

    score = (x - median) / max(1.4826 MAD, 5 % of |median|, 0.10); flagged when |score| >= 3.5 and the difference is at least
    20 % and at least one currency unit a day. `explained` is what syncs settled in between changed a day: when that is
    half of the difference or more, the sync of `revision` is the answer instead.
    """
    days = list(baseline)[-MOST_DAYS:]
    if len(days) < LEAST_DAYS:
        return Anomaly(state=AnomalyState.NOT_ENOUGH_HISTORY, cost=cost, baseline_days=len(days))
    middle = median(days)
    spread = median(abs(day - middle) for day in days)
    difference = cost - middle
    score = difference / max(_MAD_TO_DEVIATION * spread, _FLOOR_SHARE * abs(middle), _FLOOR_AMOUNT)
    state = _state(score, difference, middle, explained)
    return Anomaly(
        state=state,
        cost=cost,
        baseline=middle,
        score=score,
        baseline_days=len(days),
        revision=revision if state is AnomalyState.EXPLAINED else "",
    )


def _state(score: float, difference: float, middle: float, explained: float) -> AnomalyState:
    small = abs(difference) < max(LEAST_AMOUNT, LEAST_SHARE * abs(middle))
    if abs(score) < LEAST_SCORE or small:
        return AnomalyState.NORMAL
    if explained * difference > 0 and abs(explained) >= abs(difference) / 2:
        return AnomalyState.EXPLAINED
    return AnomalyState.ANOMALY
