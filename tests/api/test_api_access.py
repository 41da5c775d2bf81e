"""Who may ask what."""

import json

import pytest

from costintel.cost.application import AppRef
from tests.api.answering import (
    ACTUAL,
    AUTHORIZED,
    CHECKOUT,
    CHECKOUT_HEADERS,
    SERVED,
    TOKEN,
    GivenServices,
    api,
    asked,
    content,
    outcomes,
)
from tests.argocd.events import Headers, Sent, token_hash

NAME = "Argocd-Application-Name"
TARGET = (NAME, "argocd:checkout")


def actual(headers: Headers, path: str = ACTUAL) -> Sent:
    return Sent(path=path, headers=headers)


def test_the_named_application_is_served() -> None:
    """Token and header right: the document comes as it is, looked up by namespace and name."""
    services = GivenServices(SERVED)
    for outcome in outcomes(actual(CHECKOUT_HEADERS), services):
        assert outcome.answer["statusCode"] == 200
        assert content(outcome.answer) == SERVED
    assert services.asked == [CHECKOUT, CHECKOUT]


def test_the_header_gives_the_namespace() -> None:
    """Two applications of one name are told apart by the header alone."""
    services = GivenServices(SERVED)
    headers = (*AUTHORIZED, (NAME, "team-b:web"))

    assert asked(actual(headers, "/api/cost-analysis/web/actual"), services) == (200, "")
    assert set(services.asked) == {AppRef("team-b", "web")}


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ((TARGET,), "token_missing"),
        ((("Authorization", ""), TARGET), "token_missing"),
        ((("Authorization", "Bearer wrong"), TARGET), "token_refused"),
        ((("Authorization", TOKEN), TARGET), "token_refused"),
        ((("Authorization", f"Bearer {TOKEN}-2"), TARGET), "token_refused"),
        ((*AUTHORIZED, *AUTHORIZED, TARGET), "token_refused"),
        ((("Authorization", "$no.such.key"), TARGET), "token_unresolved"),
        ((("Authorization", "Bearer $cost-intel.proxy.token"), TARGET), "token_unresolved"),
        ((("X-Cost-Token", TOKEN), TARGET), "token_missing"),
        ((("Cookie", f"argocd.token={TOKEN}"), TARGET), "token_missing"),
        (AUTHORIZED, "application_missing"),
        ((*AUTHORIZED, (NAME, "")), "application_missing"),
        ((*AUTHORIZED, ("Argocd_Application_Name", "argocd:checkout")), "application_missing"),
    ],
)
def test_who_lacks_token_or_header_is_unauthorized(headers: Headers, code: str) -> None:
    """401, and nothing was looked up."""
    services = GivenServices(SERVED)

    assert asked(actual(headers), services) == (401, code)
    assert services.asked == []


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (["argocd:checkout", "argocd:payroll"], "application_repeated"),
        (["argocd:checkout", "argocd:checkout"], "application_repeated"),
        (["argocd:checkout", ""], "application_repeated"),
        (["argocd:checkout,argocd:payroll"], "application_repeated"),
        (["checkout"], "application_malformed"),
        ([":checkout"], "application_malformed"),
        (["argocd:checkout:x"], "application_malformed"),
        (["argocd/checkout"], "application_malformed"),
        (["ARGOCD:checkout"], "application_malformed"),
        (["argocd:checkout "], "application_malformed"),
    ],
)
def test_a_bad_header_is_refused(values: list[str], code: str) -> None:
    """400 for a repeated or malformed application header, and nothing was looked up."""
    services = GivenServices(SERVED)
    headers = (*AUTHORIZED, *((NAME, value) for value in values))

    assert asked(actual(headers), services) == (400, code)
    assert services.asked == []


@pytest.mark.parametrize("name", ["payroll", "Checkout", "checkout-2", "argocd:checkout", "check", "checkout;x", "c*"])
def test_the_path_must_name_the_same_application(name: str) -> None:
    """403 when path and header differ."""
    services = GivenServices(SERVED)

    assert asked(actual(CHECKOUT_HEADERS, f"/api/cost-analysis/{name}/actual"), services) == (
        403,
        "application_mismatch",
    )
    assert services.asked == []


@pytest.mark.parametrize("name", ["argocd-application-name", "ARGOCD-APPLICATION-NAME", "Argocd-Application-Name"])
def test_the_header_is_found_in_any_case(name: str) -> None:
    """Gateways differ in the case of header names."""
    headers = (("AUTHORIZATION", f"bearer {TOKEN}"), (name, "argocd:checkout"))

    assert asked(actual(headers)) == (200, "")


