"""The local proxy against the recordings of a real argocd-server, and the cases of its own."""

import gzip
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.http_server import Headers, HttpServer, Request, Response
from local.postgres import free_port
from local.proxy import ExtensionProxy

RECORDINGS = Path(__file__).parents[1] / "samples/argocd-recorded/proxy-3.5.1"
TOKEN = "proxy-token-example"
REFERENCE = (("Argocd-Application-Name", "argocd:checkout"), ("Argocd-Project-Name", "shop"))

# What a recording shows of things the local stack has not: logins and their rights, destinations, an upgraded connection,
# CONNECT through a gateway, and bodies that were not kept.
LOGIN = {
    "abuse-nonexistent-app-admin",
    "abuse-nonexistent-app-reader",
    "abuse-reader-forges-project",
    "abuse-same-name-other-ns",
    "abuse-two-app-headers-reversed",
    "abuse-unauthorised-app",
    "abuse-unauthorised-app-own-project",
    "abuse-wrong-project-admin",
    "abuse-wrong-project-reader",
    "ext-unregistered-reader",
}
OTHER = {"abuse-upgrade", "method-connect", "post-gzip"}
KINDS = (
    "abuse-",
    "delete-",
    "ext-",
    "get-browser",
    "get-minimal",
    "get-user-agent-none",
    "method-",
    "path-",
    "post-",
    "query-",
)
CASES = sorted(
    path.stem for path in RECORDINGS.glob("*.json") if path.stem.startswith(KINDS) and path.stem not in LOGIN | OTHER
)
# The recording's own: its other token, its user's identity and destination, and how bodies were framed on the wire.
NOT_COMPARED = {
    "argocd-target-cluster-name",
    "argocd-target-cluster-url",
    "argocd-user-id",
    "argocd-username",
    "connection",
    "content-length",
    "expect",
    "host",
    "transfer-encoding",
    "x-cost-token",
}


class Backend:
    """Stands where API Gateway would: keeps what it receives and answers what it is told."""

    def __init__(self) -> None:
        self.received: list[Request] = []
        self.answer = Response(status=200, headers=(("Content-Type", "application/json"),), body=b'{"ok":true}')
        self.server = HttpServer(0, self._respond)

    def _respond(self, request: Request) -> Response:
        self.received.append(request)
        return self.answer


@pytest.fixture
def backend() -> Iterator[Backend]:
    made = Backend()
    made.server.start()
    yield made
    made.server.close()


@pytest.fixture
def proxy(backend: Backend) -> Iterator[HttpServer]:
    server = HttpServer(0, ExtensionProxy(backend_port=backend.server.port, token=TOKEN).respond)
    server.start()
    yield server
    server.close()


