"""Every sample answer parses or fails as it should, with its figures."""

from datetime import datetime
from math import fsum
from pathlib import Path

import pytest

from costintel.cost.allocation import Allocation
from costintel.cost.asset import Asset, AssetType
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused
from costintel.opencost.answer import WindowAnswer
from tests.opencost.entries import allocation_body, container, read_bodies, rows_of
from tests.opencost.recordings import SAMPLES

_FOLDER = SAMPLES / "opencost"


def _window(start: str, end: str) -> Window:
    return Window(datetime.fromisoformat(f"{start}Z"), datetime.fromisoformat(f"{end}Z"))


_DAY = _window("2026-03-09T11:00", "2026-03-10T11:00")

_ROWS = {
    "allocation-container-24h.json": (13, _DAY, "default-cluster"),
    "allocation-empty-window.json": (0, _DAY, "default-cluster"),
    "allocation-empty-window-legacy-envelope.json": (0, _DAY, "default-cluster"),
    "allocation-empty-filter-no-match.json": (0, _DAY, "default-cluster"),
    "allocation-namespace-7d-daily-filtered.json": (
        1,
        _window("2026-03-10T00:00", "2026-03-11T00:00"),
        "default-cluster",
    ),
    "real-kubecost-allocation-container-1h.json": (1, _window("2023-01-27T23:00", "2023-01-28T00:00"), "cluster-one"),
}
_NEGATIVE_MINUTES = "real-allocation-pod-negative-minutes.json"
_AGGREGATED = {
    "allocation-docs-example.json": _window("2023-07-12T11:02:46", "2023-07-19T11:02:46"),
    "allocation-label-app-24h.json": _DAY,
    "allocation-namespace-24h-idle.json": _DAY,
    "allocation-namespace-7d-daily.json": _window("2026-03-05T00:00", "2026-03-06T00:00"),
    "allocation-namespace-controllerkind-controller-24h.json": _DAY,
    "allocation-namespace-pod-24h.json": _DAY,
    "allocation-pod-24h.json": _DAY,
    "allocation-pod-24h-aggregatedmetadata.json": _DAY,
    "real-allocation-namespace-24h-negative-idle.json": _window("2024-09-30T12:00", "2024-10-01T12:00"),
}
_ASSETS = {
    "assets-24h.json",
    "assets-empty.json",
    "real-assets-node-disk-7d.json",
    "real-kubecost-assets-by-type-7d.json",
}
_OTHER_SHAPES = {
    "allocation-summary-24h.json",
    "assets-24h.json",
    "assets-empty.json",
    "cloudCost-docs-example.json",
    "clusterinfo.json",
    "pricingsourcecounts.json",
    "pricingsourcestatus.json",
    "real-assets-node-disk-7d.json",
}
_ERRORS = {
    "error-400-illegal-window.txt": "not JSON",
    "error-400-parc-without-idle.json": "code 400: bad request",
    "error-500-accumulate-empty-filter.json": "code 500: error accumulating by all",
    "error-500-invalid-filter.json": "code 500: invalid filter",
    "error-500-legacy-envelope.json": "code 500: error computing allocations",
    "error-500-prometheus-timeout.json": "code 500: error computing allocations",
    "installinfo.json": "code None",
}


def _body(name: str) -> bytes:
    return (_FOLDER / name).read_bytes()


def _sample_day() -> WindowAnswer:
    name = "allocation-container-24h.json"
    return read_bodies(_body(name), _body("assets-24h.json"), window=_DAY, cluster_id="default-cluster")


def _sample_row(pod: str, name: str) -> Allocation:
    return next(row for row in rows_of(_sample_day()) if (row.pod, row.container) == (pod, name))


def _cost(answer: WindowAnswer, kind: AssetType) -> float:
    return fsum(one.total_cost for one in answer.assets if one.type is kind)


def test_every_sample_is_tested() -> None:
    """A new sample must be given its expectation."""
    named = {*_ROWS, *_AGGREGATED, *_ASSETS, *_OTHER_SHAPES, *_ERRORS, _NEGATIVE_MINUTES}
    assert named == {path.name for path in Path(_FOLDER).iterdir()}


