import base64
import contextlib
import http.client
import json
import socket
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from local.gateway import Gateway, TokenBucket
from local.invocation import Answer, ThrottledError, UnansweredError
from local.plan import RoutePlan, Throttle
from tests.fixtures.functions import MakeFunction

NOON = datetime(2026, 8, 20, 12, 0, 0, tzinfo=UTC)
WEB = "arn:web"
HOOK = "arn:hook"


class Recorder:
    """A function that keeps its events and answers what it is told."""

    def __init__(self, answer: Any = None) -> None:
        self.events: list[Any] = []
        self.answer = answer if answer is not None else {"statusCode": 204}

    def invoke(self, event: bytes, *, wait_seconds: float | None = None) -> Answer:
        self.events.append(json.loads(event))
        if isinstance(self.answer, Exception):
            raise self.answer
        if isinstance(self.answer, Answer):
            return self.answer
        return Answer(payload=json.dumps(self.answer).encode())


def route(key: str, function_arn: str, throttle: Throttle | None = None) -> RoutePlan:
    return RoutePlan(key=key, function_arn=function_arn, timeout_seconds=30, throttle=throttle)


@contextlib.contextmanager
def serving(functions: dict[str, Any], routes: Sequence[RoutePlan] | None = None) -> Iterator[Gateway]:
    wanted = routes if routes is not None else [route("$default", WEB)]
    gateway = Gateway(0, routes=wanted, functions=functions, clock=lambda: NOON)
    gateway.start()
    try:
        yield gateway
    finally:
        gateway.close()


@contextlib.contextmanager
def connected(gateway: Gateway) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=20)
    try:
        yield connection
    finally:
        connection.close()


def ask(
    gateway: Gateway, method: str, target: str, *, headers: Sequence[tuple[str, str]] = (), body: bytes = b""
) -> tuple[int, dict[str, str], bytes]:
    """Send exactly these headers, in this order, and give status, headers and body of the answer."""
    with connected(gateway) as connection:
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        if body:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


def raw(gateway: Gateway, wire: bytes) -> bytes:
    """Send these bytes and give all that comes back until the gateway closes."""
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as connection:
        connection.sendall(wire)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
        return b"".join(parts)


def event_of(method: str, target: str, **sent: Any) -> Any:
    recorder = Recorder()
    with serving({WEB: recorder}) as gateway:
        ask(gateway, method, target, **sent)
    return recorder.events[0]


def test_header_names_are_lower_case_and_repeated_ones_joined() -> None:
    """Payload 2.0 joins repeated headers with a comma, whatever their case was."""
    event = event_of("GET", "/", headers=[("X-Twice", "one"), ("Plain", "a"), ("x-twice", ""), ("X-TWICE", "three")])

    assert event["headers"]["x-twice"] == "one,,three"
    assert event["headers"]["plain"] == "a"
    assert event["version"] == "2.0"


def test_cookies_are_a_list_of_their_own() -> None:
    """Cookies of every Cookie line are listed and leave the headers."""
    event = event_of("GET", "/", headers=[("Cookie", "a=1; b=2"), ("Cookie", "c=3")])

    assert event["cookies"] == ["a=1", "b=2", "c=3"]
    assert "cookie" not in event["headers"]


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/api/a%20b", "/api/a b"),
        ("/api/a%2Fb", "/api/a/b"),
        ("/api/%2e%2e/x", "/api/../x"),
        ("/api/a%3Fb", "/api/a"),
        ("/api//x", "/api//x"),
        ("/api/caf%C3%A9", "/api/café"),
        ("/api/a+b", "/api/a+b"),
    ],
)
def test_the_path_is_decoded(target: str, path: str) -> None:
    """The raw path is percent-decoded, cut at a decoded question mark, and otherwise untouched."""
    event = event_of("GET", target)

    assert event["rawPath"] == path
    assert event["requestContext"]["http"]["path"] == path


def test_query_values_are_decoded_and_joined() -> None:
    """The raw query stays; the decoded values of one name are joined with a comma."""
    event = event_of("GET", "/x?a=1&b=x%20y&a=2&c=")

    assert event["rawQueryString"] == "a=1&b=x%20y&a=2&c="
    assert event["queryStringParameters"] == {"a": "1,2", "b": "x y", "c": ""}


