"""What the API answers whom it lets in."""

import base64
import gzip
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import Response

from api.app import new_resolver
from costintel.errors import SchemaError, StorageUnavailable
from tests.api.answering import ACTUAL, CHECKOUT_HEADERS, SERVED, Clock, GivenServices, api, asked, content, outcomes
from tests.argocd.events import Sent

LONG = {"pods": ["web-7d9f8c6b5d-abcde"] * 200}


def actual(*headers: tuple[str, str], method: str = "GET", query: str = "") -> Sent:
    return Sent(method=method, path=ACTUAL, query=query, headers=(*CHECKOUT_HEADERS, *headers))


def answers(sent: Sent, document: Any = SERVED) -> list[dict[str, Any]]:
    return [outcome.answer for outcome in outcomes(sent, GivenServices(document))]


def test_documents_may_be_kept_but_must_be_revalidated() -> None:
    """An answer is the caller's own, carries a validator, and is JSON that no browser takes for anything else."""
    for answer in answers(actual()):
        headers = answer["headers"]

        assert headers["Content-Type"] == "application/json"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "private, no-cache"
        assert headers["Vary"] == "Accept-Encoding"
        assert headers["ETag"].startswith('W/"')
        assert set(answer) == {"statusCode", "headers", "body", "isBase64Encoded"}


@pytest.mark.parametrize("template", ["{}", '"x", {}', "*", "{strong}"])
def test_an_unchanged_document_is_not_sent_again(template: str) -> None:
    """304 without a body when If-None-Match names the validator, compared weakly."""
    tag = answers(actual())[0]["headers"]["ETag"]
    sent = actual(("If-None-Match", template.format(tag, strong=tag.removeprefix("W/"))))
    for answer in answers(sent):
        assert (answer["statusCode"], answer["body"]) == (304, "")
        assert answer["headers"]["ETag"] == tag
        assert "Content-Type" not in answer["headers"]


def test_a_changed_document_is_sent() -> None:
    """Another document has another validator."""
    tag = answers(actual())[0]["headers"]["ETag"]
    for answer in answers(actual(("If-None-Match", f'{tag}, "abc"')), {**SERVED, "currency": "EUR"}):
        assert answer["statusCode"] == 200
        assert answer["headers"]["ETag"] != tag


@pytest.mark.parametrize(
    "accepted", ["gzip", "gzip, deflate, br, zstd", "br;q=1.0, GZIP;q=0.5", "*", "*;q=0.1, br;q=0"]
)
def test_long_answers_are_packed_for_who_accepts_it(accepted: str) -> None:
    """Neither API Gateway nor Argo CD compresses, so we do."""
    for answer in answers(actual(("Accept-Encoding", accepted)), LONG):
        assert answer["headers"]["Content-Encoding"] == "gzip"
        assert content(answer) == LONG
        assert len(answer["body"]) < 1000


@pytest.mark.parametrize(
    "accepted", ["", "identity", "br", "gzip;q=0", "gzip;q=0, *", "*;q=0", "gzip;q=x", "x-gzip-not"]
)
def test_long_answers_stay_plain_for_others(accepted: str) -> None:
    """A coding that is not named, or has weight zero, is not used."""
    for answer in answers(actual(("Accept-Encoding", accepted)), LONG):
        assert "Content-Encoding" not in answer["headers"]
        assert content(answer) == LONG


def test_the_validator_does_not_depend_on_the_coding() -> None:
    """Packed and plain answers of one document share their weak validator."""
    plain, packed = answers(actual(), LONG)[0], answers(actual(("Accept-Encoding", "gzip")), LONG)[0]

    assert plain["headers"]["ETag"] == packed["headers"]["ETag"]


def test_short_answers_are_not_packed() -> None:
    """Under a kilobyte packing costs more than it saves."""
    for answer in answers(actual(("Accept-Encoding", "gzip"))):
        assert "Content-Encoding" not in answer["headers"]


def test_a_very_long_answer_is_packed_for_everybody() -> None:
    """Lambda could not answer more than 6 MB; a caller that names no coding accepts every one."""
    document = {"pods": ["web-7d9f8c6b5d-abcde"] * 250_000}
    answer = answers(actual(), document)[0]

    assert len(gzip.decompress(base64.b64decode(answer["body"]))) > 5_000_000
    assert len(answer["body"]) < 5_000_000


def test_head_is_get_without_its_body() -> None:
    """The headers of GET, no body, never packed."""
    for answer in answers(actual(("Accept-Encoding", "gzip"), method="HEAD"), LONG):
        assert (answer["statusCode"], answer["body"], answer["isBase64Encoded"]) == (200, "", False)
        assert answer["headers"]["ETag"].startswith('W/"')
        assert "Content-Encoding" not in answer["headers"]


@pytest.mark.parametrize("query", ["window=24h", "a=1&a=2", "a=1;b=2", "a=%zz&b=2", "a=&b", "%61=1", "a=caf%C3%A9"])
def test_unknown_query_parameters_are_ignored(query: str) -> None:
    """A newer or older extension may send what this release does not know."""
    assert asked(actual(query=query)) == (200, "")


