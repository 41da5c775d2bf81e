"""Requests from events of both payload formats."""

import base64
import gzip

import pytest

from costintel.argocd.request import BodyTooLarge, Request
from costintel.errors import InvalidInput
from tests.argocd.events import Sent

LIMIT = 1024


def body_of(event_body: str | bytes, limit: int = LIMIT) -> bytes:
    return Request.of(Sent(method="POST", body=event_body).v2()).content(limit)


def test_both_formats_give_the_same_request() -> None:
    """Method, path, query and body do not depend on the payload format."""
    sent = Sent(method="post", path="/api/x", query="a=1&b=x%20y", headers=[("X-One", "1")], body="hello")
    first, second = Request.of(sent.v1()), Request.of(sent.v2())

    assert (first.method, first.path, dict(first.query)) == ("POST", "/api/x", {"a": "1", "b": "x y"})
    assert (second.method, second.path, dict(second.query)) == ("POST", "/api/x", {"a": "1", "b": "x y"})
    assert first.header("x-one") == second.header("x-one") == ("1",)
    assert first.content(LIMIT) == second.content(LIMIT) == b"hello"


@pytest.mark.parametrize("name", ["argocd-application-name", "Argocd-Application-Name", "ARGOCD-APPLICATION-NAME"])
def test_header_names_count_without_their_case(name: str) -> None:
    """Gateways and local tools differ in the case of header names."""
    sent = Sent(headers=[(name, "argocd:web")])

    assert Request.of(sent.v1()).header("argocd-application-name") == ("argocd:web",)
    assert Request.of({**sent.v2(), "headers": {name: "argocd:web"}}).header("argocd-application-name") == (
        "argocd:web",
    )


def test_repeated_lines_stay_apart_in_format_one() -> None:
    """All values of `multiValueHeaders` count, under every spelling of the name."""
    event = Sent(headers=[("X-One", "a"), ("X-One", "b"), ("x-one", "c")]).v1()

    assert Request.of(event).header("x-one") == ("a", "b", "c")


def test_a_value_only_in_headers_is_not_lost() -> None:
    """A name that stands in `headers` alone, in another spelling too, is one more value."""
    event = Sent(headers=[("X-One", "a")]).v1()
    event["headers"] = {"X-One": "a", "x-one": "b"}

    assert sorted(Request.of(event).header("x-one")) == ["a", "b"]


def test_an_underscore_is_not_a_dash() -> None:
    """`argocd_application_name` is another header."""
    assert Request.of(Sent(headers=[("Argocd_Application_Name", "x:y")]).v2()).header("argocd-application-name") == ()


@pytest.mark.parametrize(
    "event", [{}, {"version": "2.0", "rawPath": None}, {"headers": None, "requestContext": None, "body": None}]
)
def test_an_empty_event_is_an_empty_request(event: dict[str, object]) -> None:
    """Missing parts are empty, not an error."""
    request = Request.of(event)

    assert (request.method, request.path, request.content(LIMIT)) == ("", "/", b"")


def test_base64_bodies_are_decoded() -> None:
    """A binary body arrives in base64."""
    assert body_of(b'{"a": 1}') == b'{"a": 1}'


def test_gzip_bodies_are_unpacked_without_a_header_that_says_so() -> None:
    """A packed body is known by its first bytes: some gateways unpack and keep the header, some senders leave it out."""
    assert body_of(gzip.compress(b'{"a": 1}')) == b'{"a": 1}'


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(b"x" * 500)[:-9], gzip.compress(b"x")[:12] + b"rubbish-rubbish", b"\x1f\x8b"],
    ids=["cut", "damaged", "only its first bytes"],
)
def test_broken_gzip_is_told(packed: bytes) -> None:
    """A cut or damaged stream names the body."""
    with pytest.raises(InvalidInput, match="body: expected a whole gzip stream"):
        body_of(packed)


def test_broken_base64_is_told() -> None:
    """A body that is said to be base64 and is not names the body."""
    with pytest.raises(InvalidInput, match="body: expected base64"):
        Request.of({"rawPath": "/", "body": "not base64!", "isBase64Encoded": True}).content(LIMIT)


@pytest.mark.parametrize(
    "body",
    [b"x" * (LIMIT + 1), "x" * (LIMIT + 1), gzip.compress(b"x" * (LIMIT + 1)), "é" * LIMIT],
    ids=["bytes", "text", "packed", "two bytes a character"],
)
def test_bodies_over_the_limit_are_refused(body: str | bytes) -> None:
    """The limit is in bytes, for the body as sent and unpacked."""
    with pytest.raises(BodyTooLarge):
        body_of(body)


def test_a_gzip_bomb_is_not_unpacked_whole() -> None:
    """A hundred megabytes of zeros in a small body are refused after the limit's bytes."""
    bomb = gzip.compress(bytes(100_000_000), compresslevel=9)
    assert len(bomb) < 200_000

    with pytest.raises(BodyTooLarge):
        body_of(bomb, 1024 * 1024)


def test_a_body_of_exactly_the_limit_is_taken() -> None:
    """The limit itself is allowed."""
    assert len(body_of(b"x" * LIMIT)) == LIMIT
    assert len(base64.b64encode(b"x" * LIMIT)) > LIMIT
