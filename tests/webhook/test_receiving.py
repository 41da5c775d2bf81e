"""What the webhook answers, apart from the payload's own content."""

import gzip
import json
from typing import Any

import pytest

from costintel.cost.application import AppRef
from tests.argocd.bodies import body
from tests.argocd.events import Headers, Sent, token_hash
from tests.webhook.receivers import AUTHORIZED, NOW, TOKEN, KeepingQueue, events, posted, receiver

LIMIT = 1024 * 1024


def ask(request: Sent, queue: KeepingQueue | None = None, **settings: Any) -> tuple[int, dict[str, Any]]:
    """Return status and document, which must be the same for both payload formats."""
    receiving = receiver(queue or KeepingQueue(), **settings)
    answers = [receiving.receive(event).answer for event in events(request)]
    assert answers[0] == answers[1]
    return answers[0]["statusCode"], json.loads(answers[0]["body"])


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ((), "token_missing"),
        ((("Authorization", ""),), "token_missing"),
        ((("Authorization", "Bearer"),), "token_refused"),
        ((("Authorization", "Bearer wrong"),), "token_refused"),
        ((("Authorization", f"Basic {TOKEN}"),), "token_refused"),
        ((("Authorization", TOKEN),), "token_refused"),
        ((("Authorization", f"Bearer {TOKEN.upper()}"),), "token_refused"),
        ((*AUTHORIZED, *AUTHORIZED), "token_refused"),
        ((*AUTHORIZED, ("authorization", "Bearer wrong")), "token_refused"),
        ((("Authorization", "Bearer $cost-intel-webhook-token"),), "token_unresolved"),
        ((("X-Authorization", f"Bearer {TOKEN}"),), "token_missing"),
    ],
)
def test_without_the_token_nothing_is_read(headers: Headers, code: str) -> None:
    """Missing, wrong, repeated and unresolved tokens are 401, whatever method and body come with them."""
    for request in (posted(body(), headers=headers), posted(b"\xff" * (LIMIT + 1), headers=headers, method="GET")):
        queue = KeepingQueue()
        status, document = ask(request, queue)

        assert (status, document["code"]) == (401, code)
        assert queue.messages == []


@pytest.mark.parametrize("name", ["authorization", "Authorization", "AUTHORIZATION"])
def test_the_token_is_found_in_any_case_of_the_header(name: str) -> None:
    """Header names have no case."""
    assert ask(posted(body(), headers=((name, f"Bearer {TOKEN}"),)))[0] == 202


def test_an_expired_previous_token_is_refused() -> None:
    """After its expiry the old token opens nothing; before it, it does."""
    current = token_hash("new")
    expired = f"{current},{token_hash(TOKEN)}@2026-11-30T08:20:00Z"
    valid = f"{current},{token_hash(TOKEN)}@2026-11-30T08:20:01Z"

    assert ask(posted(body()), hashes=expired)[1]["code"] == "token_refused"
    assert ask(posted(body()), hashes=valid)[0] == 202


def test_without_a_configured_token_nobody_is_let_in() -> None:
    """No hash means closed, not open."""
    assert ask(posted(body()), hashes="")[0] == 401
    assert ask(posted(body(), headers=(("Authorization", "Bearer "),)), hashes="")[0] == 401


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused_with_the_likely_mistake(method: str) -> None:
    """A GET comes from a template without a section of the service's name, so the answer says so."""
    receiving = receiver(KeepingQueue())
    answer = receiving.receive(posted("Application web synced", method=method).v2()).answer

    assert answer["statusCode"] == 405
    assert answer["headers"]["Allow"] == "POST"
    assert "service.webhook.NAME" in json.loads(answer["body"])["detail"]


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/x-www-form-urlencoded", "application/json"])
def test_the_content_type_does_not_matter(content_type: str | None) -> None:
    """The notifications controller sends none unless it is told to."""
    headers = (*AUTHORIZED, *(() if content_type is None else (("Content-Type", content_type),)))

    assert ask(posted(body(), headers=headers))[0] == 202


@pytest.mark.parametrize(
    "content",
    [body(), body().decode(), gzip.compress(body()), b"\xef\xbb\xbf" + body()],
    ids=["bytes", "text", "packed", "marked"],
)
def test_bodies_come_in_many_wrappings(content: str | bytes) -> None:
    """Text, base64, gzip and a byte order mark make no difference."""
    queue = KeepingQueue()

    assert ask(posted(content), queue)[0] == 202
    assert len(set(queue.messages)) == 1


