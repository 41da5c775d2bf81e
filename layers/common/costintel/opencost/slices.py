"""A window asked in slices, when OpenCost could not answer it in one piece, put together again."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import fsum

from costintel.cost.allocation import Allocation, LoadBalancerShare
from costintel.cost.asset_sum import add_assets
from costintel.cost.repair import extend_late
from costintel.cost.window import Window
from costintel.opencost.answer import WindowAnswer, node_count

_COSTS_AND_HOURS = slice(8, 19)


def join_slices(answers: Sequence[WindowAnswer], window: Window) -> WindowAnswer:
    """Add up the answers of consecutive slices to one for `window`: costs and hours add, spans join as hulls.

    Slices that start late are repaired with the slice before them; only the first still needs the window before. A slice
    with running rows but no node has default prices (T42), so the whole counts as without nodes. Raises ValueError unless
    the slices, in order, cover the window.
    """
    _check(answers, window)
    rows = _joined_rows(_extended(answers))
    assets = tuple(add_assets(asset for answer in answers for asset in answer.assets))
    spans = [answer.observed for answer in answers if answer.observed]
    priced = all(answer.node_count for answer in answers if answer.running_rows)
    everything = [row for group in rows.values() for row in group]
    return WindowAnswer(
        window=window,
        rows_by_namespace=rows,
        assets=assets,
        observed=(min(start for start, _ in spans), max(end for _, end in spans)) if spans else None,
        running_rows=sum(row.running for row in everything),
        row_count=len(everything),
        node_count=node_count(assets) if priced else 0,
        starts_late=answers[0].starts_late,
        foreign_rows=max(answer.foreign_rows for answer in answers),
    )


def _check(answers: Sequence[WindowAnswer], window: Window) -> None:
    windows = [answer.window for answer in answers]
    meeting = all(before.end == after.start for before, after in pairwise(windows))
    if not windows or not meeting or (windows[0].start, windows[-1].end) != (window.start, window.end):
        raise ValueError("slices: expected consecutive windows from the start to the end of the whole")


def _extended(answers: Sequence[WindowAnswer]) -> Iterator[list[Allocation]]:
    """Yield the rows of each slice, those of late ones extended where the slice before reaches their start."""
    before: frozenset[tuple[str, str, str]] = frozenset()
    for answer in answers:
        rows = [row for group in answer.rows_by_namespace.values() for row in group]
        yield extend_late(rows, before, answer.window) if answer.starts_late else rows
        end = int(answer.window.end.timestamp())
        before = frozenset(row.key for row in rows if row.running and row.end == end)


def _joined_rows(slices: Iterable[list[Allocation]]) -> dict[str, list[Allocation]]:
    groups: dict[tuple[str, str, str], list[Allocation]] = {}
    for rows in slices:
        for row in rows:
            groups.setdefault(row.key, []).append(row)
    joined: dict[str, list[Allocation]] = {}
    for group in groups.values():
        row = group[0] if len(group) == 1 else _joined(group)
        joined.setdefault(row.namespace, []).append(row)
    return joined


def _joined(group: Sequence[Allocation]) -> Allocation:
    named = next((row for row in reversed(group) if row.controller), group[-1])
    return Allocation._make(
        (
            *named[:6],
            min(row.start for row in group),
            max(row.end for row in group),
            *map(fsum, zip(*(row[_COSTS_AND_HOURS] for row in group), strict=True)),
            _measured(row.cpu_core_hours_used for row in group),
            _measured(row.ram_byte_hours_used for row in group),
            _shares(group),
        )
    )


def _measured(used: Iterable[float | None]) -> float | None:
    """Return the sum; None if one slice was not measured: part of a usage would read as idle."""
    known = list(used)
    return fsum(part for part in known if part is not None) if None not in known else None


def _shares(group: Sequence[Allocation]) -> tuple[LoadBalancerShare, ...]:
    costs: dict[str, list[float]] = {}
    for row in group:
        for service, cost in row.load_balancers:
            costs.setdefault(service, []).append(cost)
    return tuple(LoadBalancerShare(service, fsum(parts)) for service, parts in costs.items())
