"""What running servers answered about a cluster whose truth is known: what must come out."""

from datetime import datetime, timedelta
from math import fsum

import pytest

from costintel.cost.allocation import Allocation
from costintel.cost.asset import AssetType
from costintel.cost.hour import HourFacts, HourState, decide_states
from costintel.cost.repair import extend_late
from costintel.opencost.answer import WindowAnswer
from tests.opencost.entries import rows_of
from tests.opencost.recordings import (
    FIRST_HOUR,
    HOURS,
    UNTOUCHED_HOURS,
    Key,
    by_key,
    day_answer,
    hour,
    hour_answer,
    hour_rows,
    name_of,
    recorded_json,
    seconds,
)

_NEW = "1.120.2"
_BLIND = {"2026-11-30T02Z", "2026-11-30T04Z"}
_PARTLY = {
    "2026-11-29T05Z": ("2026-11-29T05:00Z", "2026-11-29T05:20Z"),
    "2026-11-29T06Z": ("2026-11-29T06:40Z", "2026-11-29T07:00Z"),
    "2026-11-30T01Z": ("2026-11-30T01:00Z", "2026-11-30T01:50Z"),
    "2026-11-30T03Z": ("2026-11-30T03:10Z", "2026-11-30T04:00Z"),
}
_OLD_HOURS = [hour(f"2026-11-28T{number:02d}Z") for number in range(8, 16)]
_CRASH_LOOP = "broken-7b9d6c5f4d-rrrrr"


def _assets(answer: WindowAnswer, kind: AssetType) -> dict[str, float]:
    return {asset.name: asset.total_cost for asset in answer.assets if asset.type is kind}


def _load_balancer(answer: WindowAnswer) -> float:
    return fsum(row.load_balancer_cost for row in rows_of(answer))


def test_the_states_of_all_hours_are_decided_right() -> None:
    """All hours are good but 30 November 02:00 (no container seen) and 04:00 (default prices)."""
    answers = [hour_answer(_NEW, start) for start in HOURS]
    facts = [
        HourFacts(
            start=int(one.window.start.timestamp()),
            running_rows=one.running_rows,
            rows=one.row_count,
            nodes=one.node_count,
        )
        for one in answers
    ]
    decided = decide_states(facts, good_before=False)
    expected = {"2026-11-30T02Z": HourState.GAP, "2026-11-30T04Z": HourState.UNPRICED}
    assert [one.state for one in decided] == [expected.get(name_of(start), HourState.GOOD) for start in HOURS]
    assert not any(one.suspect for one in decided)


@pytest.mark.parametrize(
    ("start", "running", "unmounted", "nodes"),
    [
        ("2026-11-28T09Z", 18, 2, 2),
        ("2026-11-28T06Z", 16, 2, 2),
        ("2026-11-28T13Z", 18, 2, 2),
        ("2026-11-28T14Z", 19, 2, 3),
        ("2026-11-28T19Z", 18, 2, 3),
        ("2026-11-29T02Z", 18, 2, 2),
        ("2026-11-29T06Z", 16, 2, 3),
        ("2026-11-30T02Z", 0, 1, 0),
        ("2026-11-30T04Z", 19, 3, 0),
        ("2026-11-30T06Z", 19, 2, 3),
    ],
)
def test_rows_and_nodes_without_ghosts(start: str, running: int, unmounted: int, nodes: int) -> None:
    """T46: pods and nodes of a moment at the window's edge, at no cost, are not counted."""
    answer = hour_answer(_NEW, hour(start))
    assert (answer.running_rows, answer.row_count - answer.running_rows, answer.node_count) == (
        running,
        unmounted,
        nodes,
    )


@pytest.mark.parametrize("start", HOURS, ids=name_of)
def test_observed_spans(start: datetime) -> None:
    """Four hours are observed in part, 02:00 of 30 November not at all, the others whole."""
    answer = hour_answer(_NEW, start)
    if name_of(start) == "2026-11-30T02Z":
        assert answer.observed is None
        return
    whole = (int(start.timestamp()), int(start.timestamp()) + 3600)
    partly = _PARTLY.get(name_of(start))
    assert answer.observed == ((seconds(partly[0]), seconds(partly[1])) if partly else whole)


def test_the_hours_of_a_day_are_its_day_window() -> None:
    """Per container: cpu, ram, gpu and storage within 2e-4, network within 0.5 % together, load balancers exactly (T31)."""
    sums: dict[Key, list[tuple[float, ...]]] = {}
    for start in HOURS[:24]:
        for key, row in hour_rows(_NEW, start).items():
            sums.setdefault(key, []).append(row[8:14])
    day = by_key(rows_of(day_answer(_NEW, FIRST_HOUR)))
    assert sums.keys() == day.keys()
    added = {key: [fsum(column) for column in zip(*rows, strict=True)] for key, rows in sums.items()}
    for key, row in day.items():
        if row.pod != _CRASH_LOOP:
            assert added[key][:4] == pytest.approx(row[8:12], abs=2e-4, rel=0), key
        assert added[key][5] == pytest.approx(row.load_balancer_cost, abs=1e-9)
    network = fsum(one[4] for one in added.values())
    assert network == pytest.approx(fsum(row.network_cost for row in day.values()), rel=5e-3)