def test_text_is_sent_as_utf_8() -> None:
    """Names that are not ASCII arrive readable."""
    answer = answers(actual(), {"initiatedBy": "jörg"})[0]

    assert answer["body"] == '{"initiatedBy":"jörg"}'


def test_an_unknown_application_is_not_measured() -> None:
    """404 with a code of its own, not a zero."""
    assert asked(actual(), GivenServices(None)) == (404, "not_measured")


@pytest.mark.parametrize("failure", [StorageUnavailable("connection refused"), SchemaError("schema 7 is newer")])
def test_storage_that_is_away_is_503(failure: Exception) -> None:
    """The caller hears when to come again, and nothing of the cause."""
    for outcome in outcomes(actual(), GivenServices(failure=failure)):
        assert (outcome.answer["statusCode"], outcome.code) == (503, "storage_unavailable")
        assert outcome.answer["headers"]["Retry-After"] == "5"
        assert str(failure) not in outcome.answer["body"]


def test_a_failure_of_ours_is_500_without_details() -> None:
    """What went wrong stands in the log, not in the answer."""
    for outcome in outcomes(actual(), GivenServices(failure=RuntimeError("password=hunter2"))):
        assert (outcome.answer["statusCode"], outcome.code) == (500, "internal_error")
        assert "hunter2" not in outcome.answer["body"]


def test_a_number_that_is_none_is_never_sent() -> None:
    """NaN is not JSON: it would break every reader, so it is a failure of ours."""
    assert asked(actual(), GivenServices({"cost": float("nan")})) == (500, "internal_error")


def test_parameters_that_are_not_as_documented_are_named() -> None:
    """422 names the parameter and leaks nothing of the validator's words."""
    resolver = new_resolver()

    @resolver.get("/days")
    def days(count: int) -> Response[str]:
        return Response(200, "application/json", str(count))

    context: Any = None
    answer = resolver.resolve(Sent(path="/days", query="count=many").v2(), context)
    document = content(answer)
    del document["title"]  # Python 3.13 calls the status by its newer name

    assert answer["statusCode"] == 422
    assert document == {
        "status": 422,
        "code": "parameter_malformed",
        "detail": "A parameter is not as documented",
        "fields": ["count"],
    }


@pytest.mark.parametrize("path", ["/health", "/api/health"])
def test_health_touches_nothing(path: str) -> None:
    """It is answered to anyone, also while the database is away."""
    services = GivenServices(failure=StorageUnavailable("away"))
    for outcome in outcomes(Sent(path=path), services):
        assert (outcome.answer["statusCode"], content(outcome.answer)) == (200, {"status": "ok"})
    assert services.asked_ready == 0


@pytest.mark.parametrize("path", ["/ready", "/api/ready"])
def test_ready_tells_whether_the_database_answers(path: str) -> None:
    """200 while it does, for anyone."""
    for outcome in outcomes(Sent(path=path)):
        assert (outcome.answer["statusCode"], content(outcome.answer)) == (200, {"status": "ready"})


@pytest.mark.parametrize("is_failing", [True, False])
def test_not_ready_is_503(is_failing: bool) -> None:
    """The database is away, or its schema too old."""
    services = GivenServices(failure=StorageUnavailable("away") if is_failing else None)
    services.is_ready = False
    for outcome in outcomes(Sent(path="/ready"), services):
        assert (outcome.answer["statusCode"], outcome.code) == (503, "not_ready")
        assert outcome.answer["headers"]["Retry-After"] == "10"


def test_strangers_cannot_make_the_database_busy() -> None:
    """The state is asked at most once in ten seconds, good and bad ones alike."""
    services, clock = GivenServices(SERVED), Clock()
    answering = api(services, now=clock)
    statuses = []
    for seconds in (0, 9, 0.9, 0.1, 5):
        clock.advance(seconds)
        statuses.append(answering.answer(Sent(path="/ready").v2()).answer["statusCode"])
        services.is_ready = False

    assert statuses == [200, 200, 200, 503, 503]
    assert services.asked_ready == 2


def test_a_clock_set_back_does_not_keep_an_old_state() -> None:
    """A state from the future is not trusted."""
    services, clock = GivenServices(SERVED), Clock()
    answering = api(services, now=clock)
    answering.answer(Sent(path="/ready").v2())
    clock.advance(-3600)
    answering.answer(Sent(path="/ready").v2())

    assert services.asked_ready == 2


@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS"])
def test_probes_have_methods_too(method: str) -> None:
    """405 without a token, because the probes need none."""
    assert asked(Sent(method=method, path="/health")) == (405, "method_not_allowed")


def test_probes_ignore_what_they_do_not_need() -> None:
    """A wrong token does not matter where none is needed."""
    assert asked(Sent(path="/health", headers=(("Authorization", "Bearer wrong"),))) == (200, "")


def test_health_answers_head() -> None:
    """Load balancers like HEAD."""
    for outcome in outcomes(Sent(method="HEAD", path="/health")):
        assert (outcome.answer["statusCode"], outcome.answer["body"]) == (200, "")
