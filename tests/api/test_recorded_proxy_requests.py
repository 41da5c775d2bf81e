"""What real argocd-servers forwarded, replayed as events of API Gateway in both payload formats.

The path is replaced by /api/cost-analysis/NAME/actual, NAME being the name in the first application header, unless the case is
about paths; the query is kept. Cases in which nothing reached the backend are left out.
"""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from api.app import Api
from costintel.cost.application import AppRef
from tests.api.answering import SERVED, GivenServices, api
from tests.argocd.events import Sent

RECORDED = Path(__file__).parents[1] / "samples/argocd-recorded"
VERSIONS = ("2.14.21", "3.5.1", "3.6dev")
APPLICATION = "argocd-application-name"

SERVED_CASES = frozenset(
    {
        "abuse-big-header-16k",  # the recorded head is shortened
        "abuse-client-authorization",  # Argo CD replaced the caller's token
        "abuse-client-identity",  # whoever the caller claims to be is not looked at
        "abuse-client-identity-twice",
        "abuse-client-token-underscore",
        "abuse-host",
        "abuse-leading-space-value",  # Argo CD trimmed it
        "abuse-lowercase-only",
        "abuse-te-trailers",
        "abuse-traceparent",
        "abuse-two-project-headers",  # the project decides nothing here
        "abuse-underscore",  # served for the application that Argo CD checked
        "abuse-upgrade",
        "abuse-xff",
        "auth-both-destinations",
        "auth-project-role-token",
        "auth-teamreader-a",
        "auth-teamreader-b",
        "auth-unmanaged-namespace",
        "get-apikey-account",
        "get-browser",
        "get-cluster-by-name",
        "get-empty-project-default",
        "get-minimal",
        "get-oidc-201-groups",
        "get-oidc-61-groups",
        "get-oidc-comma-group",
        "get-oidc-no-email",
        "get-oidc-user-groups",
        "get-other-namespace",
        "get-remote-by-name",
        "get-remote-by-url",
        "get-slash-dest",
        "get-user-agent-none",
        "method-head",
        "query-amp",
        "query-badpercent",
        "query-empty",
        "query-empty-value",
        "query-enc-plus",
        "query-enc-slash",
        "query-encoded-key",
        "query-lower-hex",
        "query-order",
        "query-plus",
        "query-repeat",
        "query-semicolon",
        "query-space",
        "query-unicode",
        "up-204",
        "up-304",  # its validator is not ours
        "up-4k-accept-gzip",
        "up-4k-no-accept",
        "up-cut",
        "up-gzip-accept",
        "up-gzip-no-accept",
        "up-hang",
        "up-hang-client-leaves",
        "up-headers",
        "up-large-6MB",
        "up-large-6MB-gzip",
        "up-redirect-301",
        "up-redirect-302",
        "up-redirect-307",
        "up-redirect-absolute",
        "up-slow-stream",
        "up-slow-stream-gzip",
        "up-sse",
        "up-status-200",
        "up-status-202",
        "up-status-400",
        "up-status-401",
        "up-status-403",
        "up-status-404",
        "up-status-413",
        "up-status-422",
        "up-status-429",
        "up-status-500",
        "up-status-502",
        "up-status-503",
        "up-status-504",
    }
)

_MISSING, _REFUSED, _UNRESOLVED = (401, "token_missing"), (401, "token_refused"), (401, "token_unresolved")
_REPEATED, _NO_APPLICATION = (400, "application_repeated"), (401, "application_missing")
_METHOD, _UNKNOWN, _MALFORMED = (405, "method_not_allowed"), (404, "route_unknown"), (400, "path_malformed")
DENIED_CASES = {
    "abuse-cl-te": _METHOD,
    "abuse-connection-all": _MISSING,
    "abuse-connection-app": _NO_APPLICATION,
    "abuse-two-app-headers": _REPEATED,
    "abuse-two-app-headers-case": _REPEATED,
    "delete-with-body": _METHOD,
    "get-multi-inclustername": _MISSING,
    "get-multi-local": _MISSING,
    "get-multi-remote-name": _MISSING,
    "get-reserved-headers": _MISSING,
    "get-second-extension": _REFUSED,
    "get-unknown-secret": _UNRESOLVED,
    "get-url-with-path": _MISSING,
    "method-connect": _METHOD,
    "method-delete": _METHOD,
    "method-options": _METHOD,
    "method-patch": _METHOD,
    "method-put": _METHOD,
    "method-trace": _METHOD,
    "path-absolute-form": _UNKNOWN,
    "path-backslash": _MALFORMED,
    "path-colon": _UNKNOWN,
    "path-enc-dotdot": _MALFORMED,
    "path-enc-dotdot-out": _MALFORMED,
    "path-enc-dotdot-slash": _MALFORMED,
    "path-enc-extensions": _UNKNOWN,
    "path-enc-hash": _MALFORMED,
    "path-enc-newline": _MALFORMED,
    "path-enc-null": _MALFORMED,
    "path-enc-percent": _MALFORMED,
    "path-enc-question": _MALFORMED,
    "path-enc-slash": _UNKNOWN,
    "path-enc-slash-name": _UNKNOWN,
    "path-enc-space": _MALFORMED,
    "path-plus": _UNKNOWN,
    "path-root-noslash": _UNKNOWN,
    "path-root-slash": _UNKNOWN,
    "path-semicolon": _UNKNOWN,
    "path-trailing": _UNKNOWN,
    "path-unicode": _MALFORMED,
    "post-10MB": _METHOD,
    "post-10MB-chunked": _METHOD,
    "post-1MB": _METHOD,
    "post-chunked": _METHOD,
    "post-empty": _METHOD,
    "post-expect-100": _METHOD,
    "post-form": _METHOD,
    "post-gzip": _METHOD,
    "post-json": _METHOD,
    "post-no-content-type": _METHOD,
}
# From 3.6 on the caller can no longer make Argo CD drop the configured token, but still the application's name.
DENIED_BY_VERSION = {("3.6dev", "abuse-connection-all"): _NO_APPLICATION}