@pytest.mark.parametrize("name", _ROWS)
def test_container_answers_parse(name: str) -> None:
    """Answers container by container, and empty ones, of old and new envelopes."""
    count, window, cluster_id = _ROWS[name]
    assert read_bodies(_body(name), window=window, cluster_id=cluster_id).row_count == count


@pytest.mark.parametrize("name", _AGGREGATED)
def test_aggregated_answers_are_refused(name: str) -> None:
    """Entries that merge containers are not what was asked for."""
    with pytest.raises(
        OpenCostRefused, match=r"an allocation has no (container|pod): expected the answer container by container"
    ):
        read_bodies(_body(name), window=_AGGREGATED[name], cluster_id="default-cluster")


@pytest.mark.parametrize("name", sorted(_OTHER_SHAPES))
def test_other_answers_are_no_allocations(name: str) -> None:
    """Summaries, assets and the small routes are no list of sets."""
    with pytest.raises(OpenCostRefused, match="not what was asked for"):
        read_bodies(_body(name), window=_DAY, cluster_id="default-cluster")


@pytest.mark.parametrize("name", _ERRORS)
def test_error_bodies_are_refused_whatever_the_status(name: str) -> None:
    """Even with HTTP 200 an error body is no answer, and its text ends before queries and addresses."""
    with pytest.raises(OpenCostRefused, match=_ERRORS[name]) as refused:
        read_bodies(_body(name), window=_DAY, cluster_id="default-cluster")
    assert "http" not in str(refused.value)
    assert "query" not in str(refused.value)


def test_negative_minutes_are_no_row() -> None:
    """T13: 1.121's off-grid window of 76 seconds."""
    window = _window("2026-09-19T05:44:57", "2026-09-19T05:46:13")
    assert read_bodies(_body(_NEGATIVE_MINUTES), window=window, cluster_id="default-cluster").row_count == 0


def test_the_sample_cluster_adds_up() -> None:
    """Check values: nodes 4.521378, disks 0.256391 (0.051294 of them root disks), load balancer 0.526362, fee 2.339389."""
    answer = _sample_day()
    kinds = (AssetType.NODE, AssetType.DISK, AssetType.LOAD_BALANCER, AssetType.CONTROL_PLANE)
    assert [_cost(answer, kind) for kind in kinds] == pytest.approx([4.521378, 0.256391, 0.526362, 2.339389], abs=1e-9)
    assert fsum(one.total_cost for one in answer.assets if one.local) == pytest.approx(0.051294, abs=1e-9)
    assert answer.node_count == 2


def test_the_sample_cluster_has_system_cost() -> None:
    """Check value 0.27292 = 2 x (0.035 x 1.487851 + 0.109188 x 0.772838)."""
    nodes = [one for one in _sample_day().assets if one.type is AssetType.NODE]
    parts = [
        (one.cpu_overhead_fraction or 0) * one.cpu_cost + (one.ram_overhead_fraction or 0) * one.ram_cost
        for one in nodes
    ]
    assert fsum(parts) == pytest.approx(0.27292, abs=5e-6)


def test_a_sample_container_has_its_unrounded_costs() -> None:
    """17.10561 core-hours x 0.0318, 29.9621 GiB-hours x 0.00426, a volume of 0.0512743."""
    row = _sample_row("db-0", "postgres")
    assert row.cpu_cost == pytest.approx(17.10561 * 1.487851 / 46.787778, rel=1e-9)
    assert row.ram_cost == pytest.approx(32171449676.23112 * 0.772838 / 194795356635.591095, rel=1e-9)
    assert row.storage_cost == pytest.approx(0.051274277016742774)
    assert (row.controller_kind, row.controller, row.node) == ("statefulset", "db", "ip-10-0-1-23.ec2.internal")
    assert row.cpu_core_hours_requested == pytest.approx(0.5 * 1403.63333 / 60, rel=1e-6)


def test_the_sample_load_balancer_is_spread_without_excess() -> None:
    """T31: rows come to 0.52824 against an asset of 0.526362, seen for 1403.63 minutes: they are scaled to it."""
    rows = rows_of(_sample_day())
    assert fsum(row.load_balancer_cost for row in rows) == pytest.approx(0.526362)
    share = _sample_row("web-6c8d9f7b5d-2xk4p", "web").load_balancer_cost
    assert share == pytest.approx(0.0969064734 * 1403.633333 / 1408.633333, rel=1e-5)