@pytest.mark.parametrize(
    ("content_type", "extra", "body", "coded"),
    [
        ("application/json", [], '{"ö": 1}'.encode(), False),
        ("text/plain; charset=utf-8", [], b"plain", False),
        ("application/problem+json", [], b"{}", False),
        ("application/x-www-form-urlencoded", [], b"a=1", True),
        ("application/gzip", [], b"\x1f\x8b\x00", True),
        ("application/json", [("Content-Encoding", "gzip")], b"\x1f\x8b\x00", True),
        ("application/json", [], b"\xff\xfe", True),
        (None, [], b"{}", True),
    ],
)
def test_binary_bodies_travel_base64_coded(
    content_type: str | None, extra: list[tuple[str, str]], body: bytes, coded: bool
) -> None:
    """Text types that are text stay as they are; everything else is base64-coded."""
    headers = [("Content-Type", content_type), *extra] if content_type else extra

    event = event_of("POST", "/", headers=headers, body=body)

    assert event["isBase64Encoded"] is coded
    assert (base64.b64decode(event["body"]) if coded else event["body"].encode()) == body


def test_a_request_without_body_has_none() -> None:
    """No `body` and no `queryStringParameters` appear when there are none."""
    event = event_of("GET", "/")

    assert not {"body", "queryStringParameters", "cookies"} & set(event)


def test_the_context_names_stage_method_and_time() -> None:
    """The stage is `$default`, and the time is the stack's clock."""
    context = event_of("DELETE", "/")["requestContext"]

    assert context["stage"] == "$default"
    assert context["http"]["method"] == "DELETE"
    assert context["time"] == "20/Aug/2026:12:00:00 +0000"
    assert context["timeEpoch"] == 1_787_227_200_000


def test_chunked_bodies_arrive_whole() -> None:
    """A chunked request is one body for the function."""
    recorder = Recorder()
    with serving({WEB: recorder}) as gateway, connected(gateway) as connection:
        connection.request("POST", "/", iter([b"one ", b"two"]), {"Content-Type": "text/plain"}, encode_chunked=True)
        assert connection.getresponse().status == 204

    assert recorder.events[0]["body"] == "one two"


def test_a_connection_is_kept_alive() -> None:
    """Several requests travel over one connection."""
    with serving({WEB: Recorder({"statusCode": 200, "body": "yes"})}) as gateway, connected(gateway) as connection:
        bodies = []
        for _ in range(3):
            connection.request("GET", "/")
            sock = connection.sock
            bodies.append(connection.getresponse().read())
            assert connection.sock is sock

    assert bodies == [b"yes"] * 3


def test_head_answers_without_body() -> None:
    """HEAD invokes the function; the answer has the length and no body."""
    recorder = Recorder({"statusCode": 200, "body": "12345"})
    with serving({WEB: recorder}) as gateway:
        status, headers, body = ask(gateway, "HEAD", "/")

    assert (status, headers["content-length"], body) == (200, "5", b"")
    assert recorder.events[0]["requestContext"]["http"]["method"] == "HEAD"


def test_the_webhooks_route_wins_over_the_default() -> None:
    """A full path goes to its own function for any method; all else, a longer path too, to `$default`."""
    hook, web = Recorder(), Recorder()
    routes = [route("ANY /api/cost-analysis/on-sync", HOOK), route("$default", WEB)]
    with serving({HOOK: hook, WEB: web}, routes) as gateway:
        for method, target in (("POST", "on-sync"), ("GET", "on%2Dsync"), ("POST", "on-sync/x"), ("POST", "On-Sync")):
            ask(gateway, method, f"/api/cost-analysis/{target}")

    assert [event["routeKey"] for event in hook.events] == ["ANY /api/cost-analysis/on-sync"] * 2
    assert [event["routeKey"] for event in web.events] == ["$default"] * 2


def test_without_a_matching_route_the_gateway_answers_404() -> None:
    """Without `$default` an unknown path is the gateway's own 404."""
    with serving({HOOK: Recorder()}, [route("ANY /hook", HOOK)]) as gateway:
        status, _, body = ask(gateway, "GET", "/other")

    assert (status, json.loads(body)) == (404, {"message": "Not Found"})


