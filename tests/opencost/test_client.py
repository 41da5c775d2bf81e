"""What the client asks, and what it makes of good answers, over real HTTP."""

from datetime import timedelta
from pathlib import Path

import pytest

from costintel.cost.window import Window
from costintel.errors import ConfigurationError, OpenCostRefused
from costintel.opencost.client import OpenCostClient
from costintel.opencost.status import OpenCostStatus, PricingSource
from tests.opencost.conftest import MakeClient
from tests.opencost.entries import HOUR, allocation_body, asset_body, container, node, only_row
from tests.opencost.recordings import RECORDED, SAMPLES
from tests.opencost.scripted_server import ScriptedServer, chunked, reply, reply_file, reply_json

_EMPTY_ASSETS = b'{"code":200,"data":{}}'


def _answering(server: ScriptedServer, prefix: str = "", route: str = "/allocation") -> None:
    server.on(f"{prefix}/assets", reply(200, asset_body([node()])))
    server.on(f"{prefix}{route}", reply(200, allocation_body([container(cpuCost=0.03001)])))


def test_one_call_of_each_route(server: ScriptedServer, make_client: MakeClient) -> None:
    """Assets first, whose prices the rows need, then the containers: one GET each, no filter, no aggregate."""
    _answering(server)
    answer = make_client().answer(HOUR, cluster_id="made")
    assert server.asked() == ["/assets", "/allocation"]
    window = {"window": ["2026-11-28T10:00:00Z,2026-11-28T11:00:00Z"]}
    assert [request.query for request in server.requests] == [window, window]
    assert {request.method for request in server.requests} == {"GET"}
    assert only_row(answer).cpu_cost == pytest.approx(0.03, abs=1e-9)


def test_a_chunked_answer_reads_like_a_whole_one(server: ScriptedServer, make_client: MakeClient) -> None:
    """OpenCost does not know the length of what it sends."""
    body = allocation_body([container(), container(properties={"pod": "web-2"})])
    server.on("/assets", chunked(_EMPTY_ASSETS))
    server.on("/allocation", chunked(*(body[at : at + 100] for at in range(0, len(body), 100))))
    assert make_client().answer(HOUR, cluster_id="made").row_count == 2


@pytest.mark.parametrize(
    ("path", "prefix", "route"),
    [
        ("", "", "/allocation"),
        ("/", "", "/allocation"),
        ("/model", "/model", "/allocation/compute"),
        ("/model/", "/model", "/allocation/compute"),
        ("/api/v1/namespaces/opencost/services/http:opencost:9003/proxy",) * 2 + ("/allocation",),
    ],
)
def test_the_base_url_may_have_a_path(
    path: str, prefix: str, route: str, server: ScriptedServer, make_client: MakeClient
) -> None:
    """T40: `/model` is Kubecost's, or the UI's; both know `/allocation/compute`. The Kubernetes service proxy has a long one."""
    _answering(server, prefix, route)
    make_client(path=path).answer(HOUR, cluster_id="made")
    assert server.asked() == [f"{prefix}/assets", f"{prefix}{route}"]


def test_the_token_travels_as_a_bearer(server: ScriptedServer, make_client: MakeClient) -> None:
    """With a token every request carries it; without, none."""
    _answering(server)
    make_client(token="s3cret").answer(HOUR, cluster_id="made")
    make_client().answer(HOUR, cluster_id="made")
    sent = [request.headers.get("authorization") for request in server.requests]
    assert sent == ["Bearer s3cret", "Bearer s3cret", None, None]


