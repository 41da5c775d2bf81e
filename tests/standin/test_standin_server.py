"""A running stand-in: its routes, its faults, what it counts."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.standin import ClusterModel, LoadBalancer, Service, StandIn, Volume, generated_cluster
from local.standin.fault import IllegalFaultError, parse_fault
from tests.standin.small_cluster import HOUR, LONG_AGO, NOW, at, cluster, node, pod

EARLIER = "2026-03-10T09:00:00Z,2026-03-10T10:00:00Z"
ROOT = Path(__file__).parents[2]


def model() -> ClusterModel:
    labels = {"app": "web"}
    return cluster(
        pod("web-1", labels=labels),
        services=(Service(namespace="shop", name="web", selector=labels),),
        volumes=(Volume(name="pv-1", capacity_bytes=1, gib_hourly_price=0.1, start_seconds=LONG_AGO),),
        load_balancers=(
            LoadBalancer(namespace="shop", service="web", ip="203.0.113.1", hourly_price=0.024, start_seconds=LONG_AGO),
        ),
        control_plane_hourly_price=0.1,
    )


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with StandIn(model(), clock=lambda: NOW) as running:
        yield running


@pytest.fixture
def client(stand_in: StandIn) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=stand_in.base_url, trust_env=False, timeout=5) as opened:
        yield opened


def rows(response: httpx.Response) -> dict[str, Any]:
    answered: dict[str, Any] = response.json()["data"][0]
    return answered


def test_calls_and_windows_are_counted(client: httpx.Client) -> None:
    """`/_calls` tells how often each path was asked, and for which windows in order."""
    client.get("/allocation", params={"window": HOUR})
    client.get("/assets", params={"window": HOUR})
    client.get("/allocation", params={"window": EARLIER})
    client.get("/healthz")
    told = client.get("/_calls").json()

    assert (told["total"], told["most_in_flight"]) == (4, 1)
    assert told["paths"] == {"/allocation": 2, "/assets": 1, "/healthz": 1}
    assert [one["window"] for one in told["windows"]] == [HOUR, HOUR, EARLIER]


def test_counts_can_be_forgotten(client: httpx.Client) -> None:
    """`DELETE /_calls` begins anew."""
    client.get("/healthz")
    client.delete("/_calls")

    assert client.get("/_calls").json()["total"] == 0


def test_a_status_fault_lasts_for_its_calls(client: httpx.Client) -> None:
    """The next two calls fail with 500 and a JSON error, the third is answered."""
    client.post("/_faults", json={"status": 500, "calls": 2})
    statuses = [client.get("/allocation", params={"window": HOUR}).status_code for _ in range(3)]

    assert statuses == [500, 500, 200]


def test_a_fault_can_be_of_one_window(client: httpx.Client) -> None:
    """Only the named window is empty, and only until faults are cleared."""
    client.post("/_faults", json={"empty": True, "window": HOUR})
    first = client.get("/allocation", params={"window": HOUR}).json()["data"]
    other = client.get("/allocation", params={"window": EARLIER}).json()["data"]
    client.delete("/_faults")

    assert first == [{}]
    assert other != [{}]
    assert client.get("/allocation", params={"window": HOUR}).json()["data"][0].keys() == other[0].keys()


def test_faults_leave_other_routes_alone(client: httpx.Client) -> None:
    """While Prometheus is down `/healthz` and `/clusterInfo` stay 200; a fault may name its path."""
    client.post("/_faults", json=[{"status": 503, "html": True}, {"status": 500, "path": "/installInfo"}])

    assert client.get("/clusterInfo").json()["data"]["id"] == "small"
    assert client.get("/healthz").content == b""
    assert client.get("/installInfo").status_code == 500
    assert client.get("/assets", params={"window": HOUR}).headers["Content-Type"] == "text/html"


@pytest.mark.parametrize("fault", [{"reset": True}, {"truncate": "connection"}])
def test_connections_can_break(client: httpx.Client, fault: dict[str, Any]) -> None:
    """A reset and a body that ends too early are transport errors for the caller."""
    client.post("/_faults", json={**fault, "calls": 1})
    with pytest.raises(httpx.TransportError):
        client.get("/allocation", params={"window": HOUR})

    assert client.get("/allocation", params={"window": HOUR}).status_code == 200


def test_a_body_can_be_cut_in_good_order(client: httpx.Client) -> None:
    """The answer is complete HTTP, but its JSON is not."""
    client.post("/_faults", json={"truncate": "body"})
    with pytest.raises(json.JSONDecodeError):
        client.get("/allocation", params={"window": HOUR}).json()


def test_a_hanging_call_ends_without_an_answer_when_cleared(client: httpx.Client, stand_in: StandIn) -> None:
    """The caller's own time limit passes; clearing lets the call go, and the next one is answered."""
    client.post("/_faults", json={"hang": True})
    with pytest.raises(httpx.ReadTimeout):
        client.get("/allocation", params={"window": HOUR}, timeout=0.1)
    client.delete("/_faults")

    assert client.get("/allocation", params={"window": HOUR}).status_code == 200