@pytest.mark.parametrize(
    ("pod", "kind", "controller"),
    [
        ("checkout-7d9f8b6c5d-q5n8j", "rollout", "checkout"),
        ("report-29552160-7wq2x", "job", "report"),
        ("debug-shell", "", ""),
        ("web-7f9c5b8d6c-p8r5t", "deployment", "web"),
    ],
)
def test_sample_controllers(pod: str, kind: str, controller: str) -> None:
    """A Rollout by its name, a CronJob by its name, a bare pod by none."""
    row = next(row for row in rows_of(_sample_day()) if row.pod == pod)
    assert (row.controller_kind, row.controller) == (kind, controller)


def test_the_sample_day_was_observed_until_now() -> None:
    """T1, T11: the unmounted volume shows the future end, the running rows end at 10:23:38."""
    answer = _sample_day()
    end = int(datetime.fromisoformat("2026-03-10T10:23:38Z").timestamp())
    assert answer.observed == (int(_DAY.start.timestamp()), end)
    (unmounted,) = [row for row in rows_of(answer) if not row.running]
    assert unmounted.namespace == "shop"
    assert unmounted.storage_cost == pytest.approx(0.025637138508)


def test_a_kubecost_container_parses() -> None:
    """16 minutes at a request of 0.05: 0.013333 core-hours, 0.000964 used over the hour; no lbAllocations."""
    count_window = _ROWS["real-kubecost-allocation-container-1h.json"]
    body = _body("real-kubecost-allocation-container-1h.json")
    (row,) = rows_of(read_bodies(body, window=count_window[1], cluster_id="cluster-one"))
    assert row[8:14] == pytest.approx((0.000426, 0.000351, 0, 0.00055009401, 0, 0.003333))
    assert (row.cpu_core_hours_requested, row.cpu_core_hours_used) == pytest.approx((0.05 * 16 / 60, 0.000964))
    assert row.ram_byte_hours_used == pytest.approx(202833175.272727 * 16 / 60)


def _assets_of(name: str, window: Window, cluster_id: str) -> dict[AssetType, Asset]:
    """Read a file of assets beside one running container, without which they would not count (T43)."""
    rows = allocation_body([container(window, properties={"cluster": cluster_id})])
    return {one.type: one for one in read_bodies(rows, _body(name), window=window, cluster_id=cluster_id).assets}


def test_assets_of_1_110_parse() -> None:
    """An old envelope without `local`: a spot node of 33.083 core-hours at 0.0092852, a claimed disk."""
    assets = _assets_of(
        "real-assets-node-disk-7d.json", _window("2024-06-22T00:00", "2024-06-29T00:00"), "gke-opencost"
    )
    node, disk = assets[AssetType.NODE], assets[AssetType.DISK]
    assert (node.total_cost, node.minutes, node.spot, node.node_type) == (0.466114, 3970, True, "e2-small")
    assert node.cpu_price == pytest.approx(0.307185 / 33.083333)
    assert (disk.total_cost, disk.claim, disk.local) == (0.065973, "prometheus-system/prometheus-server", False)


def test_kubecost_assets_parse() -> None:
    """A list; Network left out; the node's parts after 22.2 % discount and adjustment add up to 29.862398."""
    assets = _assets_of(
        "real-kubecost-assets-by-type-7d.json", _window("2023-07-18T00:00", "2023-07-25T00:00"), "cluster-one"
    )
    assert set(assets) == set(AssetType)
    node = assets[AssetType.NODE]
    assert (node.cpu_cost + node.ram_cost) * (1 - node.discount) == pytest.approx(29.862398, abs=1e-4)
    assert node.total_cost == 29.862398
    assert assets[AssetType.DISK].total_cost == 3.630275
    assert assets[AssetType.LOAD_BALANCER].total_cost == 4.366667
    assert assets[AssetType.CONTROL_PLANE].total_cost == 16.105322


def test_an_empty_assets_answer_parses() -> None:
    """No asset is an answer."""
    assert _assets_of("assets-empty.json", _DAY, "default-cluster") == {}
