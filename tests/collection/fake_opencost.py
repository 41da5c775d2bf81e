"""An OpenCost made of containers' lives, which answers in place of the client; it counts what it is asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from costintel.cost.allocation import UNMOUNTED, Allocation
from costintel.cost.asset import Asset, AssetType
from costintel.cost.hour import observed_span
from costintel.cost.window import Window
from costintel.opencost.answer import WindowAnswer
from costintel.opencost.status import OpenCostStatus

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
FAR_AHEAD = datetime(2027, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Life:
    """A container from its start to its end: one core requested at `hourly_cost`, a quarter of it used."""

    namespace: str = "shop"
    pod: str = "web-5c9d8f7b6d-aaaaa"
    container: str = "web"
    controller_kind: str = "deployment"
    controller: str = "web"
    start: datetime = LONG_AGO
    end: datetime = FAR_AHEAD
    hourly_cost: float = 0.04

    def row(self, window: Window) -> Allocation | None:
        start, end = max(self.start, window.start), min(self.end, window.end)
        if start >= end:
            return None
        hours = (end - start).total_seconds() / 3600
        return Allocation(
            namespace=self.namespace,
            pod=self.pod,
            container=self.container,
            node="node-a",
            controller_kind=self.controller_kind,
            controller=self.controller,
            start=int(start.timestamp()),
            end=int(end.timestamp()),
            cpu_cost=self.hourly_cost * hours,
            cpu_core_hours=hours,
            cpu_core_hours_requested=hours,
            cpu_core_hours_used=hours / 4,
            ram_byte_hours_used=0.0,
        )


@dataclass(kw_only=True)
class FakeOpenCost:
    """Stands where the client stands. `blind`: starts of windows without a container (T43); `unpriced`: without a node (T42).

    `failing` is raised for every window, or for those that start at one of `failing_at`.
    """

    lives: Sequence[Life] = (Life(),)
    blind: set[datetime] = field(default_factory=set)
    unpriced: set[datetime] = field(default_factory=set)
    failing: Exception | None = None
    failing_at: dict[datetime, Exception] = field(default_factory=dict)
    observed_from: datetime = LONG_AGO
    late: bool = False
    changed: Callable[[WindowAnswer], WindowAnswer] | None = None
    before: Callable[[Window], None] | None = None
    calls: list[Window] = field(default_factory=list)

    @property
    def hours(self) -> list[datetime]:
        """The starts of the windows asked for, in order."""
        return [window.start for window in self.calls]

    def answer(self, window: Window, *, cluster_id: str) -> WindowAnswer:
        self.calls.append(window)
        if self.before is not None:
            self.before(window)
        error = self.failing or self.failing_at.get(window.start)
        if error is not None:
            raise error
        answer = self._answer(window)
        return answer if self.changed is None else self.changed(answer)

    def cluster_id(self) -> str:
        return "made"

    def status(self) -> OpenCostStatus:
        return OpenCostStatus(version="1.120.2", pricing_sources=None, pricing_counts=None)

    def _answer(self, window: Window) -> WindowAnswer:
        seen = window if window.end <= self.observed_from else window.since(self.observed_from)
        blind = window.start in self.blind or window.end <= self.observed_from
        found = [] if blind else [row for life in self.lives if (row := life.row(seen)) is not None]
        rows = [_late(row, window) for row in found] if self.late else found
        grouped: dict[str, list[Allocation]] = {}
        for row in rows:
            grouped.setdefault(row.namespace, []).append(row)
        nodes = () if not rows or window.start in self.unpriced else (_node(window),)
        observed = observed_span(found, window)
        return WindowAnswer(
            window=window,
            rows_by_namespace=grouped,
            assets=nodes,
            observed=observed,
            running_rows=sum(row.running for row in rows),
            row_count=len(rows),
            node_count=len(nodes),
            starts_late=self.late and bool(rows),
        )


def unmounted(namespace: str, window: Window, cost: float) -> Allocation:
    """Make the row of a namespace's volumes that nothing mounts: it always spans the whole window."""
    return Allocation(
        namespace=namespace,
        pod=f"{namespace}-unmounted-pvcs",
        container=UNMOUNTED,
        node="",
        controller_kind="",
        controller="",
        start=int(window.start.timestamp()),
        end=int(window.end.timestamp()),
        storage_cost=cost,
    )


def with_row(answer: WindowAnswer, row: Allocation) -> WindowAnswer:
    """Add one more row."""
    rows = dict(answer.rows_by_namespace)
    rows[row.namespace] = [*rows.get(row.namespace, []), row]
    return replace(answer, rows_by_namespace=rows, row_count=answer.row_count + 1)


def _node(window: Window) -> Asset:
    start, end = int(window.start.timestamp()), int(window.end.timestamp())
    return Asset(
        type=AssetType.NODE,
        name="node-a",
        start=start,
        end=end,
        minutes=(end - start) / 60,
        total_cost=0.2,
        cpu_cost=0.16,
        ram_cost=0.04,
        cpu_core_hours=4.0,
        ram_byte_hours=16e9,
    )


def _late(row: Allocation, window: Window) -> Allocation:
    """Show a row as a backend that loses the first five minutes of a window (T14) does."""
    first = int(window.start.timestamp())
    if row.start != first:
        return row
    kept = (row.end - row.start - 300) / (row.end - row.start)
    return row._replace(
        start=first + 300,
        cpu_cost=row.cpu_cost * kept,
        cpu_core_hours=row.cpu_core_hours * kept,
        cpu_core_hours_requested=row.cpu_core_hours_requested * kept,
    )
