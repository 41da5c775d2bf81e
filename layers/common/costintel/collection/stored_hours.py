"""Store an answer as an hour, and decide its state and its neighbours' anew."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from costintel.collection.conversation import Conversation
from costintel.collection.states import any_good, decided
from costintel.cost.collection import HourHeader, StoredHour
from costintel.cost.hour import HourState
from costintel.cost.window import HOUR, Window
from costintel.opencost.answer import WindowAnswer
from costintel.storage.collections import Collections

ALL_TIME = Window(datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC))
"""Bounded all the same: hours are removed after two days."""


@dataclass(kw_only=True)
class StoredHours:
    """The headers of the stored hours, by start, as last read and written through."""

    cluster: str
    collections: Collections
    headers: dict[datetime, HourHeader]

    def store(self, conversation: Conversation, answer: WindowAnswer, now: datetime) -> None:
        """Store the answer of one hour. Raises LeaseLost when the lease went to somebody else."""
        before = self.headers.get(answer.window.start)
        header = HourHeader(
            window=answer.window,
            state=HourState.GOOD,
            suspect=False,
            observed=_span(answer),
            running_rows=answer.running_rows,
            row_count=answer.row_count,
            node_count=answer.node_count,
            starts_late=answer.starts_late,
            asked_at=now,
            asked_count=1 if before is None else before.asked_count + 1,
        )
        self._write(conversation, header, answer)

    def store_missing(self, conversation: Conversation, hour: datetime, now: datetime) -> None:
        """Store that OpenCost never answered for an hour. Raises LeaseLost."""
        header = HourHeader(
            window=Window(hour, hour + HOUR),
            state=HourState.MISSING,
            suspect=False,
            observed=None,
            running_rows=0,
            row_count=0,
            node_count=0,
            starts_late=False,
            asked_at=now,
            asked_count=0,
        )
        self._write(conversation, header, None)

    def any_good(self) -> bool:
        """Whether some stored hour is good."""
        return any_good(self.headers.values())

    def _write(self, conversation: Conversation, header: HourHeader, answer: WindowAnswer | None) -> None:
        """Write the neighbours' states first: should this be cut off in between, the answer is asked and decided again."""
        hour = header.window.start
        after = {one.window.start: one for one in self._decided(header)}
        self._set_states({start: one for start, one in after.items() if start != hour})
        self.collections.store_hour(
            conversation.lease,
            StoredHour(
                cluster=self.cluster,
                header=after[hour],
                rows_by_namespace={} if answer is None else answer.rows_by_namespace,
                assets=() if answer is None else answer.assets,
                opencost_version="" if answer is None else conversation.version(),
            ),
        )
        self.headers = after

    def _decided(self, new: HourHeader) -> list[HourHeader]:
        merged = sorted({**self.headers, new.window.start: new}.items())
        first = merged[0][0]
        known = self.collections.nearest_before(self.cluster, first) is not None
        return decided([header for _, header in merged], good_before=known)

    def _set_states(self, neighbours: dict[datetime, HourHeader]) -> None:
        changed = {
            start: (header.state, header.suspect)
            for start, header in neighbours.items()
            if replace(header, state=self.headers[start].state, suspect=self.headers[start].suspect) != header
        }
        if changed:
            self.collections.set_states(self.cluster, changed)


def read_headers(collections: Collections, cluster: str) -> dict[datetime, HourHeader]:
    """Return the headers of every stored hour by its start, oldest first."""
    return {header.window.start: header for header in collections.headers(cluster, ALL_TIME)}


def _span(answer: WindowAnswer) -> Window | None:
    if answer.observed is None:
        return None
    start, end = answer.observed
    return Window(datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC))
