"""What a window decides by itself about its rows."""

import json
from typing import Any

import pytest

from costintel.cost.container import container_cost
from costintel.errors import OpenCostRefused
from tests.opencost.entries import (
    DAY,
    GIB,
    container,
    node,
    only_row,
    read,
    read_bodies,
    rows_of,
    seconds,
    span,
    unmounted,
)


def test_a_row_is_turned_into_additive_units() -> None:
    """Averages become core-hours and byte-hours; places, controller and times are kept."""
    row = only_row(read([container()]))
    assert row.key == ("shop", "web-1", "web")
    assert (row.node, row.controller_kind, row.controller) == ("node-a", "deployment", "web")
    assert (row.start, row.end) == (seconds(0), seconds(60))
    assert (row.cpu_cost, row.ram_cost, row.cpu_core_hours, row.ram_byte_hours) == (0.03, 0.008, 1, 2 * GIB)
    assert (row.cpu_core_hours_requested, row.ram_byte_hours_requested) == (1, 2 * GIB)
    assert (row.cpu_core_hours_used, row.ram_byte_hours_used) == (0.5, GIB)


def test_cpu_usage_is_of_the_window_and_the_rest_of_the_life() -> None:
    """T41: a job of 12 minutes that burned 0.9 cores reads 0.0075 in a day; requests and memory are averages over its life."""
    job = container(DAY, **span(120, 132, DAY), cpuCoreUsageAverage=0.0075, cpuCoreRequestAverage=1, cpuCoreHours=0.2)
    row = only_row(read([job], window=DAY))
    assert row.cpu_core_hours_used == pytest.approx(0.18)
    assert row.cpu_core_hours_requested == pytest.approx(0.2)
    assert row.ram_byte_hours_used == pytest.approx(0.2 * GIB)
    assert row.ram_byte_hours_requested == pytest.approx(0.4 * GIB)


def test_opencost_idle_fields_are_never_read() -> None:
    """T9: cpuCostIdle is always 0; idle is cost x (1 - used / requested) = 0.03 x 0.5 and 0.008 x 0.5."""
    folded = container_cost(only_row(read([container(cpuCostIdle=0, ramCostIdle=0, cpuEfficiency=1)])))
    assert (folded.idle_cpu_cost, folded.idle_ram_cost) == pytest.approx((0.015, 0.004))


def test_efficiency_of_a_tiny_request_is_not_capped() -> None:
    """T39: a request of 0.001 cores and a usage of 0.5 is idle 0, and usage stays 500 times the request."""
    row = only_row(read([container(cpuCoreRequestAverage=0.001)]))
    assert row.cpu_core_hours_used == 500 * row.cpu_core_hours_requested
    assert container_cost(row).idle_cpu_cost == 0


def test_usage_without_cadvisor_is_unknown() -> None:
    """T44: memory usage 0 on a row that ran means that nothing was measured, neither memory nor CPU."""
    row = only_row(read([container(cpuCoreUsageAverage=0, ramByteUsageAverage=0)]))
    assert (row.cpu_core_hours_used, row.ram_byte_hours_used) == (None, None)
    assert row.cpu_cost == 0.03
    assert container_cost(row).idle_complete is False


def test_a_container_that_used_no_cpu_is_measured() -> None:
    """T44: CPU usage 0 beside measured memory is a real zero."""
    assert only_row(read([container(cpuCoreUsageAverage=0)])).cpu_core_hours_used == 0


def test_unmounted_volumes_use_nothing() -> None:
    """A row that is no container has no usage to be unknown: its idle is complete."""
    row = only_row(read([unmounted()]))
    assert not row.running
    assert container_cost(row).idle_complete


@pytest.mark.parametrize("minutes", [0, -2.45])
def test_rows_without_duration_are_dropped(minutes: float) -> None:
    """T13 and T46: minutes of 0 or less, negative ones from off-grid windows, are no run."""
    answer = read([container(**span(30, 30 + minutes)), container()])
    assert (answer.row_count, answer.running_rows) == (1, 1)


def test_ghosts_are_dropped() -> None:
    """T46: a pod that ended before the window shows five minutes, no node, and zero everywhere."""
    zeros = dict.fromkeys(("cpuCoreHours", "cpuCost", "ramByteHours", "ramCost"), 0)
    ghost = container(properties={"node": None, "pod": "gone"}, **span(0, 5), **zeros)
    assert [row.pod for row in rows_of(read([ghost, container()]))] == ["web-1"]


def test_a_row_without_node_that_cost_something_stays() -> None:
    """T46: only rows without node, cost and core-hours are ghosts."""
    assert only_row(read([container(properties={"node": None})])).node == ""


def test_rows_of_other_clusters_are_dropped_and_counted() -> None:
    """T38: several clusters may share one Prometheus; namespaces of one name must not merge."""
    answer = read([container(), container(properties={"cluster": "other"}), container(properties={"cluster": None})])
    assert (answer.row_count, answer.foreign_rows) == (1, 2)


def test_a_cluster_without_id_has_rows_without_cluster() -> None:
    """T38: an OpenCost that was given no cluster id leaves it out."""
    assert read([container(properties={"cluster": None})], cluster_id="").row_count == 1


def test_the_uid_after_a_pod_name_is_cut() -> None:
    """T18: INGEST_POD_UID appends a blank and the UID to pod names."""
    pod = "db-0 6e1f2a34-9c4b-4d3e-8a11-0123456789ab"
    assert only_row(read([container(properties={"pod": pod})])).pod == "db-0"