def test_a_crash_loop_is_its_hull_in_a_day_and_18_hours_in_hours() -> None:
    """T48: the day bills 1,440 minutes, the hours 1,080; the request was reserved all the while."""
    key = ("ledger", _CRASH_LOOP, "broken")
    assert by_key(rows_of(day_answer(_NEW, FIRST_HOUR)))[key].minutes == 1440
    assert sum(hour_rows(_NEW, start)[key].minutes for start in HOURS[:24]) == 1080


@pytest.mark.parametrize("start", UNTOUCHED_HOURS, ids=name_of)
def test_the_load_balancer_costs_its_price_every_hour(start: datetime) -> None:
    """T31: 0.025 an hour in rows and asset, 1.120.2."""
    answer = hour_answer(_NEW, start)
    assert _load_balancer(answer) == pytest.approx(0.025, abs=1e-6)
    assert _assets(answer, AssetType.LOAD_BALANCER) == {"shop/web": pytest.approx(0.025, abs=1e-6)}


@pytest.mark.parametrize("version", ["1.113", "1.113-prometheus3"])
@pytest.mark.parametrize("start", _OLD_HOURS, ids=name_of)
def test_the_old_version_has_the_same_load_balancer(version: str, start: datetime) -> None:
    """T31: 1.113's rows and asset both carry the excess, in late windows too."""
    answer = hour_answer(version, start)
    assert _load_balancer(answer) == pytest.approx(0.025, abs=1e-6)
    assert _assets(answer, AssetType.LOAD_BALANCER) == {"shop/web": pytest.approx(0.025, abs=1e-6)}


@pytest.mark.parametrize("version", [_NEW, "1.113", "1.113-prometheus3"])
def test_the_load_balancer_costs_its_price_every_day(version: str) -> None:
    """T31: 0.60 a day."""
    answer = day_answer(version, FIRST_HOUR)
    assert _load_balancer(answer) == pytest.approx(0.6, abs=1e-6)
    assert _assets(answer, AssetType.LOAD_BALANCER) == {"shop/web": pytest.approx(0.6, abs=1e-6)}


@pytest.mark.parametrize("version", ["1.113", _NEW])
def test_whole_windows_are_not_taken_for_late_ones(version: str) -> None:
    """T14: Prometheus 2 loses nothing."""
    assert not any(hour_answer(version, start).starts_late for start in _OLD_HOURS)
    assert not day_answer(version, FIRST_HOUR).starts_late


def _repaired(start: datetime) -> dict[Key, Allocation]:
    answer, before = (hour_answer("1.113-prometheus3", at) for at in (start, start - timedelta(hours=1)))
    assert answer.starts_late
    reached = {row.key for row in rows_of(before) if row.running and row.end == int(start.timestamp())}
    return by_key(extend_late(rows_of(answer), reached, answer.window))


@pytest.mark.parametrize("start", _OLD_HOURS[1:], ids=name_of)
def test_late_hours_repaired_are_whole_hours(start: datetime) -> None:
    """T14: the same history over Prometheus 3, repaired, is that over Prometheus 2: compute within 0.1 %, storage exactly."""
    repaired, whole = _repaired(start), hour_rows(_NEW, start)
    assert repaired.keys() == whole.keys()
    for key, row in whole.items():
        assert _compute(repaired[key]) == pytest.approx(_compute(row), rel=1e-3, abs=2e-7), key
        assert repaired[key].storage_cost == pytest.approx(row.storage_cost, rel=1e-6), key
    for resource in ("cpu_cost", "ram_cost", "gpu_cost"):
        sums = [fsum(getattr(row, resource) for row in rows.values()) for rows in (repaired, whole)]
        assert sums[0] == pytest.approx(sums[1], rel=5e-4)


def _compute(row: Allocation) -> float:
    return row.cpu_cost + row.ram_cost + row.gpu_cost


@pytest.mark.parametrize("start", _OLD_HOURS[1:], ids=name_of)
def test_late_hours_are_observed_whole_and_their_assets_are_whole(start: datetime) -> None:
    """T14: nodes at 0.1936 and disks as over Prometheus 2, the hour observed from its start."""
    late, whole = hour_answer("1.113-prometheus3", start), hour_answer(_NEW, start)
    assert late.observed == whole.observed
    for kind in (AssetType.NODE, AssetType.DISK):
        expected = _assets(whole, kind)
        assert {name: _assets(late, kind)[name] for name in expected} == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("start", UNTOUCHED_HOURS, ids=name_of)
