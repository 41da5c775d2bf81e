"""OpenCost through the API server's service proxy: whose answer it is, and that no address or name leaves it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import pytest

from costintel.errors import OpenCostError, OpenCostRefused, OpenCostTimeout
from costintel.opencost.service_proxy import ServiceProxyTransport, is_service_proxy, service_proxy_url
from costintel.opencost.transport import Deadline
from local.standin import StandIn
from local.standin.fault import Fault as OpenCostFault
from local.standin.generated import generated_cluster
from local.standin_kubernetes import Access, Fault, StandInKubernetes
from tests.cluster.conftest import TOKEN, StartStandIn
from tests.opencost.scripted_server import Act, ScriptedServer, chunked, cut, drip, reply

PROXY = "/api/v1/namespaces/opencost/services/http:opencost:9003/proxy"
START = datetime(2026, 11, 30, 9, tzinfo=UTC)
WINDOW = "window=2026-11-30T09:00:00Z%2C2026-11-30T10:00:00Z"


class Tokens:
    """Gives one token after the other, each until it is refused."""

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)
        self.given: list[str] = []

    def token(self) -> str:
        self.given.append(self._texts[0])
        return self._texts[0]

    def renew(self) -> None:
        if len(self._texts) > 1:
            self._texts.pop(0)


@pytest.fixture
def opencost() -> Iterator[StandIn]:
    model = generated_cluster(containers=40, namespaces=2, start_seconds=int(START.timestamp()) - 86400)
    with StandIn(model, clock=lambda: datetime(2026, 11, 30, 10, 30, tzinfo=UTC)) as stand_in:
        yield stand_in


@pytest.fixture
def behind(start_stand_in: StartStandIn, opencost: StandIn) -> StandInKubernetes:
    """Give an API server before OpenCost."""
    return start_stand_in(services={"opencost/opencost": opencost.base_url})


def got(
    stand_in: StandInKubernetes,
    route: str = "/clusterInfo",
    *,
    tokens: Tokens | None = None,
    service: str = "http:opencost:9003",
    query: str = "",
    seconds: float = 10.0,
) -> bytes:
    """Ask a route through the proxy and give its body."""
    url = service_proxy_url(stand_in.endpoint, service=service)
    transport = ServiceProxyTransport(url, tokens=tokens or Tokens(TOKEN))
    try:
        with transport.get(route, query=query, deadline=Deadline(seconds), limit_bytes=10**8) as pieces:
            return b"".join(pieces)
    finally:
        transport.close()


def refused(stand_in: StandInKubernetes, route: str = "/clusterInfo", **asked: Any) -> str:
    with pytest.raises(OpenCostError) as caught:
        got(stand_in, route, **asked)
    return str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"https://k.example.com{PROXY}", True),
        (f"https://k.example.com{PROXY}/model", True),
        ("https://k.example.com/api/v1/namespaces/cost/services/opencost:http/proxy/", True),
        ("https://opencost.example.com", False),
        ("https://opencost.example.com/model", False),
        ("https://k.example.com/api/v1/namespaces/opencost/services/http:opencost:9003", False),
    ],
)
def test_a_proxys_url_is_known_by_its_path(url: str, expected: bool) -> None:
    """Whatever the service is called, and with Kubecost's path behind it."""
    assert is_service_proxy(url) is expected


def test_the_default_url() -> None:
    """OpenCost's chart installs the service opencost with port 9003 into opencost."""
    assert service_proxy_url("https://k.example.com/") == f"https://k.example.com{PROXY}"


def test_an_answer_comes_through(behind: StandInKubernetes, opencost: StandIn) -> None:
    """The same bytes as asked directly; the path is the one RBAC compares, and the query arrives as it was sent."""
    body = json.loads(got(behind, "/allocation", query=WINDOW))

    assert len(body["data"][0]) == 40
    (call,) = behind.calls.summary()["calls"]
    assert (call["path"], call["query"], call["status"]) == (f"{PROXY}/allocation", WINDOW, 200)
    assert opencost.calls.summary()["windows"][0]["window"] == unquote(WINDOW.partition("=")[2])


def test_every_request_has_its_token(behind: StandInKubernetes) -> None:
    """It is asked for anew each time: a Lambda's environment outlives a token."""
    tokens = Tokens(TOKEN)
    got(behind, tokens=tokens)
    got(behind, tokens=tokens)

    assert tokens.given == [TOKEN, TOKEN]


def test_a_refused_token_is_renewed_once(behind: StandInKubernetes, opencost: StandIn) -> None:
    """The request goes out again with the new token, and OpenCost is asked once."""
    tokens = Tokens("stale", TOKEN)
    got(behind, tokens=tokens)

    assert tokens.given == ["stale", TOKEN]
    assert opencost.calls.summary()["total"] == 1


def test_two_refused_tokens_are_an_error(behind: StandInKubernetes) -> None:
    """Two requests, then it is told; the token is not in the text."""
    text = refused(behind, tokens=Tokens("stale-token"))

    assert text == (
        "/clusterInfo: the API server did not accept the token (401); is there an access entry for the function's role?"
    )
    assert behind.calls.summary()["total"] == 2