def recorded(version: str, case: str) -> dict[str, Any]:
    path = RECORDED / f"proxy-{version}/{case}.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def cases() -> list[tuple[str, str]]:
    """Return version and case of every recording in which something reached the backend."""
    return [
        (version, path.stem)
        for version in VERSIONS
        for path in sorted((RECORDED / f"proxy-{version}").glob("*.json"))
        if recorded(version, path.stem)["request"] is not None
    ]


def replayed(version: str, case: str) -> Sent:
    request = recorded(version, case)["request"]
    path, _, query = request["path"].partition("?")
    headers = [(name, value) for name, value in request["headers"]]
    named = next((value for name, value in headers if name.lower() == APPLICATION), "argocd:checkout")
    if not case.startswith("path-"):
        path = f"/api/cost-analysis/{named.partition(':')[2]}/actual"
    return Sent(method=request["method"], path=path, query=query, headers=headers, body=request["body"] or "")


CASES = cases()


@pytest.fixture(scope="module")
def answering() -> tuple[Api, GivenServices]:
    """Give one API for all replays: requests do not see each other."""
    services = GivenServices(SERVED)
    return api(services), services


def replies(answering: tuple[Api, GivenServices], sent: Sent) -> tuple[set[tuple[int, str]], list[AppRef]]:
    """Return the statuses and codes in both payload formats, and the applications that were looked up."""
    answers, services = answering
    services.asked.clear()
    outcomes = [answers.answer(event) for event in (sent.v2(), sent.v1())]
    return {(outcome.answer["statusCode"], outcome.code) for outcome in outcomes}, services.asked


def test_every_recording_has_its_answer_here() -> None:
    """Each case of each version is served or denied, and none is both."""
    names = {case for _, case in CASES}

    assert names == SERVED_CASES | set(DENIED_CASES)
    assert not SERVED_CASES & set(DENIED_CASES)
    assert len(CASES) > 380


@pytest.mark.parametrize(("version", "case"), [key for key in CASES if key[1] in SERVED_CASES])
def test_served(answering: tuple[Api, GivenServices], version: str, case: str) -> None:
    """The request is answered, for exactly the application that Argo CD had checked."""
    sent = replayed(version, case)
    statuses, looked_up = replies(answering, sent)

    checked = next(value for name, value in sent.headers if name.lower() == APPLICATION)
    assert statuses == {(200, "")}
    assert {str(application) for application in looked_up} == {checked}


@pytest.mark.parametrize(("version", "case"), [key for key in CASES if key[1] in DENIED_CASES])
def test_denied(answering: tuple[Api, GivenServices], version: str, case: str) -> None:
    """The request is refused with the written status and code, and nothing is looked up."""
    statuses, looked_up = replies(answering, replayed(version, case))

    assert statuses == {DENIED_BY_VERSION.get((version, case), DENIED_CASES[case])}
    assert looked_up == []


@pytest.mark.parametrize("case", sorted(case for case in DENIED_CASES if case.startswith("path-")))
def test_denied_paths_are_denied_decoded_too(answering: tuple[Api, GivenServices], case: str) -> None:
    """An HTTP API decodes the path before the function sees it."""
    sent = replayed("3.5.1", case)
    statuses, looked_up = replies(answering, Sent(path=unquote(sent.path), headers=sent.headers))

    assert {status for status, _ in statuses} <= {400, 404}
    assert looked_up == []