def test_the_environments_proxy_is_ignored(
    server: ScriptedServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy setting of the function's environment must not see the cluster's costs."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    _answering(server)
    assert make_client().answer(HOUR, cluster_id="made").row_count == 1


def test_a_window_of_fractions_is_not_asked(server: ScriptedServer, make_client: MakeClient) -> None:
    """T2: OpenCost calls fractions of a second an illegal window."""
    with pytest.raises(ValueError, match="whole seconds"):
        make_client().answer(Window(HOUR.start, HOUR.end + timedelta(microseconds=1)), cluster_id="made")
    assert server.requests == []


@pytest.mark.parametrize(("file", "identity"), [("clusterinfo.json", "default-cluster")])
def test_the_cluster_id_of_the_sample(
    file: str, identity: str, server: ScriptedServer, make_client: MakeClient
) -> None:
    """`/clusterInfo` is a flat map of texts."""
    server.on("/clusterInfo", reply_file(SAMPLES / "opencost" / file))
    assert make_client().cluster_id() == identity


@pytest.mark.parametrize("version", ["1.113", "1.120.2"])
def test_the_recorded_cluster_id(version: str, server: ScriptedServer, make_client: MakeClient) -> None:
    """Old and new envelope."""
    server.on("/clusterInfo", reply_file(RECORDED / version / "clusterInfo.json"))
    assert make_client().cluster_id() == "made"


@pytest.mark.parametrize(
    "body",
    [
        {"code": 500, "status": "error", "data": None},
        {"code": 200, "data": {}},
        {"code": 200, "data": {"id": 7}},
        {"code": 200, "data": []},
        {"id": "made"},
        [],
    ],
)
def test_a_cluster_id_that_is_not_told_is_refused(
    body: object, server: ScriptedServer, make_client: MakeClient
) -> None:
    """T36: up to 1.114 a failing `/clusterInfo` is HTTP 200 with code 500."""
    server.on("/clusterInfo", reply_json(body))
    with pytest.raises(OpenCostRefused, match="/clusterInfo"):
        make_client().cluster_id()


def test_the_status_of_the_samples(server: ScriptedServer, make_client: MakeClient) -> None:
    """Version without envelope, pricing sources, nodes by kind of price."""
    for route, file in (
        ("/installInfo", "installinfo.json"),
        ("/pricingSourceStatus", "pricingsourcestatus.json"),
        ("/pricingSourceCounts", "pricingsourcecounts.json"),
    ):
        server.on(route, reply_file(SAMPLES / "opencost" / file))
    assert make_client().status() == OpenCostStatus(
        version="1.120.1 (0000000)",
        pricing_sources={
            "Savings Plan, Reserved Instance, and Out-Of-Cluster": PricingSource(enabled=True, available=True),
            "Spot Data Feed": PricingSource(enabled=False, available=False),
        },
        pricing_counts={"api": 2},
    )


@pytest.mark.parametrize(("version", "said"), [("1.113", "1.113.0-dev (HEAD)"), ("1.120.2", "1.120.2 (HEAD)")])
def test_the_recorded_status(version: str, said: str, server: ScriptedServer, make_client: MakeClient) -> None:
    """A custom provider reports no pricing source, and counts its nodes under the empty kind."""
    for route in ("installInfo", "pricingSourceStatus", "pricingSourceCounts"):
        server.on(f"/{route}", reply_file(RECORDED / version / f"{route}.json"))
    assert make_client().status() == OpenCostStatus(version=said, pricing_sources={}, pricing_counts={"": 2})


def test_what_the_status_does_not_tell_is_none(server: ScriptedServer, make_client: MakeClient) -> None:
    """A missing route, a failure in HTTP 200 and a shape nobody knows are "not known", and raise nothing."""
    server.on("/pricingSourceStatus", reply_json({"code": 500, "status": "error"}))
    server.on("/pricingSourceCounts", reply_json({"code": 200, "data": {"PricingType": []}}))
    assert make_client().status() == OpenCostStatus(version=None, pricing_sources=None, pricing_counts=None)


@pytest.mark.parametrize(
    "url",
    ["", "opencost:9003", "ftp://opencost", "http://", "http://[::1", "http://u:p@opencost", "http://opencost?x=1"],
)
def test_a_base_url_that_is_none_is_a_configuration_error(url: str) -> None:
    """The setting is named, and nothing is asked."""
    with pytest.raises(ConfigurationError, match="OPENCOST_BASE_URL"):
        OpenCostClient(url)


def test_a_ca_file_that_cannot_be_read_is_a_configuration_error(tmp_path: Path) -> None:
    """The setting is named."""
    for file in (tmp_path / "missing.pem", tmp_path):
        with pytest.raises(ConfigurationError, match="OPENCOST_CA_FILE"):
            OpenCostClient("https://127.0.0.1:9", ca_file=str(file))