def test_the_services_name_must_stand_in_the_rule(behind: StandInKubernetes) -> None:
    """RBAC compares letters: the same service by the name of its port is another, and the error holds the rule."""
    assert refused(behind, service="opencost:http") == (
        "/clusterInfo: the API server forbids it (403); a Role in opencost needs the rule "
        '{apiGroups: [""], resources: [services/proxy], resourceNames: ["opencost:http"], verbs: [get]}'
    )


def test_a_missing_service(start_stand_in: StartStandIn) -> None:
    """The API server's own 404 is not OpenCost's."""
    assert refused(start_stand_in()) == (
        "/clusterInfo: the API server knows no service http:opencost:9003 in the namespace opencost (404)"
    )


def test_a_service_without_pods(start_stand_in: StartStandIn) -> None:
    """No endpoints."""
    stand_in = start_stand_in(services={"opencost/opencost": ""})

    assert refused(stand_in) == "/clusterInfo: no pod behind the service http:opencost:9003 is ready (503)"


def test_a_pod_that_does_not_listen(start_stand_in: StartStandIn) -> None:
    """The API server names the pod's address; we do not."""
    with ScriptedServer() as gone:
        url = gone.url
    stand_in = start_stand_in(services={"opencost/opencost": url})
    text = refused(stand_in)

    assert text == ("/clusterInfo: the API server cannot reach the pod behind the service http:opencost:9003 (503)")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_the_api_servers_other_failures(behind: StandInKubernetes, status: int) -> None:
    """Its status is told, and that it is not OpenCost's."""
    behind.faults.add(Fault(status=status))

    assert refused(behind) == f"/clusterInfo: the API server answered {status}"


def test_opencosts_own_404_is_its_own(behind: StandInKubernetes) -> None:
    """A route it does not know is answered by OpenCost, and the error says what to look at."""
    assert refused(behind, "/nothing") == (
        "/nothing: answered 404: 404 page not found; is the path of the base URL right?"
    )


def test_opencosts_own_failures_are_its_own(behind: StandInKubernetes, opencost: StandIn) -> None:
    """A 500 and a 503 of OpenCost pass unchanged, cut to harmless words."""
    opencost.faults.add(OpenCostFault(status=500, calls=1))
    opencost.faults.add(OpenCostFault(status=503))

    for status in (500, 503):
        text = refused(behind, "/allocation", query=WINDOW)
        assert text.startswith(f"/allocation: answered {status}: error computing allocations")
        assert "prometheus.example" not in text


def test_a_json_error_that_is_no_status_is_opencosts() -> None:
    """Only `kind: Status` is the API server's word."""
    with ScriptedServer() as server:
        server.on(f"{PROXY}/clusterInfo", reply(503, b'{"code":503,"message":"not yet"}'))
        transport = ServiceProxyTransport(server.url + PROXY, tokens=Tokens(TOKEN))
        with (
            pytest.raises(OpenCostRefused, match=r"^/clusterInfo: answered 503: not yet$"),
            transport.get("/clusterInfo", deadline=Deadline(5), limit_bytes=1000),
        ):
            pytest.fail("there is no answer")
        transport.close()


@pytest.mark.parametrize("act", [cut(b"x" * 1000, 500), chunked(b"x" * 500, complete=False)])
def test_a_body_that_breaks_off_is_an_error(start_stand_in: StartStandIn, act: Act) -> None:
    """When OpenCost dies while sending, the proxy has said 200 already; what arrived is no answer."""
    with ScriptedServer() as dying:
        dying.on("/allocation", act)
        stand_in = start_stand_in(services={"opencost/opencost": dying.url})

        assert refused(stand_in, "/allocation", query=WINDOW) == "/allocation: the answer broke off"
        assert stand_in.calls.summary()["calls"][0]["status"] == 200


def test_the_time_is_ours_alone(start_stand_in: StartStandIn) -> None:
    """The proxy waits for ever; an answer that trickles is cut at our deadline."""
    with ScriptedServer() as slow:
        slow.on("/allocation", drip(b"{"))
        stand_in = start_stand_in(services={"opencost/opencost": slow.url})

        with pytest.raises(OpenCostTimeout, match=r"within 0\.2 s"):
            got(stand_in, "/allocation", query=WINDOW, seconds=0.2)


def test_a_silent_opencost_is_a_timeout(behind: StandInKubernetes, opencost: StandIn) -> None:
    """A hang behind the proxy ends at our deadline too."""
    opencost.faults.add(OpenCostFault(hang=True, path="/clusterInfo"))

    with pytest.raises(OpenCostTimeout):
        got(behind, seconds=0.2)
    opencost.faults.clear()


def test_nothing_we_ask_is_a_dry_run(behind: StandInKubernetes) -> None:
    """The proxy refuses the parameter, so no query of ours may have it."""
    assert refused(behind, "/allocation", query="dryRun=All") == "/allocation: the API server answered 400"


def test_credentials_stay_with_the_api_server(start_stand_in: StartStandIn) -> None:
    """OpenCost never sees the token."""
    with ScriptedServer() as server:
        server.on("/clusterInfo", reply(200, b"{}"))
        stand_in = start_stand_in(services={"opencost/opencost": server.url}, access=Access(accepts=TOKEN.__eq__))
        got(stand_in)

        assert "authorization" not in server.requests[0].headers
        assert server.requests[0].headers["x-forwarded-for"] == "127.0.0.1"
