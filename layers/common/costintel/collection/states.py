"""Decide what stored hours are worth, from themselves and their neighbours."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from costintel.collection.due import GIVE_UP_AFTER
from costintel.cost.collection import HourHeader
from costintel.cost.hour import HourFacts, HourState, decide_states

BAD = frozenset({HourState.GAP, HourState.UNPRICED, HourState.BEFORE_HISTORY})
"""States of answers that may have been OpenCost's blindness and not the truth."""


def decided(headers: Sequence[HourHeader], *, good_before: bool) -> list[HourHeader]:
    """Return `headers` (oldest first) with state and suspicion decided anew."""
    facts = decide_states([facts_of(header) for header in headers], good_before=good_before or _was_gap(headers))
    return [
        replace(header, state=fact.state or header.state, suspect=fact.suspect)
        for header, fact in zip(headers, facts, strict=True)
    ]


def needs_confirmation(header: HourHeader, now: datetime) -> bool:
    """Whether an hour's only answer is bad or suspect, so that it is asked once more."""
    doubtful = header.state in BAD or header.suspect
    return doubtful and header.asked_count == 1 and now - header.asked_at < GIVE_UP_AFTER


def any_good(headers: Iterable[HourHeader]) -> bool:
    """Whether a good hour is among `headers`."""
    return any(header.state is HourState.GOOD for header in headers)


def facts_of(header: HourHeader) -> HourFacts:
    """Return what of a stored hour decides its state and its neighbours'."""
    return HourFacts(
        start=int(header.window.start.timestamp()),
        running_rows=header.running_rows,
        rows=header.row_count,
        nodes=header.node_count,
        state=header.state,
        suspect=header.suspect,
    )


def _was_gap(headers: Sequence[HourHeader]) -> bool:
    """Whether the first empty hour was once a gap: a good hour before it was known, and has been pruned since."""
    first_empty = next((header for header in headers if not header.row_count), None)
    return first_empty is not None and first_empty.state is HourState.GAP