def send(port: int, wire: bytes) -> tuple[int | None, Headers, bytes]:
    """Send bytes; give status, headers and body, or no status if the connection ended without an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(wire)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
        except ConnectionResetError:
            pass
    answer = answer.removeprefix(b"HTTP/1.1 100 \r\n\r\n")
    if not answer:
        return None, (), b""
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    pairs = [line.partition(": ") for line in lines]
    return int(status.split()[1]), tuple((name, value) for name, _, value in pairs), body


def wire_of(
    method: str, target: str, headers: Headers, body: bytes = b"", *, chunked: bool = False, framed: bool = True
) -> bytes:
    lines = [f"{method} {target} HTTP/1.1"]
    names = {name.lower() for name, _ in headers}
    if "host" not in names:
        lines.append("Host: argocd.example.com")
    if "connection" not in names:
        lines.append("Connection: close")
    lines += [f"{name}: {value}" for name, value in headers]
    if framed and chunked:
        lines.append("Transfer-Encoding: chunked")
        body = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    elif framed and method in ("POST", "PUT", "DELETE", "PATCH") and "content-length" not in names:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def recorded(case: str) -> Any:
    text = (RECORDINGS / f"{case}.json").read_text(encoding="utf-8")
    return json.loads(
        text.replace("cost-analysis/api/", "cost-intel/api/").replace(
            "extensions/cost-analysis", "extensions/cost-intel"
        )
    )


def replay(port: int, sent: Any) -> tuple[int | None, Headers, bytes]:
    """Send what the client of a recording sent, its connection closed after one answer."""
    headers = tuple(
        (name, value) for name, value in sent["headers"] if (name.lower(), value) != ("connection", "keep-alive")
    )
    body = sent["body"].encode() if sent["body"] is not None else b"x" * sent["body_len"]
    framed = not any(name.lower() == "transfer-encoding" for name, _ in headers)
    return send(port, wire_of(sent["method"], sent["path"], headers, body, chunked=sent["chunked"], framed=framed))


def compared(headers: Any) -> list[tuple[str, str]]:
    """Keep what is compared, names in lower case: API Gateway lowers them."""
    kept = [(name.lower(), value) for name, value in headers if name.lower() not in NOT_COMPARED]
    return sorted((name, re.sub(r"\(\d+ characters\)", "", value)) for name, value in kept)


@pytest.mark.parametrize("case", CASES)
def test_a_recorded_case_comes_out_the_same(case: str, proxy: HttpServer, backend: Backend) -> None:
    """What reaches the backend, or what the caller is answered, is what the real argocd-server did."""
    recording = recorded(case)

    status, headers, body = replay(proxy.port, recording["client_sent"])

    assert len(backend.received) == recording["requests_reaching_upstream"]
    if recording["request"] is not None:
        (request,) = backend.received
        assert (request.method, request.target) == (recording["request"]["method"], recording["request"]["path"])
        assert compared(request.headers) == compared(recording["request"]["headers"])
        assert len(request.body) == recording["client_sent"]["body_len"] or case == "abuse-cl-te"
    got = recording["client_got"]
    expected = int(got["status"].split()[1]) if got.get("status") else None
    assert status == (200 if expected == 100 else expected)
    if recording["request"] is None and expected is not None and expected != 400:
        locations = [value for name, value in got["headers"] if name == "Location"]
        assert [value for name, value in headers if name == "Location"] == locations
    if case.startswith(("abuse-app-", "abuse-comma", "abuse-empty", "abuse-no-", "ext-")):
        assert body.decode() == got["body"]


def test_the_configured_token_replaces_the_callers(proxy: HttpServer, backend: Backend) -> None:
    """Neither Authorization nor Cookie of the caller goes on; the proxy token does, once."""
    headers = (
        *REFERENCE,
        ("authorization", "Bearer mine"),
        ("Cookie", "argocd.token=secret"),
        ("ARGOCD-USERNAME", "root"),
    )

    send(proxy.port, wire_of("GET", "/extensions/cost-intel/api/x", headers))

    (request,) = backend.received
    assert request.values("authorization") == [f"Bearer {TOKEN}"]
    assert request.values("cookie") == []
    assert request.values("argocd-username") == ["admin"]
    assert request.values("argocd-namespace") == ["argocd"]
    assert request.values("host") == [f"127.0.0.1:{backend.server.port}"]


def test_without_a_backend_it_answers_502_and_nothing() -> None:
    """A refused connection is 502 with an empty body."""
    server = HttpServer(0, ExtensionProxy(backend_port=free_port(), token=TOKEN).respond)
    server.start()

    status, headers, body = send(server.port, wire_of("GET", "/extensions/cost-intel/api/x", REFERENCE))
    server.close()

    assert (status, body) == (502, b"")
    assert "content-type" not in {name.lower() for name, _ in headers}


@pytest.mark.parametrize(
    ("asked", "body", "encoding"),
    [(None, b"plain", []), ("gzip", gzip.compress(b"plain"), ["gzip"])],
    ids=["nobody asked", "asked"],
)
def test_a_compression_nobody_asked_for_is_undone(
    asked: str | None, body: bytes, encoding: list[str], proxy: HttpServer, backend: Backend
) -> None:
    """The proxy itself accepts gzip and unpacks it for a caller that said nothing; a caller that asked gets it."""
    packed = gzip.compress(b"plain")
    backend.answer = Response(status=200, headers=(("Content-Encoding", "gzip"),), body=packed)
    extra = (("Accept-Encoding", asked),) if asked else ()

    _, headers, got = send(proxy.port, wire_of("GET", "/extensions/cost-intel/api/x", (*REFERENCE, *extra)))

    assert got == (body if asked is None else packed)
    assert [value for name, value in headers if name.lower() == "content-encoding"] == encoding


@pytest.mark.parametrize("status", [202, 401, 404, 422, 503])
def test_the_backends_answer_passes_unchanged(status: int, proxy: HttpServer, backend: Backend) -> None:
    """Status, headers and body are the backend's."""
    backend.answer = Response(
        status=status, headers=(("Content-Type", "application/problem+json"), ("Retry-After", "5"))
    )

    got, headers, _ = send(proxy.port, wire_of("GET", "/extensions/cost-intel/api/x", REFERENCE))

    assert got == status
    assert {("Content-Type", "application/problem+json"), ("Retry-After", "5")} <= set(headers)


def test_the_project_must_be_a_name(proxy: HttpServer, backend: Backend) -> None:
    """A project header that is no DNS name is refused."""
    headers = (("Argocd-Application-Name", "argocd:checkout"), ("Argocd-Project-Name", "no name"))

    status, _, body = send(proxy.port, wire_of("GET", "/extensions/cost-intel/api/x", headers))

    assert (status, body) == (400, b"Invalid headers: invalid value for project name\n")
    assert backend.received == []
