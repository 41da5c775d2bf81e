"""The stand-in of the recorded cluster answers as the recorded servers did."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime

import pytest

from tests.standin.standin_recordings import (
    ASKED_AT,
    HOURS,
    LEGACY_HOURS,
    OUTAGE_HOURS,
    RECORDED,
    Asker,
    Row,
    SettableClock,
    asking,
    day_window,
    recorded,
    truth,
    window_of,
)

CASES = [
    *(("1.120.2", hour) for hour in HOURS),
    *(("1.113", hour) for hour in LEGACY_HOURS),
    *(("1.113-prometheus3", hour) for hour in LEGACY_HOURS),
]
DAYS = [
    ("1.120.2", "2026-11-28"),
    ("1.120.2", "2026-11-29"),
    ("1.113", "2026-11-28"),
    ("1.113-prometheus3", "2026-11-28"),
]
MONEY = 2e-5
COSTS = ("cpuCost", "ramCost", "gpuCost", "pvCost", "loadBalancerCost")
NETWORK = ("networkTransferBytes", "networkReceiveBytes", "networkCost")
EDGES: list[Row] = json.loads((RECORDED / "1.120.2/edges.json").read_text())
# Bodies that hold figures: compared with a tolerance, not byte for byte.
FIGURES = {
    "edge-running-hour.json",
    "edge-24h.json",
    "edge-five-minutes.json",
    "edge-day-step-1h.json",
    "edge-day-namespace.json",
    "edge-day-namespace-idle.json",
    "edge-day-controller.json",
    "edge-day-label-team.json",
    "edge-day-all.json",
}
# Asked of a Kubernetes API that knew two nodes and no pods, which the made cluster does not tell.
OF_KUBERNETES = {"installInfo.json", "pricingSourceCounts.json"}


@pytest.fixture(scope="module")
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture(scope="module")
def askers(clock: SettableClock) -> Iterator[Mapping[str, Asker]]:
    versions = ("1.120.2", "1.113", "1.113-prometheus3")
    opened = [asking(version, clock) for version in versions]
    yield {version: next(one) for version, one in zip(versions, opened, strict=True)}
    for one in opened:
        next(one, None)


def is_near(mine: float, theirs: float, *, share: float, least: float = 0.0) -> bool:
    return abs(mine - theirs) <= max(share * abs(theirs), least)


def is_broken(key: str) -> bool:
    """Tell the crash-looping pod, whose use and allocation the truth does not tell apart."""
    return "/ledger/broken-" in key


@pytest.mark.parametrize(("version", "hour"), CASES)
def test_hours_have_the_recorded_rows(askers: Mapping[str, Asker], version: str, hour: str) -> None:
    """Keys, their order, spans, minutes, properties and field names of every row are the recorded ones."""
    theirs = recorded(f"{version}/hour-{hour}.allocation.json")[0]
    mine = askers[version].rows(window_of(hour))

    assert list(mine) == list(theirs)
    for key, row in theirs.items():
        assert list(mine[key]) == list(row), key
        for field in ("name", "properties", "window", "start", "end", "minutes"):
            assert mine[key][field] == row[field], key


@pytest.mark.parametrize(("version", "hour"), [case for case in CASES if case[1] not in OUTAGE_HOURS])
def test_hours_cost_what_was_recorded(askers: Mapping[str, Asker], version: str, hour: str) -> None:
    """CPU, memory, GPU, volumes and load balancers of every row cost the recorded amounts to 2e-5."""
    theirs = recorded(f"{version}/hour-{hour}.allocation.json")[0]
    mine = askers[version].rows(window_of(hour))

    for key, row in theirs.items():
        if not is_broken(key):
            for field in COSTS:
                assert mine[key][field] == pytest.approx(row[field], abs=MONEY), f"{key} {field}"


@pytest.mark.parametrize(("version", "hour"), [case for case in CASES if case[1] not in OUTAGE_HOURS])
def test_hours_use_what_was_recorded(askers: Mapping[str, Asker], version: str, hour: str) -> None:
    """CPU usage is the recorded one to 2 % or 70 seconds of its rate, memory to 2 %."""
    theirs = recorded(f"{version}/hour-{hour}.allocation.json")[0]
    mine = askers[version].rows(window_of(hour))

    for key, row in theirs.items():
        happened = truth()[hour].get(key.split("/", 2)[2])
        rate = happened["cpu_core_hours_used"] / happened["ran_minutes"] * 60 if happened else 0.0
        used, used_then = mine[key]["cpuCoreUsageAverage"], row["cpuCoreUsageAverage"]

        assert is_near(used, used_then, share=0.02, least=rate * 70 / 3600), key
        assert is_near(mine[key]["ramByteUsageAverage"], row["ramByteUsageAverage"], share=0.02), key


@pytest.mark.parametrize(("version", "hour"), [case for case in CASES if case[1] not in OUTAGE_HOURS])
def test_hours_transfer_what_was_recorded(askers: Mapping[str, Asker], version: str, hour: str) -> None:
    """Network bytes and cost of rows of 30 minutes and more are the recorded ones to 1 %."""
    theirs = recorded(f"{version}/hour-{hour}.allocation.json")[0]
    mine = askers[version].rows(window_of(hour))

    for key, row in theirs.items():
        if row["minutes"] >= 30:
            for field in NETWORK:
                assert is_near(mine[key][field], row[field], share=0.01), f"{key} {field}"


@pytest.mark.parametrize(("version", "day"), DAYS)
def test_days_are_the_recorded_ones(askers: Mapping[str, Asker], version: str, day: str) -> None:
    """Rows, spans, costs, CPU usage and traffic of the whole days, bridged outages among them, are the recorded ones."""
    theirs = recorded(f"{version}/day-{day}.allocation.json")[0]
    mine = askers[version].rows(day_window(day))

    assert list(mine) == list(theirs)
    for key, row in theirs.items():
        assert (mine[key]["start"], mine[key]["end"]) == (row["start"], row["end"]), key
        for field in COSTS:
            assert is_near(mine[key][field], row[field], share=5e-4, least=MONEY), f"{key} {field}"
        assert is_near(mine[key]["cpuCoreUsageAverage"], row["cpuCoreUsageAverage"], share=0.02, least=1e-4), key
        assert is_near(mine[key]["networkTransferBytes"], row["networkTransferBytes"], share=0.01, least=5e5), key


@pytest.mark.parametrize(("version", "name"), [(v, f"hour-{h}") for v, h in CASES] + [(v, f"day-{d}") for v, d in DAYS])
def test_assets_are_the_recorded_ones(askers: Mapping[str, Asker], version: str, name: str) -> None:
    """Every asset of every hour and day, outage hours among them, has the recorded fields and numbers."""
    theirs = recorded(f"{version}/{name}.assets.json")
    kind, _, moment = name.partition("-")
    mine = askers[version].assets(window_of(moment) if kind == "hour" else day_window(moment))

    assert list(mine) == list(theirs)
    for key, asset in theirs.items():
        assert list(mine[key]) == list(asset), key
        for field, value in asset.items():
            if field == "overhead" and value:
                assert mine[key][field] == pytest.approx(value, abs=1e-6), key
            elif isinstance(value, float):
                assert mine[key][field] == pytest.approx(value, rel=1e-6, abs=1e-6), f"{key} {field}"
            else:
                assert mine[key][field] == value, f"{key} {field}"


def test_whole_hours_of_assets_cost_what_the_cluster_was_priced_at(askers: Mapping[str, Asker]) -> None:
    """A node of 4 cores at 0.0316 and 16 GiB at 0.0042 costs 0.1936 an hour, the load balancer 0.025, the control plane 0.10."""
    assets = askers["1.120.2"].assets(window_of("2026-11-28T08Z")).values()
    costs = {asset["properties"].get("name", asset["type"]): asset["totalCost"] for asset in assets}

    assert (costs["node-a"], costs["node-b"]) == (0.1936, 0.1936)
    assert (costs["shop/web"], costs["ClusterManagement"]) == (0.025, 0.1)


@pytest.mark.parametrize("hour", ["2026-11-29T05Z", "2026-11-29T06Z"])
def test_a_lost_prometheus_leaves_twenty_minutes(askers: Mapping[str, Asker], hour: str) -> None:
    """Of the two hours that the outage from 05:20 to 06:40 touches, 20 minutes each were observed."""
    nodes = [asset for asset in askers["1.120.2"].assets(window_of(hour)).values() if asset["type"] == "Node"]

    assert {node["minutes"] for node in nodes} == {20}
    assert askers["1.120.2"].rows(window_of(hour))["made/node-a/kube-system/agent-aaaaa/agent"]["minutes"] == 20


def test_lost_kube_state_metrics_leave_one_unmounted_row_and_nodes_without_memory(askers: Mapping[str, Asker]) -> None:
    """Only `__unmounted__` is left with the load balancer on it, and nodes cost one core and no memory (T43)."""
    (row,) = askers["1.120.2"].rows(window_of("2026-11-30T02Z")).values()
    assets = askers["1.120.2"].assets(window_of("2026-11-30T02Z")).values()
    node = next(asset for asset in assets if asset["properties"].get("name") == "node-a")

    assert (row["properties"]["namespace"], row["loadBalancerCost"]) == ("__unmounted__", 0.05417)
    assert (node["cpuCost"], node["ramCost"], node["labels"]) == (0.0316, 0, None)


def test_lost_opencost_metrics_leave_default_prices(askers: Mapping[str, Asker]) -> None:
    """Rows cost about 31 % too little, Deployments lose their name, volumes cost nothing, no node is listed (T42)."""
    rows = askers["1.120.2"].rows(window_of("2026-11-30T04Z"))
    web = rows["made/node-a/shop/web-7f4b6c5d8c-vvvvv/web"]
    theirs = recorded("1.120.2/hour-2026-11-30T04Z.allocation.json")[0]

    assert web["cpuCost"] == pytest.approx(0.69 * 0.25 * 0.0316, abs=MONEY)
    assert "controller" not in web["properties"]
    assert {row["pvCost"] + row["loadBalancerCost"] for row in rows.values()} == {0}
    assert {asset["type"] for asset in askers["1.120.2"].assets(window_of("2026-11-30T04Z")).values()} == {"Disk"}
    for key, row in theirs.items():
        assert rows[key]["cpuCost"] == pytest.approx(row["cpuCost"], abs=MONEY), key


def test_a_lost_cadvisor_leaves_costs_right_and_usage_zero(askers: Mapping[str, Asker]) -> None:
    """Costs are the recorded ones, CPU and memory usage and traffic are 0 on every row (T44)."""
    rows = askers["1.120.2"].rows(window_of("2026-11-30T06Z"))
    theirs = recorded("1.120.2/hour-2026-11-30T06Z.allocation.json")[0]

    for key, row in rows.items():
        assert (row["cpuCoreUsageAverage"], row["ramByteUsageAverage"], row["networkTransferBytes"]) == (0, 0, 0)
        assert row["cpuCost"] == pytest.approx(theirs[key]["cpuCost"], abs=MONEY), key


@pytest.mark.parametrize("version", ["1.120.2", "1.113"])
@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge["file"])
def test_edges_answer_as_recorded(askers: Mapping[str, Asker], clock: SettableClock, version: str, edge: Row) -> None:
    """Status, content type and body of every edge are the recorded ones; figures within 2 %."""
    told = next(
        one for one in json.loads((RECORDED / version / "edges.json").read_text()) if one["file"] == edge["file"]
    )
    clock.now = datetime.fromisoformat(told["asked_at"]).replace(microsecond=ASKED_AT.microsecond)
    response = askers[version].get(told["path"], **told["query"])
    clock.now = ASKED_AT

    assert (response.status_code, response.headers.get("Content-Type")) == (told["status"], told["content_type"])
    body = (RECORDED / version / edge["file"]).read_bytes()
    if edge["file"] in OF_KUBERNETES:
        assert list(response.json()) == list(json.loads(body))
    elif edge["file"] in FIGURES or len(body) > 600:
        assert_same_sets(response.json()["data"], json.loads(body)["data"])
    else:
        assert response.content == body


def assert_same_sets(mine: list[dict[str, Row]], theirs: list[dict[str, Row]]) -> None:
    assert [list(rows) for rows in mine] == [list(rows) for rows in theirs]
    for my_rows, their_rows in zip(mine, theirs, strict=True):
        for key, row in their_rows.items():
            assert list(my_rows[key]) == list(row), key
            assert my_rows[key]["properties"] == row["properties"], key
            for field in ("totalCost", "cpuCost", "ramCost", "cpuCoreHours", "ramByteHours", "minutes"):
                assert is_near(my_rows[key][field], row[field], share=0.02, least=2e-4), f"{key} {field}"


def test_the_running_hour_ends_now(askers: Mapping[str, Asker]) -> None:
    """1.120.2 ends running rows at now (20.18 minutes at 08:20:10), 1.113 shows the whole hour."""
    window = "2026-11-30T08:00:00Z,2026-11-30T09:00:00Z"
    key = "made/node-a/shop/db-0/postgres"

    assert askers["1.120.2"].rows(window)[key]["minutes"] == 20.18054
    assert askers["1.113"].rows(window)[key]["minutes"] == 60
