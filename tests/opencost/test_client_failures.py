"""OpenCost failing in every way it is known to, over real HTTP: which error it is and what its text says."""

import socket
from typing import NamedTuple

import pytest

from costintel.errors import OpenCostError, OpenCostRefused, OpenCostTimeout
from costintel.opencost import client as client_module
from tests.opencost.conftest import MakeClient
from tests.opencost.entries import HOUR, allocation_body, container
from tests.opencost.recordings import SAMPLES
from tests.opencost.scripted_server import (
    Act,
    ScriptedServer,
    chunked,
    cut,
    drip,
    reply,
    reply_file,
    reset,
    silence,
    stall,
)

_BODY = allocation_body([container()])
_EMPTY_ASSETS = reply(200, b'{"code":200,"data":{}}')
_HTML = b"<html><body><h1>502 Bad Gateway</h1></body></html>"


class _Failure(NamedTuple):
    act: Act
    text: str


_REFUSED = {
    "half of the body": _Failure(cut(_BODY, len(_BODY) // 2), "the answer broke off"),
    "chunks without an end": _Failure(chunked(_BODY[:100], complete=False), "the answer broke off"),
    "half a body that claims to be whole": _Failure(reply(200, _BODY[:-20]), "cut off"),
    "a reset connection": _Failure(reset(), "broke off"),
    "an empty 200": _Failure(reply(200, b""), "the answer is empty"),
    "a page": _Failure(reply(200, _HTML, "text/html"), "the answer is not JSON"),
    "a gateway's page": _Failure(reply(502, _HTML, "text/html"), "/allocation: answered 502$"),
    "unavailable": _Failure(reply(503, b"", "text/plain"), "/allocation: answered 503$"),
    "code 500 in 200": _Failure(
        reply(200, b'{"code":500,"message":"Internal Server Error"}'), "code 500: Internal Server Error"
    ),
    "null": _Failure(reply(200, b'{"code":200,"data":null}'), "not what was asked for"),
    "an illegal window": _Failure(
        reply_file(SAMPLES / "opencost" / "error-400-illegal-window.txt", 400, "text/plain"),
        "/allocation: answered 400: Invalid 'window' parameter: illegal window: 86400s",
    ),
    "a failing Prometheus": _Failure(
        reply_file(SAMPLES / "opencost" / "error-500-prometheus-timeout.json", 500),
        "/allocation: answered 500: error computing allocations for",
    ),
    "no such route": _Failure(reply(404, b"404 page not found\n", "text/plain"), "is the path of the base URL right"),
    "unauthorized": _Failure(reply(401, b'{"code":401,"message":"Unauthorized"}'), "answered 401: Unauthorized"),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_what_is_no_answer_is_refused(name: str, server: ScriptedServer, make_client: MakeClient) -> None:
    """T24, T26, T36: one short line, without addresses and queries."""
    server.on("/assets", _EMPTY_ASSETS)
    server.on("/allocation", _REFUSED[name].act)
    with pytest.raises(OpenCostRefused, match=_REFUSED[name].text) as refused:
        make_client().answer(HOUR, cluster_id="made")
    line = str(refused.value)
    assert line.startswith("/allocation: ")
    assert "\n" not in line
    assert len(line) < 250
    assert not any(word in line for word in ("http", "query", "Prometheus", "127.0.0.1"))


def test_failing_assets_fail_the_answer(server: ScriptedServer, make_client: MakeClient) -> None:
    """T26: without assets there are no prices and no nodes; the containers are not asked for."""
    server.on("/assets", reply(500, b"Error getting assets: err\n", "text/plain"))
    with pytest.raises(OpenCostRefused, match="/assets: answered 500: Error getting assets"):
        make_client().answer(HOUR, cluster_id="made")
    assert server.asked() == ["/assets"]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(status: int, server: ScriptedServer, make_client: MakeClient) -> None:
    """A token must not travel to an address nobody configured."""
    server.on("/assets", reply(status, b"", "text/plain", f"Location: {server.url}/elsewhere"))
    with pytest.raises(OpenCostRefused, match=f"redirected with {status}"):
        make_client().answer(HOUR, cluster_id="made")
    assert server.asked() == ["/assets"]


def test_nobody_listening_is_refused(make_client: MakeClient) -> None:
    """OpenCost listens only once its caches are filled; nothing was computed, so asking again is fine."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(OpenCostRefused, match="/assets: no connection"):
        make_client(f"http://127.0.0.1:{port}").answer(HOUR, cluster_id="made")


_HANGING = {
    "silence": silence(),
    "silence inside the body": stall(_BODY[:100]),
    "a body that drips for ever": drip(_BODY[:100]),
    "blanks that drip for ever": drip(b""),
    "drips before an error's end": drip(b"{"),
}


@pytest.mark.parametrize("name", _HANGING)
def test_an_answer_that_does_not_end_times_out(name: str, server: ScriptedServer, make_client: MakeClient) -> None:
    """The read timeout holds for the whole answer, not for each piece of it."""
    server.on("/assets", _EMPTY_ASSETS)
    server.on("/allocation", _HANGING[name])
    with pytest.raises(OpenCostTimeout, match=r"no complete answer within 0\.3 s"):
        make_client(read_timeout_seconds=0.3).answer(HOUR, cluster_id="made")


def test_both_calls_share_one_deadline(server: ScriptedServer, make_client: MakeClient) -> None:
    """Assets that never come leave no time for containers."""
    server.on("/assets", silence())
    with pytest.raises(OpenCostTimeout):
        make_client(read_timeout_seconds=0.2).answer(HOUR, cluster_id="made")
    assert server.asked() == ["/assets"]


def test_a_gateway_that_gave_up_is_a_timeout(server: ScriptedServer, make_client: MakeClient) -> None:
    """T27: 504 means that OpenCost goes on computing behind it."""
    server.on("/assets", _EMPTY_ASSETS)
    server.on("/allocation", reply(504, _HTML, "text/html"))
    with pytest.raises(OpenCostTimeout, match="answered 504"):
        make_client().answer(HOUR, cluster_id="made")


def test_an_answer_that_is_too_large_is_refused(
    server: ScriptedServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cap with a clear error instead of a full memory."""
    monkeypatch.setattr(client_module, "ALLOCATION_LIMIT_BYTES", 2 * 1024**2)
    server.on("/assets", _EMPTY_ASSETS)
    server.on("/allocation", reply(200, b'{"code":200,"data":[{}' + b" " * 3 * 1024**2 + b"]}"))
    with pytest.raises(OpenCostRefused, match="larger than 2 MiB"):
        make_client().answer(HOUR, cluster_id="made")


def test_a_failure_leaves_the_client_usable(server: ScriptedServer, make_client: MakeClient) -> None:
    """The next question is answered."""
    server.on("/assets", reset(), _EMPTY_ASSETS)
    server.on("/allocation", reply(200, _BODY))
    client = make_client()
    with pytest.raises(OpenCostError):
        client.answer(HOUR, cluster_id="made")
    assert client.answer(HOUR, cluster_id="made").row_count == 1


def test_the_token_is_in_no_error(server: ScriptedServer, make_client: MakeClient) -> None:
    """A refusal names the route and the status."""
    server.on("/assets", reply(403, b'{"message":"forbidden"}'))
    with pytest.raises(OpenCostRefused) as refused:
        make_client(token="s3cret").answer(HOUR, cluster_id="made")
    assert str(refused.value) == "/assets: answered 403: forbidden"
