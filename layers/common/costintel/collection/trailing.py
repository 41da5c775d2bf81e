"""The hour up to a few minutes ago, for applications too young to be in any stored hour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from costintel.collection.conversation import Conversation, Conversations, OutOfTime
from costintel.collection.deadline import Deadline
from costintel.collection.states import facts_of
from costintel.collection.stored_hours import read_headers
from costintel.cost.container import ContainerCost, container_cost, fold
from costintel.cost.hour import HourFacts, HourState, decide_states
from costintel.cost.window import HOUR, Window
from costintel.errors import OpenCostError
from costintel.opencost.answer import WindowAnswer
from costintel.storage.collections import Collections
from costintel.storage.work import Work

KIND = "trailing"
EVERY = timedelta(minutes=10)
_SUBJECT = "hour"
_GRID = timedelta(minutes=5)
"""OpenCost's resolution; samples of the last five minutes may still be on their way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailingAnswer:
    """What the trailing hour cost, container by container; folded, and not stored."""

    window: Window
    observed: tuple[Window, ...]
    containers: dict[str, list[ContainerCost]]

    def namespaces(self, namespaces: Sequence[str]) -> Iterator[tuple[str, list[ContainerCost]]]:
        """Yield each of `namespaces` that cost something, with its containers."""
        return ((name, self.containers[name]) for name in namespaces if name in self.containers)


@dataclass(frozen=True, kw_only=True)
class TrailingHour:
    """Asks for the trailing hour, at most every ten minutes, whoever wants it."""

    cluster: str
    conversations: Conversations
    collections: Collections
    work: Work

    def ask(self, *, now: datetime, deadline: Deadline) -> TrailingAnswer | None:
        """Return the trailing hour, or None: asked a moment ago, somebody else is asking, OpenCost fails or is blind."""
        if self.next_at(now) is not None:
            return None
        with self.conversations.opened(deadline) as conversation:
            if conversation is None or not conversation.has_time or self.next_at(now) is not None:
                return None
            self.work.put(self.cluster, KIND, _SUBJECT, {}, now + EVERY)
            answer = _answer(conversation, trailing_window(now))
        return None if answer is None or not self._is_good(answer) else _folded(answer)

    def next_at(self, now: datetime) -> datetime | None:
        """Return when it may be asked again, None if that is now."""
        item = self.work.find(self.cluster, KIND, _SUBJECT)
        return None if item is None or item.not_before <= now else item.not_before

    def _is_good(self, answer: WindowAnswer) -> bool:
        headers = read_headers(self.collections, self.cluster).values()
        own = HourFacts(
            start=int(answer.window.start.timestamp()),
            running_rows=answer.running_rows,
            rows=answer.row_count,
            nodes=answer.node_count,
        )
        return decide_states([*map(facts_of, headers), own], good_before=True)[-1].state is HourState.GOOD


def trailing_window(now: datetime) -> Window:
    """Return the hour that ends on the newest 5-minute boundary at least five minutes before `now`."""
    settled = now.astimezone(UTC) - _GRID
    end = settled - timedelta(minutes=settled.minute % 5, seconds=settled.second, microseconds=settled.microsecond)
    return Window(end - HOUR, end)


def _answer(conversation: Conversation, window: Window) -> WindowAnswer | None:
    try:
        return conversation.answer(window)
    except (OutOfTime, OpenCostError):
        return None  # asked again in ten minutes, if somebody still waits


def _folded(answer: WindowAnswer) -> TrailingAnswer:
    rows = answer.rows_by_namespace.items()
    return TrailingAnswer(
        window=answer.window,
        observed=_observed(answer),
        containers={name: fold(map(container_cost, listed)) for name, listed in rows},
    )


def _observed(answer: WindowAnswer) -> tuple[Window, ...]:
    """No hour before it tells what ran when a late window (T14) began: its first five minutes were not seen."""
    if answer.observed is None:
        return ()
    start, end = (datetime.fromtimestamp(edge, UTC) for edge in answer.observed)
    span = Window(start, end)
    return (span.since(answer.window.start + _GRID) if answer.starts_late else span,)