@pytest.mark.parametrize(
    "content",
    [
        b" " * (LIMIT + 1),
        " " * (LIMIT + 1),
        gzip.compress(b" " * (LIMIT + 1)),
        gzip.compress(bytes(50_000_000)),
    ],
    ids=["bytes", "text", "packed", "bomb"],
)
def test_bodies_over_one_megabyte_are_refused(content: str | bytes) -> None:
    """413 as the last resort, packed or not."""
    status, document = ask(posted(content))

    assert (status, document["code"]) == (413, "body_too_large")


def test_a_body_just_under_one_megabyte_is_taken() -> None:
    """The limit is well above what Argo CD sends, blanks included."""
    assert ask(posted(body() + b" " * (LIMIT - len(body()))))[0] == 202


def test_broken_wrappings_are_told() -> None:
    """A cut gzip stream is a malformed body."""
    status, document = ask(posted(gzip.compress(body())[:-8]))

    assert (status, document["code"], document["field"]) == (400, "body_malformed", "body")


def test_a_bad_field_is_named_with_its_place() -> None:
    """The operator finds the mistake in the template by field, line and column."""
    content = body().replace(b'"namespace": "shop-prod"', b'\n "namespace": "Shop Prod"', 1)
    status, document = ask(posted(content))

    assert status == 400
    assert document == {
        "title": "Bad Request",
        "status": 400,
        "code": "field_malformed",
        "detail": "namespace: expected the name of a namespace (a DNS label)",
        "field": "namespace",
        "position": {"line": 2, "column": 2},
    }


def test_a_missing_field_has_no_place() -> None:
    """What is not there has a name and no position."""
    _, document = ask(posted(b'{"syncResult": "Succeeded"}'))

    assert document["field"] == "applicationNamespace"
    assert "position" not in document


def test_a_queue_that_refuses_is_503_without_a_wait() -> None:
    """The controller tries 503 again by itself; a Retry-After would stall its only worker."""
    receiving = receiver(KeepingQueue(refuses=True))
    outcome = receiving.receive(posted(body()).v2())

    assert outcome.answer["statusCode"] == 503
    assert json.loads(outcome.answer["body"])["code"] == "queue_unavailable"
    assert "Retry-After" not in outcome.answer["headers"]
    assert outcome.facts["cause"] == "EndpointConnectionError"


def test_repeats_of_a_sync_have_one_id() -> None:
    """Five notifications of one sync are five messages with one id, which `measure` folds."""
    queue = KeepingQueue()
    for _ in range(5):
        ask(posted(body()), queue)

    assert len({sync.id for sync in queue.syncs}) == 1


def test_the_access_application_is_skipped() -> None:
    """A notification about it is answered 200 and measures nothing."""
    answer = ask(posted(body()), access=AppRef("argocd", "shop-web"))

    assert answer == (200, {"status": "skipped", "reason": "access_application"})


@pytest.mark.parametrize("content", [body(), body(syncResult="Failed"), b"{", body(application=5), b" " * (LIMIT + 1)])
def test_answers_are_json_and_never_a_redirect(content: bytes) -> None:
    """A redirect would turn the POST into a GET and count as sent."""
    answer = receiver(KeepingQueue()).receive(posted(content).v2()).answer

    assert answer["statusCode"] in {200, 202, 400, 413}
    assert answer["headers"]["Content-Type"] in {"application/json", "application/problem+json"}
    assert answer["headers"]["X-Content-Type-Options"] == "nosniff"
    assert set(answer) == {"statusCode", "headers", "body", "isBase64Encoded"}


def test_neither_token_nor_body_is_in_what_is_logged() -> None:
    """The facts for the log name the mistake, not what was sent."""
    content = b'{"application": "x", "secret": "s3cret-value"'
    outcome = receiver(KeepingQueue()).receive(posted(content).v2())
    wrong = receiver(KeepingQueue()).receive(posted(content, headers=(("Authorization", "Bearer s3cret-value"),)).v2())

    assert "s3cret-value" not in str(outcome)
    assert "s3cret-value" not in str(wrong)
    assert outcome.facts["field"] == "secret"


def test_the_time_of_arrival_travels_along() -> None:
    """The message says when the notification arrived."""
    queue = KeepingQueue()
    ask(posted(body()), queue)

    assert {sync.received_at for sync in queue.syncs} == {NOW}