def test_nodes_and_control_plane_cost_their_price(start: datetime) -> None:
    """0.1936 an hour for node-a and node-b, 0.10 for the control plane."""
    answer = hour_answer(_NEW, start)
    nodes = _assets(answer, AssetType.NODE)
    assert (nodes["node-a"], nodes["node-b"]) == (0.1936, 0.1936)
    assert _assets(answer, AssetType.CONTROL_PLANE) == {"": 0.1}


@pytest.mark.parametrize(
    ("start", "minutes"),
    [("2026-11-29T05Z", 20), ("2026-11-29T06Z", 20), ("2026-11-30T03Z", 50), ("2026-11-30T05Z", 50)],
)
def test_assets_of_partly_seen_hours_are_pro_rata(start: str, minutes: int) -> None:
    """20 or 50 minutes of 0.1936, 0.10 and 0.025; 30 November 05:00 has rows of 60 minutes beside assets of 50."""
    answer = hour_answer(_NEW, hour(start))
    part = minutes / 60
    assert _assets(answer, AssetType.NODE)["node-a"] == pytest.approx(0.1936 * part, abs=1e-6)
    assert _assets(answer, AssetType.CONTROL_PLANE)[""] == pytest.approx(0.1 * part, abs=1e-6)
    assert _load_balancer(answer) == pytest.approx(0.025 * part, abs=1e-6)


def test_a_late_node_price_gives_late_rows_their_cost() -> None:
    """30 November 05:00: a row of 60 minutes keeps its hour's cost although the node asset shows 50 minutes."""
    row = hour_rows(_NEW, hour("2026-11-30T05Z"))["ledger", "api-6b7c8d9f5b-mmmmm", "api"]
    assert row.minutes == 60
    assert row.cpu_cost == pytest.approx(row.cpu_core_hours * 0.0316, rel=1e-4)


@pytest.mark.parametrize("start", [start for start in HOURS if name_of(start) not in _BLIND], ids=name_of)
def test_compute_costs_are_unrounded(start: datetime) -> None:
    """T37: every row's memory cost is byte-hours x 0.0042 a GiB-hour, not five decimals of it."""
    nodes = {one["name"]: one for one in recorded_json("cluster.json")["nodes"]}
    for row in rows_of(hour_answer(_NEW, start)):
        if row.running and row.node in {"node-a", "node-b"}:
            price = nodes[row.node]["ram_gib_hourly_price"] / 1024**3
            assert row.ram_cost == pytest.approx(row.ram_byte_hours * price, rel=1e-4), row.key


def test_the_rollout_goes_by_itsname_of() -> None:
    """`ledger/api` is a Rollout: OpenCost names its ReplicaSet `api-6b7c8d9f5b`."""
    for version in (_NEW, "1.113"):
        row = hour_rows(version, hour("2026-11-28T09Z"))["ledger", "api-6b7c8d9f5b-mmmmm", "api"]
        assert (row.controller_kind, row.controller) == ("rollout", "api")


def test_the_hour_at_default_prices_lost_its_controllers() -> None:
    """T42: Deployments and StatefulSets come without controller, Jobs and Rollouts keep theirs."""
    rows = rows_of(hour_answer(_NEW, hour("2026-11-30T04Z")))
    assert {row.controller_kind for row in rows if row.namespace in {"shop", "young", "gpu"}} == {""}
    assert {row.controller_kind for row in rows if row.namespace == "batch"} == {"job"}


def test_a_window_that_spans_an_outage_bridges_it() -> None:
    """T47: 29 November as one window sees 1,440 minutes of a pod that its hours see for 1,360."""
    day = datetime.fromisoformat("2026-11-29T00:00:00Z")
    key = ("shop", "db-0", "postgres")
    assert by_key(rows_of(day_answer(_NEW, day)))[key].minutes == 1440
    assert sum(hour_rows(_NEW, start)[key].minutes for start in HOURS[24:48]) == 1360


@pytest.mark.parametrize("version", [_NEW, "1.113"])
def test_the_parts_are_the_reported_total(version: str) -> None:
    """No part of OpenCost's `totalCost` is missed: within the rounding of six parts, load balancers before correction."""
    start = hour("2026-11-28T10Z")
    rows = hour_rows(version, start)
    (entries,) = recorded_json(f"{version}/hour-{name_of(start)}.allocation.json")["data"]
    for entry in entries.values():
        places = entry["properties"]
        row = rows[places["namespace"], places["pod"], places["container"]]
        total = row.total_cost - row.load_balancer_cost + entry["loadBalancerCost"]
        assert total == pytest.approx(entry["totalCost"], abs=3.5e-5)