@pytest.mark.parametrize(
    "path",
    [
        "/api/cost-analysis/../actual",
        "/api/cost-analysis/./actual",
        "/api/cost-analysis/%2e%2e/actual",
        "/api/cost-analysis/web%2Factual/actual",
        "/api/cost-analysis//actual",
        "//api/cost-analysis/checkout/actual",
        "/api/cost-analysis/a\\b/actual",
        "/api/cost-analysis/a\x00b/actual",
        "/api/cost-analysis/a\r\nX-Evil:1/actual",
        "/../../admin",
    ],
)
def test_malformed_paths_are_refused(path: str) -> None:
    """400 for dot segments, empty segments, encoded and control characters."""
    assert asked(actual(CHECKOUT_HEADERS, path)) == (400, "path_malformed")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api",
        "/api/x",
        "/api/cost-analysis",
        "/api/cost-analysis/checkout",
        "/api/cost-analysis/checkout/actual/",
        "/api/cost-analysis/checkout/Actual",
        "/api/cost-analysis/a/b/actual",
        "/cost-analysis/checkout/actual",
        "/api/api/cost-analysis/checkout/actual",
        "/api/api/health",
        "/health/",
        "/api/caf\u00e9",
    ],
)
def test_unknown_routes_are_not_found(path: str) -> None:
    """404 for anything that is not in the table."""
    assert asked(actual(CHECKOUT_HEADERS, path)) == (404, "route_unknown")


@pytest.mark.parametrize("path", ["/", "/api/x", "/api/cost-analysis/../actual", "/admin", "/metrics", ACTUAL])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_without_the_token_no_route_can_be_told_from_another(path: str, method: str) -> None:
    """The token comes before routes, methods and malformed paths."""
    assert asked(Sent(method=method, path=path, headers=[TARGET])) == (401, "token_missing")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO", ""])
def test_other_methods_are_not_allowed(method: str) -> None:
    """405 says which methods are."""
    for outcome in outcomes(Sent(method=method, path=ACTUAL, headers=CHECKOUT_HEADERS)):
        assert (outcome.answer["statusCode"], outcome.code) == (405, "method_not_allowed")
        assert outcome.answer["headers"]["Allow"] == "GET, HEAD"


def test_an_old_token_ends_with_its_expiry() -> None:
    """During rotation both tokens are accepted, afterwards only the new one."""
    new = token_hash("new-token")
    expired = f"{new},{token_hash(TOKEN)}@2026-11-30T08:20:00Z"
    valid = f"{new},{token_hash(TOKEN)}@2026-11-30T08:20:01Z"

    assert asked(actual(CHECKOUT_HEADERS), hashes=expired) == (401, "token_refused")
    assert asked(actual(CHECKOUT_HEADERS), hashes=valid) == (200, "")
    assert asked(actual((("Authorization", "Bearer new-token"), TARGET)), hashes=expired) == (200, "")


def test_without_a_configured_token_everything_is_closed() -> None:
    """No hash means nobody, an empty token included."""
    assert asked(actual((("Authorization", "Bearer "), TARGET)), hashes="") == (401, "token_refused")
    assert asked(actual(CHECKOUT_HEADERS), hashes="") == (401, "token_refused")


def test_requests_do_not_see_each_other() -> None:
    """The application of one request is gone with it."""
    services = GivenServices(SERVED)
    answering = api(services)
    answering.answer(actual(CHECKOUT_HEADERS).v2())
    refused = answering.answer(actual(AUTHORIZED).v2())
    answering.answer(actual((*AUTHORIZED, (NAME, "team-a:web")), "/api/cost-analysis/web/actual").v2())

    assert refused.code == "application_missing"
    assert services.asked == [CHECKOUT, AppRef("team-a", "web")]


def test_what_is_logged_of_a_refusal_holds_nothing_of_the_request() -> None:
    """Neither the path nor the token nor an unauthorized name comes into the log's facts."""
    sent = Sent(path="/api/s3cret", headers=[("Authorization", "Bearer s3cret"), (NAME, "s3cret:s3cret")])
    for outcome in outcomes(sent):
        assert "s3cret" not in str(outcome)
        assert (outcome.rule, outcome.application) == ("", None)


def test_refusals_are_problem_documents() -> None:
    """RFC 9457 with a stable code, never sniffed, never cached, without cookies."""
    for outcome in outcomes(actual(())):
        headers = outcome.answer["headers"]
        document = json.loads(outcome.answer["body"])

        assert headers["Content-Type"] == "application/problem+json"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert headers["WWW-Authenticate"] == "Bearer"
        assert "cookies" not in outcome.answer
        assert document == {
            "title": "Unauthorized",
            "status": 401,
            "code": "token_missing",
            "detail": "The request has no Authorization header",
        }
