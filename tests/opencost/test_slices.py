"""A window asked in slices."""

from datetime import timedelta
from typing import Any

import pytest

from costintel.cost.window import Window
from costintel.opencost.answer import WindowAnswer
from costintel.opencost.slices import join_slices
from tests.opencost.entries import (
    GIB,
    HOUR,
    asset,
    container,
    node,
    only_row,
    read,
    rows_of,
    seconds,
    share,
    span,
    unmounted,
)

_MIDDLE = HOUR.start + timedelta(minutes=30)
_FIRST = Window(HOUR.start, _MIDDLE)
_SECOND = Window(_MIDDLE, HOUR.end)
_HALF: dict[str, Any] = {"cpuCoreHours": 0.5, "cpuCost": 0.015, "ramByteHours": GIB, "ramCost": 0.004}


def _half(window: Window, *rows: dict[str, Any], nodes: bool = True, **node_changes: Any) -> WindowAnswer:
    return read(rows, [node(window, **node_changes)] if nodes else [], window=window)


def _container(window: Window, **changes: Any) -> dict[str, Any]:
    return container(window, **{**_HALF, **changes})


def _joined(first: WindowAnswer, second: WindowAnswer) -> WindowAnswer:
    return join_slices([first, second], HOUR)


def test_costs_and_hours_add_up() -> None:
    """Two halves of the standard container are its whole hour, with CPU usage weighted by slice (T41)."""
    joined = _joined(_half(_FIRST, _container(_FIRST)), _half(_SECOND, _container(_SECOND, cpuCoreUsageAverage=0.1)))
    row = only_row(joined)
    assert (row.start, row.end) == (seconds(0), seconds(60))
    assert row[8:10] == pytest.approx((0.03, 0.008))
    assert (row.cpu_core_hours, row.ram_byte_hours) == (1, 2 * GIB)
    assert (row.cpu_core_hours_requested, row.cpu_core_hours_used) == pytest.approx((1, 0.3))
    assert row.ram_byte_hours_used == GIB


def test_one_row_per_container_remains() -> None:
    """A container of one slice stays as it is, one of both becomes one row."""
    other = _container(_SECOND, properties={"pod": "web-2"})
    joined = _joined(_half(_FIRST, _container(_FIRST)), _half(_SECOND, _container(_SECOND), other))
    assert {row.pod: row.minutes for row in rows_of(joined)} == {"web-1": 60, "web-2": 30}
    assert (joined.running_rows, joined.row_count) == (2, 2)


def test_the_controller_that_is_known_stays() -> None:
    """T42: a slice that lost the controllers does not take them from the other."""
    lost = _container(_SECOND, properties={"controllerKind": None, "controller": None})
    assert only_row(_joined(_half(_FIRST, _container(_FIRST)), _half(_SECOND, lost))).controller == "web"


def test_usage_unmeasured_in_one_slice_is_unknown() -> None:
    """T44: half a usage would read as idle."""
    silent = _container(_SECOND, cpuCoreUsageAverage=0, ramByteUsageAverage=0)
    row = only_row(_joined(_half(_FIRST, _container(_FIRST)), _half(_SECOND, silent)))
    assert (row.cpu_core_hours_used, row.ram_byte_hours_used) == (None, None)


def test_assets_add_up_to_the_hour() -> None:
    """Node and disk of both halves; a node of one half keeps its 30 minutes."""
    first = read(
        [_container(_FIRST)], [node(_FIRST), node(_FIRST, name="gone"), asset("Disk", "pv", 0.5, _FIRST)], window=_FIRST
    )
    second = read([_container(_SECOND)], [node(_SECOND), asset("Disk", "pv", 0.25, _SECOND)], window=_SECOND)
    joined = _joined(first, second)
    whole = {one.name: one for one in joined.assets}
    assert (whole["node-a"].total_cost, whole["node-a"].minutes) == pytest.approx((0.184, 60))
    assert (whole["gone"].total_cost, whole["gone"].minutes) == pytest.approx((0.092, 30))
    assert whole["pv"].total_cost == 0.75
    assert joined.node_count == 2


def test_spans_join_as_hulls() -> None:
    """First start to last end."""
    joined = _joined(
        _half(_FIRST, _container(_FIRST, **span(10, 30))), _half(_SECOND, _container(_SECOND, **span(30, 50)))
    )
    assert joined.observed == (seconds(10), seconds(50))


def test_load_balancer_shares_add_up() -> None:
    """Each slice is corrected by itself (T31): 35 of 30 minutes twice become 0.025 for the hour."""
    halves = [
        read(
            [_container(window, **share("shop/web", 0.025 * 35 / 60))],
            [asset("LoadBalancer", "shop/web", 0.0125, window)],
            window=window,
        )
        for window in (_FIRST, _SECOND)
    ]
    row = only_row(join_slices(halves, HOUR))
    assert row.load_balancer_cost == pytest.approx(0.025)
    assert [one.cost for one in row.load_balancers] == pytest.approx([0.025])


def test_a_late_slice_is_repaired_by_the_one_before() -> None:
    """T14: every slice loses five minutes; the second gets them back here, the first needs the hour before."""
    late = [
        _half(window, _container(window, **span(5, 30, window), cpuCost=0.0125), hours=25 / 60, **span(5, 30, window))
        for window in (_FIRST, _SECOND)
    ]
    joined = join_slices(late, HOUR)
    row = only_row(joined)
    assert joined.starts_late
    assert (row.start, row.end) == (seconds(5), seconds(60))
    assert row.cpu_cost == pytest.approx(0.0125 + 0.015)


def test_a_slice_at_default_prices_spoils_the_nodes() -> None:
    """T42: with running rows but no node in one slice, the whole is not priced."""
    joined = _joined(_half(_FIRST, _container(_FIRST)), _half(_SECOND, _container(_SECOND), nodes=False))
    assert joined.node_count == 0


def test_a_blind_slice_leaves_the_other() -> None:
    """T43: a slice without running rows adds nothing but its unmounted volumes."""
    joined = _joined(_half(_FIRST, _container(_FIRST)), _half(_SECOND, unmounted(_SECOND)))
    assert (joined.running_rows, joined.row_count, joined.node_count) == (1, 2, 1)
    assert joined.observed == (seconds(0), seconds(30))


def test_slices_without_anything_stay_empty() -> None:
    """Two gaps are a gap."""
    joined = _joined(_half(_FIRST, nodes=False), _half(_SECOND, nodes=False))
    assert (joined.row_count, joined.observed, joined.assets) == (0, None, ())


def test_slices_must_cover_the_window() -> None:
    """A missing part would be a smaller hour."""
    first, second = _half(_FIRST, _container(_FIRST)), _half(_SECOND, _container(_SECOND))
    for slices in ([], [first], [second, first], [first, first]):
        with pytest.raises(ValueError, match="consecutive"):
            join_slices(slices, HOUR)