def test_latency_holds_calls_in_flight_together(client: httpx.Client) -> None:
    """Three slow calls at once are counted as three in flight."""
    client.post("/_faults", json={"latency_seconds": 0.15})
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: client.get("/allocation", params={"window": HOUR}), range(3)))

    assert client.get("/_calls").json()["most_in_flight"] == 3


@pytest.mark.parametrize(
    ("nan", "body"), [("code_500", b'{"code":500,"message":"Internal Server Error"}\n'), ("empty_body", b"")]
)
def test_failed_encodings_are_http_200(client: httpx.Client, nan: str, body: bytes) -> None:
    """NaN in a nested field answers code 500 under HTTP 200, or nothing at all (trap T24)."""
    client.post("/_faults", json={"nan": nan})
    response = client.get("/allocation", params={"window": HOUR})

    assert (response.status_code, response.content) == (200, body)


def test_not_a_number_is_written_as_null(client: httpx.Client) -> None:
    """Costs, usages and hours of every row are null."""
    client.post("/_faults", json={"nan": "null_numbers"})
    row = rows(client.get("/allocation", params={"window": HOUR}))["small/node-a/shop/web-1/main"]

    assert (row["cpuCost"], row["cpuCoreUsageAverage"], row["ramByteHours"]) == (None, None, None)
    assert row["minutes"] == 60


def test_default_prices_can_be_set(client: httpx.Client) -> None:
    """As when OpenCost's own metrics are lost: another price, and no node listed."""
    client.post("/_faults", json={"default_prices": True})
    row = rows(client.get("/allocation", params={"window": HOUR}))["small/node-a/shop/web-1/main"]
    assets = client.get("/assets", params={"window": HOUR}).json()["data"].values()

    assert row["cpuCost"] == 0.02181
    assert {asset["type"] for asset in assets} == {"Disk"}


def test_a_source_can_be_lost_for_a_stretch(client: httpx.Client) -> None:
    """kube-state-metrics are lost from 10:30 on: that hour's rows have half an hour, the hour before is whole."""
    stretch = {"lost": "kube-state-metrics", "lost_from": "2026-03-10T10:30:00Z", "lost_to": "2026-03-10T11:30:00Z"}
    client.post("/_faults", json=stretch)
    key = "small/node-a/shop/web-1/main"

    assert rows(client.get("/allocation", params={"window": HOUR}))[key]["minutes"] == 30
    assert rows(client.get("/allocation", params={"window": EARLIER}))[key]["minutes"] == 60


def test_retention_forgets_what_is_old(client: httpx.Client) -> None:
    """With two hours kept at 12:00:30 the hour from nine is empty and that from ten nearly whole."""
    client.post("/_faults", json={"retention_hours": 2})

    assert client.get("/allocation", params={"window": EARLIER}).json()["data"] == [{}]
    assert rows(client.get("/allocation", params={"window": HOUR}))["small/node-a/shop/web-1/main"]["minutes"] == 55


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"statuss": 500}, "statuss: unknown field"),
        ({"status": "500"}, "status: expected a whole number"),
        ({"calls": 0}, "calls: expected a whole number from 1"),
        ({"lost": "tea"}, "lost: expected one of cadvisor"),
        ({"lost_from": "yesterday"}, "lost_from: expected a moment"),
        ({"hang": 1}, "hang: expected true or false"),
        (["hang"], "expected a JSON object"),
    ],
)
def test_bad_faults_are_refused_by_name(fault: Any, told: str) -> None:
    """The message names the field and what was expected."""
    with pytest.raises(IllegalFaultError, match=told):
        parse_fault(fault)


def test_a_bad_fault_is_answered_with_400(client: httpx.Client) -> None:
    """Nothing is set then."""
    response = client.post("/_faults", json={"statuss": 500})

    assert (response.status_code, client.get("/_faults").json()) == (400, {"faults": []})


