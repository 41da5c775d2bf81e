"""Answers of `/allocation` and `/assets` to their query parameters."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from local.standin.aggregation import Rows, accumulated, aggregated
from local.standin.allocation import BATCH_SECONDS, idle_row, split, window_rows
from local.standin.asset import Asset, reader, rendered_assets
from local.standin.filter import ALLOCATION_FIELDS, ASSET_FIELDS, IllegalFilterError, parse_filter, row_reader
from local.standin.inventory import assets, node_rows
from local.standin.rendering import set_pieces
from local.standin.response import TEXT, Response, enveloped, failure, failure_body, text
from local.standin.row import IDLE, Row
from local.standin.sampling import Window
from local.standin.time_window import (
    Bounds,
    IllegalStepError,
    IllegalWindowError,
    parse_bool,
    parse_step,
    parse_window,
)
from local.standin.version import Version
from local.standin.view import View

Query = Mapping[str, str]
_CALENDAR_UNITS = {"hour": "%Y-%m-%dT%H", "day": "%Y-%m-%d", "week": "%G-%V", "month": "%Y-%m", "quarter": "%Y-%m"}


_NOTHING_TO_ACCUMULATE = (
    "error accumulating by all: error accumulating all:AllocationSetRange has empty AssetSet in accumulation"
)


class EndlessStepError(Exception):
    """`step=0`: OpenCost never answers (trap T22)."""


@dataclass(frozen=True, slots=True)
class WindowSet:
    """One set of an answer: its window and its rows by key."""

    window: Window
    rows: Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Answers questions at one moment: `view_of` shows a window of the cluster as it is seen now."""

    version: Version
    now: datetime
    view_of: Callable[[Window], View]

    def allocation(self, query: Query) -> Response:
        """Answer `/allocation`.

        Raises:
            EndlessStepError: a step of zero.
        """
        try:
            start, end = parse_window(query.get("window", ""), self.now)
        except IllegalWindowError:
            return self._illegal_window(query.get("window", ""))
        if end < start:
            return failure(500, f"illegal window: {_bounds((start, end))}", self.version)
        if start == end:
            return enveloped(("[]",), self.version)
        try:
            step = self._step(query, end - start)
            sets = self._sets(query, Window(start, end, self.version.left_open), step)
        except IllegalStepError as error:
            return failure(400, f"Invalid step parameter: {error}", self.version)
        except IllegalFilterError as error:
            return failure(500, f"invalid filter: parsing filter: {error}", self.version)
        return self._answer(query, sets)

    def assets(self, query: Query) -> Response:
        """Answer `/assets`."""
        try:
            start, end = parse_window(query.get("window", ""), self.now)
        except IllegalWindowError:
            return text(400, f"Invalid 'window' parameter: illegal window: {query.get('window', '')}")
        if end <= start:
            return enveloped(("{}",), self.version)
        window = Window(start, end, self.version.left_open)
        try:
            chosen = self._chosen(query.get("filter", ""), assets(self.view_of(window)))
        except IllegalFilterError as error:
            return text(500, f"Error getting assets: err parsing filter '': parsing filter: {error}")
        return enveloped((rendered_assets({asset.key: asset for asset in chosen}, window),), self.version)

    def _illegal_window(self, asked: str) -> Response:
        """Plain text with a JSON error glued to it: not JSON (trap T2)."""
        glued = failure_body(500, "illegal window: [nil, nil)", self.version)
        first_line = f"Invalid 'window' parameter: illegal window: {asked}\n".encode()
        return Response(400, TEXT, (first_line, glued))

    def _step(self, query: Query, whole: int) -> int:
        """Read the asked step; the old version takes an unreadable one for the whole window."""
        if not query.get("step"):
            return whole
        try:
            step = parse_step(query["step"], calendar=self.version.calendar_steps)
        except IllegalStepError:
            if self.version.calendar_steps:
                raise
            return whole
        if step == 0:
            raise EndlessStepError
        return step

    def _sets(self, query: Query, window: Window, step: int) -> list[WindowSet]:
        """Compute the sets from the window's start; the last may reach past its end.

        A filter drops the sets it leaves empty (trap T6).
        """
        keep = self._row_filter(query)
        sets = []
        for start in range(window.start, window.end, step):
            part = Window(start, start + step, window.left_open)
            rows = window_rows(part, self.view_of)
            if keep is not None:
                rows = {key: row for key, row in rows.items() if keep(row_reader(row))}
                if not rows:
                    continue
            sets.append(WindowSet(part, self._grouped(query, part, rows)))
        return sets

    def _row_filter(self, query: Query) -> Callable[..., bool] | None:
        """Parse the filter, if this version knows it (trap T4)."""
        asked = query.get("filter", "")
        return parse_filter(asked, ALLOCATION_FIELDS) if asked and self.version.filters_allocations else None

    def _grouped(self, query: Query, window: Window, rows: Rows) -> dict[str, Row]:
        grouped = aggregated(rows, query.get("aggregate"))
        if not parse_bool(query.get("includeIdle")):
            return grouped
        batches = split(window, BATCH_SECONDS)
        nodes = [node for part in batches for node in node_rows(self.view_of(part))]
        view = self.view_of(window)
        idle = idle_row(view.index.model.cluster_id, nodes, rows.values(), never_negative=self.version.calendar_steps)
        if idle is not None:
            grouped[IDLE] = idle
        return {key: grouped[key] for key in sorted(grouped)}

    def _answer(self, query: Query, sets: list[WindowSet]) -> Response:
        unit = self._accumulation(query)
        if unit is None:
            return enveloped(_list_pieces(sets, self.version), self.version)
        if not sets:
            return failure(500, _NOTHING_TO_ACCUMULATE, self.version)
        return enveloped(_list_pieces(_accumulated_by(unit, sets), self.version), self.version)

    def _accumulation(self, query: Query) -> str | None:
        asked = query.get("accumulate") or query.get("accumulateBy") or ""
        if parse_bool(asked) or asked == "all":
            return "all"
        return asked if self.version.calendar_steps and asked in _CALENDAR_UNITS else None

    def _chosen(self, asked: str, found: Iterable[Asset]) -> list[Asset]:
        if not asked:
            return list(found)
        keep = parse_filter(asked, ASSET_FIELDS)
        return [asset for asset in found if keep(reader(asset))]


def _list_pieces(sets: Iterable[WindowSet], version: Version) -> Iterator[str]:
    separator = "["
    for one in sets:
        yield separator
        yield from set_pieces(one.rows, one.window, version)
        separator = ","
    yield "[]" if separator == "[" else "]"


def _accumulated_by(unit: str, sets: Iterable[WindowSet]) -> list[WindowSet]:
    """Add sets up whole, or per calendar unit of their start."""
    groups: dict[str, list[WindowSet]] = defaultdict(list)
    for one in sets:
        groups[_calendar_unit(unit, one.window.start)].append(one)
    return [
        WindowSet(
            Window(members[0].window.start, members[-1].window.end, members[0].window.left_open),
            accumulated(member.rows for member in members),
        )
        for members in groups.values()
    ]


def _calendar_unit(unit: str, start: int) -> str:
    if unit == "all":
        return unit
    moment = datetime.fromtimestamp(start, tz=UTC)
    if unit == "quarter":
        return f"{moment.year}-{(moment.month - 1) // 3}"
    return moment.strftime(_CALENDAR_UNITS[unit])


def _bounds(bounds: Bounds) -> str:
    start, end = (datetime.fromtimestamp(moment, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S+0000") for moment in bounds)
    return f"[{start}, {end})"
