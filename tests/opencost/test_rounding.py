"""Costs rounded to 5 decimals, restored (T37)."""

import pytest

from tests.opencost.entries import GIB, container, node, only_row, read, rows_of


def test_a_cost_too_small_to_show_is_restored() -> None:
    """A container of 0.000004 reads 0: 0.00013 core-hours x 0.03 = 0.0000039, and a MiB-hour x 0.004 / GiB."""
    tiny = container(cpuCoreHours=0.00013, cpuCost=0, ramByteHours=GIB / 1024, ramCost=0)
    row = only_row(read([tiny], [node()]))
    assert row.cpu_cost == pytest.approx(0.0000039)
    assert row.ram_cost == pytest.approx(0.004 / 1024)


def test_a_thousand_tiny_containers_do_not_add_up_to_nothing() -> None:
    """S7: 1,000 x 0.0000039 is 0.0039, not 0."""
    tiny = [container(cpuCoreHours=0.00013, cpuCost=0, properties={"pod": f"p-{index}"}) for index in range(1000)]
    rows = rows_of(read(tiny, [node()]))
    assert sum(row.cpu_cost for row in rows) == pytest.approx(0.0039)


@pytest.mark.parametrize(("reported", "restored"), [(0.030011, 0.03), (0.029989, 0.03), (0.030013, 0.030013)])
def test_what_differs_by_more_than_rounding_stays_as_reported(reported: float, restored: float) -> None:
    """Up to 1.2e-5 both are the same figure; beyond that the container had another price than its node's average."""
    assert only_row(read([container(cpuCost=reported)], [node()])).cpu_cost == pytest.approx(restored, abs=1e-9)


def test_the_discount_is_on_cpu_and_memory_and_not_on_gpus() -> None:
    """4 cores at 0.12 before 30 % are 0.021 a core-hour, 16 GiB at 0.064 are 0.0028 a GiB-hour, a GPU at 0.5 stays 0.5."""
    entry = container(cpuCost=0.02101, ramCost=0.00559, gpuHours=1, gpuCost=0.50001)
    row = only_row(read([entry], [node(discount=0.3, GPUHours=2, gpuCost=1.0)]))
    assert row[8:11] == pytest.approx((0.021, 0.0056, 0.5), abs=1e-9)


def test_above_a_price_of_one_the_reported_cost_is_the_exact_one() -> None:
    """A third of an hour of a GPU at 2.5: 0.83333 is nearer to the truth than 0.33333 x 2.5 = 0.833325."""
    entry = container(gpuHours=0.33333, gpuCost=0.83333)
    assert only_row(read([entry], [node(GPUHours=1, gpuCost=2.5)])).gpu_cost == 0.83333


def test_rows_on_unlisted_nodes_stay_as_reported() -> None:
    """Fargate nodes are in no asset."""
    assert only_row(read([container(cpuCost=0.03001)], [node(name="other")])).cpu_cost == 0.03001


def test_adjustments_do_not_disturb_the_price() -> None:
    """T40: a reconciled node's price is compared before its adjustment, the row's own adjustment is added after."""
    entry = container(cpuCost=0.03001, cpuCostAdjustment=-0.01)
    row = only_row(read([entry], [node(adjustment=-0.092, totalCost=0.092)]))
    assert row.cpu_cost == pytest.approx(0.02)


def test_storage_is_the_sum_of_its_volumes() -> None:
    """Volumes come unrounded: 0.0000044 + 0.0000043 instead of 0.00001."""
    volumes = {"a": {"cost": 0.0000044, "byteHours": 1}, "b": {"cost": 0.0000043, "byteHours": 1}}
    assert only_row(read([container(pvCost=0.00001, pvs=volumes)])).storage_cost == pytest.approx(0.0000087)


def test_volumes_that_do_not_add_up_leave_storage_as_reported() -> None:
    """A sum further than 1.2e-5 from the reported cost is not the same figure."""
    assert only_row(read([container(pvCost=0.5, pvs={"a": {"cost": 0.25}})])).storage_cost == 0.5


def test_load_balancer_shares_are_taken_unrounded() -> None:
    """Shares come unrounded: 0.0000333."""
    shares = {"made/shop/web": {"service": "shop/web", "cost": 0.0000333}}
    row = only_row(read([container(loadBalancerCost=0.00003, lbAllocations=shares)]))
    assert row.load_balancer_cost == pytest.approx(0.0000333)
    assert [share.service for share in row.load_balancers] == ["shop/web"]


def test_shares_that_do_not_add_up_are_left_out() -> None:
    """A row whose shares are not its cost keeps the cost and names no load balancer."""
    shares = {"made/shop/web": {"service": "shop/web", "cost": 0.5}}
    row = only_row(read([container(loadBalancerCost=0.025, lbAllocations=shares)]))
    assert (row.load_balancer_cost, row.load_balancers) == (0.025, ())