def test_a_token_is_demanded() -> None:
    """Without it, or with another, the answer is 401; the control routes need none."""
    with StandIn(model(), clock=lambda: NOW, token="secret") as running, httpx.Client(trust_env=False) as client:
        url = f"{running.base_url}/clusterInfo"
        statuses = [
            client.get(url, headers=headers).status_code
            for headers in ({}, {"Authorization": "Bearer other"}, {"Authorization": "Bearer secret"})
        ]

        assert statuses == [401, 401, 200]
        assert client.get(f"{running.base_url}/_calls").json()["total"] == 3


def test_it_answers_below_a_path() -> None:
    """A prefix such as /model is part of the base URL."""
    with StandIn(model(), clock=lambda: NOW, path_prefix="/model") as running, httpx.Client(trust_env=False) as client:
        assert client.get(f"{running.base_url}/allocation", params={"window": HOUR}).status_code == 200
        assert running.base_url.endswith("/model")
        assert running.calls.summary()["paths"] == {"/allocation": 1}


def test_an_endless_step_is_never_answered(client: httpx.Client) -> None:
    """`step=0` loops for ever (trap T22)."""
    with pytest.raises(httpx.ReadTimeout):
        client.get("/allocation", params={"window": HOUR, "step": "0s"}, timeout=0.1)


def test_stopping_ends_kept_connections(client: httpx.Client, stand_in: StandIn) -> None:
    """A pooled connection does not outlive the server."""
    client.get("/healthz")
    stand_in.stop()

    with pytest.raises(httpx.TransportError):
        client.get("/healthz")


def test_assets_of_aws_have_local_disks_and_pricing_sources() -> None:
    """80 GiB of a node's disk at 0.04 a month of 730 hours cost 0.004384 an hour; AWS names its pricing sources."""
    aws = cluster(nodes=(node(local_disk_bytes=80 * 1024**3),), provider="AWS", provisioner="EKS", region="eu-west-1")
    with StandIn(aws, clock=lambda: NOW) as running, httpx.Client(base_url=running.base_url, trust_env=False) as client:
        disk = next(
            asset
            for asset in client.get("/assets", params={"window": HOUR}).json()["data"].values()
            if asset["type"] == "Disk"
        )

        assert (disk["totalCost"], disk["local"], disk["storageClass"]) == (0.004384, 1, "__local__")
        assert client.get("/clusterInfo").json()["data"]["provisioner"] == "EKS"
        assert client.get("/pricingSourceCounts").json()["data"] == {"TotalNodes": 1, "PricingType": {"api": 1}}
        assert "Spot Data Feed" in client.get("/pricingSourceStatus").json()["data"]


def test_large_answers_come_in_chunks() -> None:
    """A thousand containers are sent as they are made, and parse as one answer."""
    large = generated_cluster(containers=1001, namespaces=4, start_seconds=at("00:00:00"))
    with StandIn(large, clock=lambda: NOW) as running, httpx.Client(trust_env=False, timeout=20) as client:
        response = client.get(f"{running.base_url}/allocation", params={"window": HOUR})

    assert response.headers["Transfer-Encoding"] == "chunked"
    assert len(rows(response)) == 1001


def test_a_cut_chunked_answer_is_a_transport_error() -> None:
    """The stream breaks off before its last chunk."""
    large = generated_cluster(containers=1000, namespaces=4, start_seconds=at("00:00:00"))
    with StandIn(large, clock=lambda: NOW) as running, httpx.Client(trust_env=False, timeout=20) as client:
        running.faults.add(parse_fault({"truncate": "connection"}))
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(f"{running.base_url}/allocation", params={"window": HOUR})


def test_a_generated_cluster_needs_at_least_one_container() -> None:
    """The message names what was expected."""
    with pytest.raises(ValueError, match="expected at least 1"):
        generated_cluster(containers=0, namespaces=1)


def test_the_command_serves_the_demo_until_it_is_told_to_end() -> None:
    """`python -m local.standin` prints its address, answers with its clock ahead, and ends on SIGTERM."""
    command = [sys.executable, "-m", "local.standin", "--now", "2026-03-10T12:00:30Z"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            base_url = child.stdout.readline().strip()
            answered = httpx.get(f"{base_url}/allocation", params={"window": HOUR}, trust_env=False, timeout=20)
        finally:
            child.terminate()
            status = child.wait(timeout=10)

    assert "demo/node-gpu/analytics/trainer-0/train" in rows(answered)
    assert status == 0
