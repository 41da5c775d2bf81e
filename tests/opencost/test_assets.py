"""Assets as they are read."""

from typing import Any

import pytest

from costintel.cost.asset import Asset, AssetType
from costintel.errors import OpenCostRefused
from tests.opencost.entries import DAY, GIB, asset, container, node, read, seconds, span


def _only(entry: dict[str, Any]) -> Asset:
    (found,) = read([container()], [entry]).assets
    return found


def test_a_node_is_read_with_its_parts() -> None:
    """Costs stand before the discount; total is (0.12 + 0.064) x 0.7 + 1 = 1.1288."""
    overhead = {"CpuOverheadFraction": 0.02, "RamOverheadFraction": 0.075, "OverheadCostFraction": 0.039}
    found = _only(
        node(discount=0.3, gpuCost=1, GPUHours=2, totalCost=1.1288, overhead=overhead, nodeType="m6i", preemptible=1)
    )
    assert (found.type, found.name, found.provider_id) == (AssetType.NODE, "node-a", "i-node-a")
    assert (found.start, found.end, found.minutes) == (seconds(0), seconds(60), 60)
    assert (found.cpu_cost, found.ram_cost, found.gpu_cost, found.discount) == (0.12, 0.064, 1, 0.3)
    assert (found.cpu_core_hours, found.ram_byte_hours, found.gpu_hours) == (4, 16 * GIB, 2)
    assert (found.cpu_overhead_fraction, found.ram_overhead_fraction) == (0.02, 0.075)
    assert (found.node_type, found.spot, found.total_cost) == ("m6i", True, 1.1288)


@pytest.mark.parametrize("overhead", [None, {}, {"CpuOverheadFraction": 0, "RamOverheadFraction": 0}])
def test_an_unknown_overhead_is_not_zero(overhead: dict[str, float] | None) -> None:
    """T30: null for a free node, all 0 when allocatable is unknown."""
    found = _only(node(overhead=overhead))
    assert (found.cpu_overhead_fraction, found.ram_overhead_fraction) == (None, None)


def test_a_disk_is_read_with_its_claim() -> None:
    """Storage class, claim and byte-hours."""
    fields = {"byteHours": 5.0, "storageClass": "gp3", "claimName": "data", "claimNamespace": "shop", "local": 0}
    found = _only(asset("Disk", "pv-1", 0.01, **fields))
    assert (found.type, found.byte_hours, found.storage_class, found.claim, found.local) == (
        AssetType.DISK,
        5,
        "gp3",
        "shop/data",
        False,
    )


@pytest.mark.parametrize("fields", [{"local": 1}, {"storageClass": "__local__"}])
def test_a_root_disk_is_told_apart(fields: dict[str, Any]) -> None:
    """T30: node disks; `local` exists since 1.114, the storage class before."""
    found = _only(asset("Disk", "node-a", 0.01, claimName="", claimNamespace="", **fields))
    assert (found.local, found.claim) == (True, "")


def test_types_opencost_does_not_have_are_left_out() -> None:
    """T40: Kubecost's Network, Cloud and Shared assets are no part of the cluster's assets here."""
    assert read([container()], [asset(kind, "x", 5) for kind in ("Network", "Cloud", "Shared")]).assets == ()


@pytest.mark.parametrize("minutes", [0, 5])
def test_ghost_assets_are_dropped(minutes: float) -> None:
    """T46: a node that was gone or not yet there shows 0 or 5 minutes at no cost."""
    ghost = node(name="gone", hours=0, **span(0, minutes))
    assert read([container()], [ghost, node()]).node_count == 1


def test_an_unpriced_disk_is_no_ghost() -> None:
    """A volume of a whole hour without a price stays: storage is not free, its price is not known."""
    assert _only(asset("Disk", "pv-1", 0)).total_cost == 0


def test_assets_of_other_clusters_are_dropped() -> None:
    """T38: their nodes would count as ours."""
    other = {"cluster": "other", "name": "node-a"}
    assert read([container()], [node(properties=other), node()]).node_count == 1


def test_assets_without_containers_are_dropped() -> None:
    """T43: when kube-state-metrics is missing nodes come without memory and at one core's price."""
    lying = node(ramByteHours=0, cpuCoreHours=0, ramCost=0, cpuCost=0.03, totalCost=0.03)
    answer = read([], [lying, asset("ClusterManagement", "", 0.1)])
    assert (answer.assets, answer.node_count, answer.observed) == ((), 0, None)


def test_a_kubecost_adjustment_belongs_to_the_nodes_parts() -> None:
    """T40: 0.184 - 0.046 is three quarters: so are CPU and memory, and the parts add up to the total."""
    found = _only(node(adjustment=-0.046, totalCost=0.138))
    assert (found.cpu_cost, found.ram_cost) == pytest.approx((0.09, 0.048))
    assert found.cpu_cost + found.ram_cost == pytest.approx(found.total_cost)


def test_assets_for_another_window_are_refused() -> None:
    """T28: assets of the nearest bucket are not the window's."""
    with pytest.raises(OpenCostRefused, match="another window"):
        read([container()], [node(DAY)])


@pytest.mark.parametrize("changes", [{"start": None}, {"totalCost": "1"}, {"totalCost": 10**400}, {"properties": 7}])
def test_an_asset_that_cannot_be_read_is_refused(changes: dict[str, Any]) -> None:
    """Bad input is an error and never an asset."""
    with pytest.raises(OpenCostRefused, match="an asset has a field"):
        read([container()], [asset("Disk", "pv-1", 0.01, **changes)])


def test_null_numbers_of_an_asset_count_nothing() -> None:
    """T24: NaN comes as null; a node without cost has no price."""
    found = _only(node(cpuCost=None, ramCost=None, cpuCoreHours=None))
    assert (found.cpu_cost, found.cpu_price) == (0, None)