@pytest.mark.parametrize(("size", "status"), [(10_100, 204), (10_300, 431)])
def test_over_10240_bytes_of_head_are_refused(size: int, status: int) -> None:
    """Request line and headers together may have 10,240 bytes."""
    with serving({WEB: Recorder()}) as gateway:
        got, _, _ = ask(gateway, "GET", "/", headers=[("X-Long", "x" * (size // 2)), ("X-Longer", "y" * (size // 2))])

    assert got == status


def test_headers_beyond_every_buffer_are_refused_too() -> None:
    """A head that never ends is answered with 431, not with a cut connection."""
    with serving({WEB: Recorder()}) as gateway:
        answer = raw(gateway, b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 300_000)

    assert answer.startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_ten_megabytes_is_refused(chunked: bool) -> None:
    """10 MB is the limit of the request body, announced or chunked."""
    body = b"x" * (10 * 1024 * 1024 + 1)
    with serving({WEB: Recorder()}) as gateway, connected(gateway) as connection:
        connection.request("POST", "/", iter([body]) if chunked else body, encode_chunked=chunked)
        response = connection.getresponse()

        assert (response.status, json.loads(response.read())) == (413, {"message": "Request Entity Too Large"})


def test_an_event_over_six_megabytes_is_refused(make_function: MakeFunction) -> None:
    """A body that fits the gateway but not Lambda is refused with 413 as well."""
    with serving({WEB: make_function("sample.web")}) as gateway:
        status, _, _ = ask(gateway, "POST", "/", body=b"x" * 5_000_000)

    assert status == 413


def test_a_real_function_answers(make_function: MakeFunction) -> None:
    """Request, event, runtime client, handler, response."""
    with serving({WEB: make_function("sample.web")}) as gateway:
        status, headers, body = ask(gateway, "GET", "/api/x?a=1")

    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(body)["rawPath"] == "/api/x"


def test_binary_answers_are_decoded(make_function: MakeFunction) -> None:
    """`isBase64Encoded` makes bytes of the answer."""
    with serving({WEB: make_function("sample.binary")}) as gateway:
        assert ask(gateway, "GET", "/")[2] == b"\x00\xff"


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        (Answer(payload=b'{"errorMessage": "secret detail"}', failed=True), 500, "Internal Server Error"),
        ({"statusCode": "many"}, 500, "Internal Server Error"),
        ({"statusCode": 200, "headers": {"x": "a\r\nset-cookie: b"}}, 500, "Internal Server Error"),
        ({"statusCode": 200, "body": {"not": "text"}}, 500, "Internal Server Error"),
        (UnansweredError(), 503, "Service Unavailable"),
        (ThrottledError(), 503, "Service Unavailable"),
    ],
)
def test_failures_show_nothing_of_the_function(answer: Any, status: int, message: str) -> None:
    """An error, an answer that is none, no answer in time: the gateway's own words."""
    with serving({WEB: Recorder(answer)}) as gateway:
        got, _, body = ask(gateway, "GET", "/")

    assert (got, json.loads(body)) == (status, {"message": message})


def test_an_answer_without_status_is_the_body() -> None:
    """Payload 2.0: JSON without `statusCode` is answered as it is, 200."""
    with serving({WEB: Recorder({"cost": 1})}) as gateway:
        status, headers, body = ask(gateway, "GET", "/")

    assert (status, headers["content-type"], json.loads(body)) == (200, "application/json", {"cost": 1})


def test_cookies_and_headers_of_the_answer_arrive() -> None:
    """Each cookie becomes a line; the length is the gateway's, whatever the function says."""
    answer = {
        "statusCode": 201,
        "headers": {"X-One": "1", "Content-Length": "99"},
        "cookies": ["a=1", "b=2"],
        "body": "ok",
    }
    with serving({WEB: Recorder(answer)}) as gateway:
        wire = raw(gateway, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").decode()

    assert wire.startswith("HTTP/1.1 201 ")
    assert wire.lower().count("set-cookie: ") == 2
    assert "content-length: 2\r\n" in wire.lower()
    assert "x-one: 1\r\n" in wire.lower()


def test_over_its_rate_a_route_answers_429() -> None:
    """A burst of two lets two through; the other route has its own bucket."""
    routes = [route("ANY /hook", HOOK, Throttle(rate=0.001, burst=2)), route("$default", WEB)]
    with serving({HOOK: Recorder(), WEB: Recorder()}, routes) as gateway:
        statuses = [ask(gateway, "POST", "/hook")[0] for _ in range(3)]
        other = ask(gateway, "GET", "/")[0]
        message = json.loads(ask(gateway, "POST", "/hook")[2])

    assert (statuses, other, message) == ([204, 204, 429], 204, {"message": "Too Many Requests"})


def test_a_bucket_fills_at_its_rate_up_to_its_burst() -> None:
    """Half a second at 4 a second gives two tokens; a day gives no more than the burst."""
    clock = iter([0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 86400.0, 86400.0, 86400.0, 86400.0])
    bucket = TokenBucket(Throttle(rate=4, burst=3), clock=lambda: next(clock))

    taken = [bucket.take() for _ in range(10)]

    assert taken == [True, True, True, True, True, False, True, True, True, False]


@pytest.mark.parametrize("wire", [b"NOT HTTP\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nbad name: 1\r\n\r\n"])
def test_what_is_not_http_is_answered_400(wire: bytes) -> None:
    """Bytes that are no request get 400 and a closed connection."""
    with serving({WEB: Recorder()}) as gateway:
        assert raw(gateway, wire).startswith(b"HTTP/1.1 400 ")


def test_it_never_redirects(make_function: MakeFunction) -> None:
    """Odd paths reach the function as they are."""
    with serving({WEB: make_function("sample.web")}) as gateway:
        statuses = {ask(gateway, "POST", target)[0] for target in ("//", "/a/../b", "/a/", "/a//b", "/%2e%2e")}

    assert statuses == {200}
