"""Windows whose first five minutes the backend lost (T14)."""

from datetime import timedelta
from typing import Any

import pytest

from costintel.cost.allocation import Allocation
from costintel.cost.repair import extend_late
from costintel.cost.window import Window
from tests.opencost.entries import (
    DAY,
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

_LATE: dict[str, Any] = span(5, 60)
_LATE_NODE = node(hours=55 / 60, **_LATE)


def test_a_late_hour_is_told_by_its_nodes() -> None:
    """Node assets that start five minutes in: the backend lost them."""
    assert read([container(**_LATE)], [_LATE_NODE]).starts_late


@pytest.mark.parametrize("first", [0, 10])
def test_nodes_that_start_elsewhere_are_no_late_start(first: int) -> None:
    """A whole hour starts at :00, an outage ends anywhere."""
    assert not read([container()], [node(**span(first, 60))]).starts_late


def test_one_new_node_is_no_late_start() -> None:
    """A node born at :05 beside one that ran from :00 on lost nothing."""
    answer = read([container()], [node(), node(name="node-b", hours=55 / 60, **_LATE)])
    assert not answer.starts_late
    assert [one.minutes for one in answer.assets] == [60, 55]


def test_a_node_seen_once_does_not_hide_a_late_start() -> None:
    """1.113 places a node seen once half a step earlier, at 02:30."""
    once = node(name="node-b", hours=5 / 60, **span(2.5, 7.5))
    assert read([container(**_LATE)], [once, _LATE_NODE]).starts_late


def test_late_nodes_and_disks_are_whole_again() -> None:
    """60 / 55 of 55 minutes: 0.184 an hour, 4 core-hours, 16 GiB-hours."""
    disk = asset("Disk", "pv-1", 0.0055, byteHours=55.0, **_LATE)
    found, volume = read([container(**_LATE)], [_LATE_NODE, disk]).assets
    assert (found.start, found.minutes) == pytest.approx((seconds(0), 60))
    assert (found.total_cost, found.cpu_cost, found.ram_cost) == pytest.approx((0.184, 0.12, 0.064))
    assert (found.cpu_core_hours, found.ram_byte_hours) == pytest.approx((4, 16 * GIB))
    assert (volume.total_cost, volume.byte_hours) == pytest.approx((0.006, 60))


def test_a_late_node_of_part_of_the_hour_gets_its_own_five_minutes() -> None:
    """A node gone at :20 shows 15 minutes of 20."""
    gone = node(name="node-b", hours=0.25, **span(5, 20))
    assert read([container(**_LATE)], [_LATE_NODE, gone]).assets[1].total_cost == pytest.approx(0.184 / 3)


def test_a_node_that_came_later_is_left_alone() -> None:
    """What starts after :05 lost nothing."""
    came = node(name="node-b", hours=0.5, **span(30, 60))
    assert read([container(**_LATE)], [_LATE_NODE, came]).assets[1].total_cost == pytest.approx(0.092)


def test_the_control_plane_is_whole_again() -> None:
    """It always shows the whole window and costs 55 minutes: 0.091667 becomes 0.10."""
    found = read([container(**_LATE)], [_LATE_NODE, asset("ClusterManagement", "", 0.1 * 55 / 60)]).assets[1]
    assert (found.total_cost, found.minutes) == pytest.approx((0.1, 60))


@pytest.mark.parametrize(("window", "lost"), [(HOUR, 55 / 60), (DAY, 1435 / 1440)])
def test_unmounted_volumes_are_whole_again(window: Window, lost: float) -> None:
    """They show the whole window and cost five minutes less: x 60 / 55 in an hour, 1440 / 1435 in a day."""
    minutes = window.hours * 60
    rows = [container(window, **span(5, minutes, window)), unmounted(window, pvCost=0.006 * lost)]
    nodes = [node(window, **span(5, minutes, window))]
    (row,) = read(rows, nodes, window=window).rows_by_namespace["__unmounted__"]
    assert row.storage_cost == pytest.approx(0.006)


@pytest.mark.parametrize("asset_cost", [0.025, 0.025 * 55 / 60])
def test_load_balancers_lose_the_excess_first(asset_cost: float) -> None:
    """Seen for 55 minutes, rows cost 60: they and the asset come to 0.025 whether the asset carries the excess or not."""
    row = container(**{**_LATE, **share("shop/web", 0.025)})
    answer = read([row], [_LATE_NODE, asset("LoadBalancer", "shop/web", asset_cost, **_LATE)])
    assert only_row(answer).load_balancer_cost == pytest.approx(0.025)
    assert answer.assets[1].total_cost == pytest.approx(0.025)


def test_a_repaired_window_was_observed_whole() -> None:
    """The lost minutes count as observed."""
    assert read([container(**_LATE)], [_LATE_NODE]).observed == (seconds(0), seconds(60))


def test_an_outage_after_a_late_start_still_shows() -> None:
    """Only the lost five minutes are given back."""
    assert read([container(**span(5, 40))], [node(hours=35 / 60, **span(5, 40))]).observed == (seconds(0), seconds(40))


def test_running_rows_wait_for_the_window_before() -> None:
    """Whether a container ran before :05 is known only there."""
    row = only_row(read([container(**_LATE)], [_LATE_NODE]))
    assert (row.start, row.cpu_core_hours) == (seconds(5), 1)


def _late_row(**changes: Any) -> Allocation:
    fields = {"cpuCost": 0.0275, "ramCost": 0.0055, "cpuCoreHours": 0.55, "ramByteHours": 11, **_LATE, **changes}
    fields |= {"ramByteRequestAverage": 12, "ramByteUsageAverage": 6, "networkCost": 0.7, "pvCost": 0.0011}
    return only_row(read([container(**fields)]))


def test_a_row_that_was_there_before_gets_its_five_minutes() -> None:
    """60 / 55 of it: 0.0275 becomes 0.03; network and CPU usage are totals of the window and stay."""
    (row,) = extend_late([_late_row()], {("shop", "web-1", "web")}, HOUR)
    assert (row.start, row.end) == (seconds(0), seconds(60))
    assert (row.cpu_cost, row.ram_cost, row.storage_cost) == pytest.approx((0.03, 0.006, 0.0012))
    assert (row.cpu_core_hours, row.ram_byte_hours) == pytest.approx((0.6, 12))
    assert (row.cpu_core_hours_requested, row.ram_byte_hours_requested) == pytest.approx((1, 12))
    assert row.ram_byte_hours_used == pytest.approx(6)
    assert (row.network_cost, row.cpu_core_hours_used) == (0.7, 0.5)


def test_a_row_that_was_not_there_before_is_new() -> None:
    """A container that started at :05 lost nothing."""
    rows = [_late_row()]
    assert extend_late(rows, {("shop", "web-2", "web")}, HOUR) == rows


@pytest.mark.parametrize("first", [0, 4, 10])
def test_only_rows_that_start_at_five_past_are_extended(first: float) -> None:
    """Another start is the container's own."""
    rows = [_late_row(**span(first, 60))]
    assert extend_late(rows, {("shop", "web-1", "web")}, HOUR) == rows


def test_unmounted_rows_are_not_extended_twice() -> None:
    """They are repaired when the answer is read."""
    rows = rows_of(read([unmounted(**_LATE)]))
    assert extend_late(rows, {rows[0].key}, HOUR) == rows


def test_a_window_of_any_length_starts_late_by_five_minutes() -> None:
    """A slice of half an hour shows 25 minutes: x 30 / 25."""
    half = Window(HOUR.start, HOUR.start + timedelta(minutes=30))
    row = only_row(read([container(half, **span(5, 30), cpuCost=0.0125)], window=half))
    (extended,) = extend_late([row], {row.key}, half)
    assert extended.cpu_cost == pytest.approx(0.015)
