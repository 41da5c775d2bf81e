"""Fold stored hours over a window, namespace by namespace, so that the memory needed is that of one namespace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from costintel.cost.allocation import Allocation
from costintel.cost.collection import HourHeader
from costintel.cost.container import ContainerCost, container_cost, fold
from costintel.cost.hour import HourState
from costintel.cost.repair import extend_late
from costintel.cost.window import HOUR, Window
from costintel.storage.collections import Collections

NamespaceFold = tuple[str, list[ContainerCost]]
_MOST_ROWS = 100_000
"""Rows of one namespace that are folded together at once; a namespace with more is folded in steps."""
_LOST = timedelta(minutes=5)
"""What a late start (T14) costs an hour."""


@dataclass(frozen=True, kw_only=True)
class Folding:
    """Folds of one cluster's stored hours. Only good hours count."""

    cluster: str
    collections: Collections

    def observed(self, window: Window) -> tuple[Window, ...]:
        """Return the observed spans of the good hours of `window`, oldest first."""
        return observed_spans(self._headers(window), window)

    def namespaces(self, window: Window, namespaces: Sequence[str] | None) -> Iterator[NamespaceFold]:
        """Yield each of `namespaces` (None: all) that cost something in a good hour of `window`, with its containers folded.

        The hour before the window is read too: it tells what was running when a window that starts late began (T14).
        """
        headers = self._headers(window)
        stream = self.collections.namespace_rows(self.cluster, _with_hour_before(window), namespaces)
        folded: _NamespaceHours | None = None
        for hour, namespace, rows in stream:
            if folded is None or folded.namespace != namespace:
                if folded is not None and folded.containers:
                    yield folded.result()
                folded = _NamespaceHours(namespace=namespace, headers=headers, window=window)
            folded.add(hour, rows)
        if folded is not None and folded.containers:
            yield folded.result()

    def _headers(self, window: Window) -> dict[datetime, HourHeader]:
        found = self.collections.headers(self.cluster, _with_hour_before(window))
        return {header.window.start: header for header in found}


@dataclass(kw_only=True)
class _NamespaceHours:
    """The hours of one namespace, added oldest first."""

    namespace: str
    headers: Mapping[datetime, HourHeader]
    window: Window
    containers: list[ContainerCost] = field(default_factory=list)
    _reached: tuple[datetime | None, frozenset[tuple[str, str, str]]] = (None, frozenset())

    def add(self, hour: datetime, rows: list[Allocation]) -> None:
        header = self.headers[hour]
        if header.state is HourState.GOOD and hour >= self.window.start:
            self.containers.extend(map(container_cost, self._extended(header, rows)))
            if len(self.containers) > _MOST_ROWS:
                self.containers = fold(self.containers)
        following = self.headers.get(hour + HOUR)
        if following is not None and following.starts_late:
            self._reached = (hour + HOUR, frozenset(running_at_the_end(rows, header.window)))

    def result(self) -> NamespaceFold:
        return self.namespace, fold(self.containers)

    def _extended(self, header: HourHeader, rows: list[Allocation]) -> list[Allocation]:
        moment, keys = self._reached
        if not header.starts_late or moment != header.window.start:
            return rows
        return extend_late(rows, keys, header.window)


def running_at_the_end(rows: Iterable[Allocation], window: Window) -> Iterator[tuple[str, str, str]]:
    """Yield the keys of the containers that ran to the end of `window`."""
    end = int(window.end.timestamp())
    return (row.key for row in rows if row.end == end and row.running)


def observed_spans(headers: Mapping[datetime, HourHeader], window: Window) -> tuple[Window, ...]:
    """Return the observed spans of the good hours of `window`, oldest first.

    An hour that starts late counts as observed whole, because its rows are extended; but not when the hour before it cannot
    tell which: then its first five minutes were seen by nobody.
    """
    spans = []
    for hour in window.clock_hours():
        header = headers.get(hour)
        if header is None or header.state is not HourState.GOOD or header.observed is None:
            continue
        before = headers.get(hour - HOUR)
        blind = header.starts_late and (before is None or not before.running_rows)
        spans.append(header.observed.since(hour + _LOST) if blind else header.observed)
    return tuple(spans)


def _with_hour_before(window: Window) -> Window:
    return Window(window.start - HOUR, window.end)
