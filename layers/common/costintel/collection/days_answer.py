"""A day asked from OpenCost as a whole: one call, or slices of it when that takes too long."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from costintel.collection.conversation import Conversation
from costintel.collection.days_due import joined
from costintel.collection.days_ledger import WHOLE_MINUTES, DayAttempt
from costintel.collection.kept_slices import KeptSlices, missing_pieces
from costintel.cost.allocation import Allocation
from costintel.cost.asset import Asset
from costintel.cost.day import day_window
from costintel.cost.repair import extend_late
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused
from costintel.opencost.answer import WindowAnswer
from costintel.opencost.slices import join_slices

SLICE = "day_slice"
"""Kind of the rows of `work` that keep slices of days."""
_LASTING_SECONDS = 3600
Key = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class DayAnswer:
    """What OpenCost answered for a whole day; `observed` are the spans in which it saw the cluster, one for each slice."""

    rows_by_namespace: Mapping[str, list[Allocation]]
    assets: Sequence[Asset]
    observed: tuple[Window, ...]
    row_count: int
    node_count: int
    starts_late: bool

    @property
    def observed_hours(self) -> float:
        """Hours in which the cluster was seen."""
        return sum(span.hours for span in self.observed)


def ask_day(conversation: Conversation, attempt: DayAttempt, kept: KeptSlices) -> DayAnswer:
    """Ask for a day as one, or for the slices of it that are not kept yet.

    Raises OutOfTime or OpenCostError; OpenCostRefused too when every container is of another cluster: that is no day, but a
    wrong cluster id.
    """
    window = day_window(attempt.day)
    if attempt.span_minutes >= WHOLE_MINUTES:
        slices = [conversation.answer(window)]
    else:
        slices = _slices(conversation, window, attempt.span_minutes, kept)
    answer = slices[0] if len(slices) == 1 else join_slices(slices, window)
    if answer.foreign_rows and not answer.row_count:
        raise OpenCostRefused("the day's containers are all of other clusters")
    return DayAnswer(
        rows_by_namespace=answer.rows_by_namespace,
        assets=answer.assets,
        observed=joined(span for one in slices for span in _observed(one)),
        row_count=answer.row_count,
        node_count=answer.node_count,
        starts_late=answer.starts_late,
    )


def extended(answer: DayAnswer, day: Window, before: Collection[Key] | None) -> Mapping[str, list[Allocation]]:
    """Return the rows, those that lost the day's first five minutes extended to its start (T14).

    `before` holds the keys of what ran when the day began. When nobody knows (None), what begins exactly five minutes in and
    lasts an hour counts as that: on such a backend everything that ran over midnight begins there.
    """
    if not answer.starts_late:
        return answer.rows_by_namespace
    rows = answer.rows_by_namespace.items()
    return {name: extend_late(listed, _lasting(listed) if before is None else before, day) for name, listed in rows}


def _slices(conversation: Conversation, window: Window, span_minutes: int, kept: KeptSlices) -> list[WindowAnswer]:
    slices = kept.of(window.start)
    for piece in missing_pieces(window, slices, span_minutes):
        answer = conversation.answer(piece)
        kept.keep(window.start, answer)
        slices.append(answer)
    return sorted(slices, key=lambda one: one.window)


def _observed(answer: WindowAnswer) -> list[Window]:
    if answer.observed is None:
        return []
    start, end = answer.observed
    return [Window(datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC))]


def _lasting(rows: Sequence[Allocation]) -> set[Key]:
    return {row.key for row in rows if row.end - row.start >= _LASTING_SECONDS}