@pytest.mark.parametrize(
    ("kind", "named", "controller"),
    [
        ("rollout", "api-6b7c8d9f5b", "api"),
        ("Rollout", "my-api-6b7c8d9f5b", "my-api"),
        ("rollout", "api", "api"),
        ("replicaset", "api-6b7c8d9f5b", "api-6b7c8d9f5b"),
        ("job", "nightly", "nightly"),
    ],
)
def test_a_rollout_goes_by_its_own_name(kind: str, named: str, controller: str) -> None:
    """T19: OpenCost names a Rollout's ReplicaSet; a CronJob already goes by its own name; kinds are lower case."""
    row = only_row(read([container(properties={"controllerKind": kind, "controller": named})]))
    assert (row.controller_kind, row.controller) == (kind.lower(), controller)


def test_a_bare_pod_has_no_controller() -> None:
    """T19: neither kind nor name."""
    row = only_row(read([container(properties={"controllerKind": None, "controller": None})]))
    assert (row.controller_kind, row.controller) == ("", "")


def test_idle_entries_are_no_rows() -> None:
    """T40: Kubecost adds `__idle__`, which belongs to no container."""
    idle = container(properties={"namespace": None, "pod": None, "container": None})
    body = json.dumps({"code": 200, "data": [{"__idle__": idle, "made/node-a/shop/web-1/web": container()}]})
    assert read_bodies(body.encode()).row_count == 1


@pytest.mark.parametrize("missing", ["namespace", "pod", "container"])
def test_an_aggregated_answer_is_refused(missing: str) -> None:
    """T20, T21: an entry that is not one container's is not what was asked for, and would count twice or for the wrong one."""
    with pytest.raises(OpenCostRefused, match=f"no {missing}"):
        read([container(properties={missing: None})])


def test_an_answer_for_another_window_is_refused() -> None:
    """T28: without Prometheus, OpenCost may answer for the nearest bucket it has."""
    with pytest.raises(OpenCostRefused, match="another window"):
        read([container()], window=DAY)


def test_a_window_may_be_said_in_another_zone() -> None:
    """T33: with UTC_OFFSET the window carries an offset and is the same all the same."""
    said = {"start": "2026-11-28T12:00:00+02:00", "end": "2026-11-28T13:00:00+02:00"}
    assert read([container(window=said)]).row_count == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"start": None},
        {"start": "yesterday"},
        {"end": "2026-11-28T11:00:00"},
        {"window": {"start": "null", "end": "null"}},
        {"cpuCost": "0.03"},
        {"cpuCoreHours": [1]},
        {"pvs": {"pv": 1}},
        {"properties": {"controllerKind": 7}},
    ],
)
def test_a_field_of_the_wrong_type_is_refused(changes: dict[str, Any]) -> None:
    """Bad input is an error and never a row."""
    with pytest.raises(OpenCostRefused, match="cannot be read"):
        read([container(**changes)])


def test_an_infinite_number_is_refused() -> None:
    """A number beyond what a float holds never leaves the parser."""
    with pytest.raises(OpenCostRefused):
        read([container(networkCost=float("1e308"), pvCost=float("1e308"))])


@pytest.mark.parametrize(
    "field", ["gpuCost", "networkCost", "pvCost", "loadBalancerCost", "gpuHours", "pvs", "lbAllocations"]
)
def test_absent_and_null_fields_are_the_same(field: str) -> None:
    """T24, T36: every field may be missing or null, depending on the version."""
    assert read([container(**{field: None})]) == read([container()])


def test_negative_zero_becomes_zero() -> None:
    """I6: `-0` never leaves the parser."""
    names = ("cpuCost", "ramCost", "gpuCost", "networkCost", "pvCost", "loadBalancerCost", "cpuCoreUsageAverage")
    row = only_row(read([container(**dict.fromkeys(names, -0.0))]))
    assert "-" not in "".join(map(str, (*row[8:19], row.cpu_core_hours_used)))


def test_kubecost_adjustments_belong_to_their_part() -> None:
    """T40: what the bill added or took is part of the cost; shared and external cost are left out."""
    names = ("cpu", "ram", "gpu", "pv", "network", "loadBalancer")
    adjusted = {f"{name}CostAdjustment": 0.001 * (index + 1) for index, name in enumerate(names)}
    costs = {"gpuCost": 0.5, "pvCost": 0.02, "networkCost": 0.01, "loadBalancerCost": 0.025}
    row = only_row(read([container(**costs, **adjusted, sharedCost=5, externalCost=7, totalCost=12.6)]))
    assert row[8:14] == pytest.approx((0.031, 0.010, 0.503, 0.024, 0.015, 0.031))
    assert row.total_cost == pytest.approx(0.614)


def test_repeated_texts_are_held_once() -> None:
    """50,000 rows share the objects of their names."""
    first, second = rows_of(read([container(), container(properties={"pod": "web-2"})]))
    assert first.namespace is second.namespace
    assert first.controller is second.controller


def test_an_unknown_cost_is_worked_out_from_the_node() -> None:
    """T24: a null cost with known core-hours is core-hours x the node's price: 1 x 0.03 and 2 GiB x 0.004."""
    row = only_row(read([container(cpuCost=None, ramCost=None)], [node()]))
    assert (row.cpu_cost, row.ram_cost) == pytest.approx((0.03, 0.008))


def test_costs_unknown_on_most_rows_refuse_the_answer() -> None:
    """T24: unknown is not zero; an answer that lost its costs is asked again, not stored as nothing."""
    with pytest.raises(OpenCostRefused, match="no cost for 1 of 1"):
        read([container(cpuCost=None)])
    with pytest.raises(OpenCostRefused, match="no cost for 2 of 3"):
        read([container(ramCost=None), container(ramCost=None), container()])


def test_one_unknown_cost_among_many_keeps_the_rest() -> None:
    """T24: one broken pod must not block the cluster's hour."""
    assert read([container(cpuCost=None), container(), container()]).row_count == 3
