"""Load balancers without the extra step of the grid (T31)."""

from typing import Any

import pytest

from costintel.opencost.answer import WindowAnswer
from tests.opencost.entries import DAY, asset, container, read, rows_of, share, span, unmounted

_PRICE = 0.025


def _row(pod: str, service: str, cost: float, **changes: Any) -> dict[str, Any]:
    return container(properties={"pod": pod}, **share(service, cost), **changes)


def _total(answer: WindowAnswer) -> float:
    return sum(row.load_balancer_cost for row in rows_of(answer))


def _asset_total(answer: WindowAnswer) -> float:
    return sum(one.total_cost for one in answer.assets)


def test_an_asset_that_is_right_decides() -> None:
    """1.120.2: rows cost 65 minutes, the asset 60: rows are scaled to 0.025, each keeping its part of it."""
    rows = [_row("a", "shop/web", _PRICE * 65 / 60 * 0.75), _row("b", "shop/web", _PRICE * 65 / 60 * 0.25)]
    answer = read(rows, [asset("LoadBalancer", "shop/web", _PRICE)])
    assert [row.load_balancer_cost for row in rows_of(answer)] == pytest.approx([0.01875, 0.00625])
    assert _asset_total(answer) == _PRICE


def test_rows_and_asset_with_the_same_excess_lose_both() -> None:
    """1.113: both cost 65 minutes; both become 60 / 65 of it."""
    answer = read([_row("a", "shop/web", 0.0270833)], [asset("LoadBalancer", "shop/web", 0.027083)])
    assert (_total(answer), _asset_total(answer)) == pytest.approx((_PRICE, _PRICE), abs=1e-6)


@pytest.mark.parametrize(("reported", "asset_cost"), [(0.602083, 0.602083), (0.602083, 0.6)])
def test_the_two_relations_differ_little_in_a_day(reported: float, asset_cost: float) -> None:
    """1445 / 1440 is 0.35 %: the nearer relation decides, and 0.60 comes out of both."""
    row = container(DAY, **share("shop/web", reported))
    answer = read([row], [asset("LoadBalancer", "shop/web", asset_cost, DAY)], window=DAY)
    assert (_total(answer), _asset_total(answer)) == pytest.approx((0.6, 0.6), abs=1e-6)


def test_a_load_balancer_of_part_of_the_window_loses_its_own_five_minutes() -> None:
    """20 minutes seen: rows cost 25 minutes, the asset 20 = 0.008333."""
    answer = read([_row("a", "shop/web", 0.0104167)], [asset("LoadBalancer", "shop/web", 0.008333, **span(0, 20))])
    assert _total(answer) == pytest.approx(0.008333)


def test_services_are_told_apart() -> None:
    """One asset right, the other with the excess: each by its own relation."""
    rows = [_row("a", "shop/web", 0.0270833), _row("b", "pay/web", 0.0541667)]
    answer = read(rows, [asset("LoadBalancer", "shop/web", 0.025), asset("LoadBalancer", "pay/web", 0.0541667)])
    assert [row.load_balancer_cost for row in rows_of(answer)] == pytest.approx([0.025, 0.05])


def test_two_load_balancers_of_one_service_each_lose_five_minutes() -> None:
    """A Service re-created at half past: 2 x 30 minutes; its rows cost 35 + 35 minutes."""
    halves = [
        asset("LoadBalancer", "shop/web", 0.0125, **span(0, 30)),
        asset("LoadBalancer", "shop/web", 0.0125, **span(30, 60)),
    ]
    assert _total(read([_row("a", "shop/web", 0.0291667)], halves)) == pytest.approx(0.025)


def test_the_cost_is_spread_also_over_what_nothing_runs() -> None:
    """A Service without pods: OpenCost puts it on the unmounted row, which is scaled like any other."""
    answer = read([container(), unmounted(**share("shop/web", 0.0270833))], [asset("LoadBalancer", "shop/web", 0.025)])
    (row,) = answer.rows_by_namespace["__unmounted__"]
    assert row.load_balancer_cost == pytest.approx(0.025)
    assert row.storage_cost == 0.0055


@pytest.mark.parametrize(
    "assets", [[], [asset("LoadBalancer", "shop/web", 0.01)], [asset("LoadBalancer", "other/web", 0.025)]]
)
def test_rows_without_a_fitting_asset_stay(assets: list[dict[str, Any]]) -> None:
    """A relation nobody knows is no reason to change a figure."""
    assert _total(read([_row("a", "shop/web", 0.0270833)], assets)) == pytest.approx(0.0270833)


def test_an_adjustment_is_not_scaled() -> None:
    """T40: what the bill added to a row stays beside its corrected share."""
    entry = _row("a", "shop/web", 0.0270833, loadBalancerCostAdjustment=0.001)
    answer = read([entry], [asset("LoadBalancer", "shop/web", 0.025)])
    assert _total(answer) == pytest.approx(0.026)


def test_a_free_load_balancer_stays_free() -> None:
    """A price of 0 divides nothing."""
    assert _total(read([_row("a", "shop/web", 0)], [asset("LoadBalancer", "shop/web", 0)])) == 0
