"""The stored days: folded from hours, or as answered, with their states decided from the days before them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from costintel.collection.conversation import Conversation
from costintel.collection.days_answer import DayAnswer, Key, extended
from costintel.collection.days_changes import ChangedDays
from costintel.collection.days_due import MOST_ASKED, observed_of, state_of
from costintel.collection.folding import Folding, NamespaceFold, running_at_the_end
from costintel.cost.allocation import Allocation
from costintel.cost.asset import Asset
from costintel.cost.asset_sum import add_assets
from costintel.cost.collection import HourHeader
from costintel.cost.container import container_cost, fold
from costintel.cost.day import DayHeader, DaySource, DayState, StoredDay, day_window
from costintel.cost.hour import HourState
from costintel.cost.window import HOUR, Window
from costintel.storage.collections import Collections
from costintel.storage.day_marks import DayMarks
from costintel.storage.hour_assets import HourAssets

_DAY = timedelta(days=1)
_SLACK_HOURS = 5 / 60
"""One point of OpenCost's grid: so much less may a whole day's answer have seen than the hours it replaces."""


@dataclass(kw_only=True)
class DayStore:
    """The headers of the days of history, as last read and written through. Everything it writes needs the lease."""

    cluster: str
    collections: Collections
    marks: DayMarks
    hour_assets: HourAssets
    folding: Folding
    changes: ChangedDays
    headers: dict[date, DayHeader] = field(default_factory=dict)

    def read(self, first: date, last: date) -> None:
        """Read the headers of the days from `first` to `last`."""
        found = self.collections.day_headers(self.cluster, first, last)
        self.headers = {header.day: header for header in found}

    def fold(self, conversation: Conversation, day: date, hours: Mapping[datetime, HourHeader], now: datetime) -> None:
        """Store a day as the sum of its hours. Raises LeaseLost."""
        window, observed = day_window(day), observed_of(day, hours)
        header = DayHeader(
            window=window,
            state=state_of(observed, known_before=self._is_known_before(day, hours)),
            source=DaySource.HOURS,
            observed=observed,
            asked_at=now,
            asked_count=0,
            healed=False,
        )
        self._write(
            conversation,
            header,
            namespaces=self.folding.namespaces(window, None) if observed else (),
            assets=add_assets(self.hour_assets.of(self.cluster, window)),
            version=self.hour_assets.version(self.cluster, window),
        )

    def answered(
        self,
        conversation: Conversation,
        day: date,
        answer: DayAnswer,
        *,
        hours: Mapping[datetime, HourHeader],
        now: datetime,
    ) -> bool:
        """Store what was answered for a day; return whether it became the day.

        It does not when it shows less than what is stored, or containers at default prices (T42): then it is only noted that
        the day was asked for. Raises LeaseLost.
        """
        former = self.headers.get(day)
        observed = () if _is_unpriced(answer, hours) else answer.observed
        if former is not None and sum(span.hours for span in observed) < former.observed_hours - _SLACK_HOURS:
            self._note(conversation, [replace(former, asked_at=now, asked_count=former.asked_count + 1)])
            return False
        known_before = bool(answer.row_count) or self._is_known_before(day, hours)
        header = DayHeader(
            window=day_window(day),
            state=state_of(observed, known_before=known_before),
            source=DaySource.DAY,
            observed=observed,
            asked_at=now,
            asked_count=1 if former is None else former.asked_count + 1,
            healed=former is not None and (former.healed or former.source is DaySource.HOURS),
        )
        rows = self._rows(day, answer) if observed else {}
        self._write(
            conversation,
            header,
            namespaces=_folded(rows),
            assets=answer.assets if observed else (),
            version=conversation.version(),
        )
        return True

    def give_up(
        self, conversation: Conversation, day: date, hours: Mapping[datetime, HourHeader], now: datetime
    ) -> None:
        """Note that a day is not asked for any more; one that is not stored becomes an empty one. Raises LeaseLost."""
        former = self.headers.get(day)
        if former is not None:
            self._note(conversation, [replace(former, asked_at=now, asked_count=MOST_ASKED)])
            return
        header = DayHeader(
            window=day_window(day),
            state=state_of((), known_before=self._is_known_before(day, hours)),
            source=DaySource.DAY,
            observed=(),
            asked_at=now,
            asked_count=MOST_ASKED,
            healed=False,
        )
        self._write(conversation, header, namespaces=(), assets=(), version="")

    def judge(self, conversation: Conversation) -> None:
        """Turn empty days before which something is known by now into gaps. Raises LeaseLost."""
        known, found = False, []
        for _, header in sorted(self.headers.items()):
            if header.state is DayState.BEFORE_HISTORY and known:
                found.append(replace(header, state=DayState.GAP))
            known = known or bool(header.observed)
        if found:
            self._note(conversation, found)

    def _write(
        self,
        conversation: Conversation,
        header: DayHeader,
        *,
        namespaces: Iterable[NamespaceFold],
        assets: Sequence[Asset],
        version: str,
    ) -> None:
        self.changes.note(header.day, header.asked_at)
        self.collections.store_day(
            conversation.lease,
            StoredDay(
                cluster=self.cluster, header=header, namespaces=namespaces, assets=assets, opencost_version=version
            ),
        )
        self.headers[header.day] = header
        self.judge(conversation)

    def _note(self, conversation: Conversation, headers: Sequence[DayHeader]) -> None:
        self.marks.note(conversation.lease, headers)
        self.headers.update({header.day: header for header in headers})

    def _is_known_before(self, day: date, hours: Mapping[datetime, HourHeader]) -> bool:
        start = day_window(day).start
        return any(header.observed for other, header in self.headers.items() if other < day) or any(
            header.state is HourState.GOOD for hour, header in hours.items() if hour < start
        )

    def _rows(self, day: date, answer: DayAnswer) -> Mapping[str, list[Allocation]]:
        return extended(answer, day_window(day), self._running_into(day) if answer.starts_late else None)

    def _running_into(self, day: date) -> set[Key] | None:
        """Return the keys of the containers that ran when `day` began, None if nothing stored tells."""
        start = day_window(day).start
        before = self.headers.get(day - _DAY)
        if before is not None and before.observed and before.observed[-1].end == start:
            rows = self.collections.day_rows(self.cluster, [before.day], None)
            end = int(start.timestamp())
            return {row[:3] for _, _, listed in rows for row in listed if row.end == end and row.running}
        window = Window(start - HOUR, start)
        if not self.collections.headers(self.cluster, window):
            return None
        hour = self.collections.namespace_rows(self.cluster, window, None)
        return {key for _, _, listed in hour for key in running_at_the_end(listed, window)}


def _is_unpriced(answer: DayAnswer, hours: Mapping[datetime, HourHeader]) -> bool:
    """Whether the day lists no node though hours do: then its containers stand at default prices (T42)."""
    return not answer.node_count and any(header.node_count for header in hours.values())


def _folded(rows: Mapping[str, list[Allocation]]) -> Iterator[NamespaceFold]:
    return ((name, fold(map(container_cost, listed))) for name, listed in rows.items())
