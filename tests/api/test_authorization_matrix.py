"""Every route of the table against every kind of caller: a route that is added later is in here from its first day."""

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

from api.app import create_app
from api.endpoints import ENDPOINTS, Endpoint, Group
from costintel.argocd.gate import ACCESS_LABEL, Gate, GateReason, GateRule
from costintel.argocd.tokens import TokenHashes
from costintel.cost.application import AppRef
from tests.api.answering import CHECKOUT, GATE, TOKEN, Clock
from tests.argocd.events import Headers, Sent, token_hash
from tests.argocd.test_gate import live

NAME = "Argocd-Application-Name"
NEW = "the-token-after-rotation"
HASHES = f"{token_hash(NEW)},{token_hash(TOKEN)}@2026-11-30T08:20:01Z,{token_hash('older')}@2026-11-30T08:20:00Z"
ADMITTED = "admitted"

CREDENTIALS: dict[str, tuple[Headers, str]] = {
    "current": ((("Authorization", f"Bearer {NEW}"),), ADMITTED),
    "previous": ((("Authorization", f"Bearer {TOKEN}"),), ADMITTED),
    "expired previous": ((("Authorization", "Bearer older"),), "token_refused"),
    "wrong": ((("Authorization", "Bearer wrong"),), "token_refused"),
    "none": ((), "token_missing"),
    "unresolved": ((("Authorization", "Bearer $cost-intel.proxy.token"),), "token_unresolved"),
}
"""What comes along as a token, and what becomes of it."""

CALLERS: dict[str, AppRef | None] = {
    "the application": CHECKOUT,
    "other application": AppRef("argocd", "payroll"),
    "same name in another namespace": AppRef("team-b", CHECKOUT.name),
    "gate": GATE,
    "gate's name in another namespace": AppRef("team-b", GATE.name),
    "no application": None,
}


def gate(scope: str = "", *, configured: bool = True, **changes: Any) -> Gate:
    rule = GateRule.parse(scope, GATE if configured else None)
    return rule.decide(None if "absent" in changes else live(application=GATE, **changes), is_listed=True)


GATES: dict[str, Gate] = {
    "open": gate(),
    "configured": gate(scope=str(GATE), absent=True),
    "deleted": gate(absent=True),
    "unlabelled": gate(labels={ACCESS_LABEL + "x": "true"}),
    "not compared": gate(resources=None),
    "switched off": gate("Off"),
    "not configured": gate(configured=False),
}
OPEN = {"open", "configured"}


def about_nothing(_caller: str, _gate: str) -> str:
    return ADMITTED


def about_any(caller: str, _gate: str) -> str:
    return "application_missing" if CALLERS[caller] is None else ADMITTED


def about_one(caller: str, _gate: str) -> str:
    """Compare names: the path says `checkout`, and the namespace is the header's."""
    reference = CALLERS[caller]
    if reference is None:
        return "application_missing"
    return ADMITTED if reference.name == CHECKOUT.name else "application_mismatch"


def about_the_cluster(caller: str, state: str) -> str:
    if CALLERS[caller] is None:
        return "application_missing"
    if state not in OPEN:
        return "gate_off"
    return ADMITTED if CALLERS[caller] == GATE else "not_gate"


EXPECTED: dict[Group, Callable[[str, str], str]] = {
    Group.PROBES: about_nothing,
    Group.CHARTS: about_nothing,
    Group.ANY_APPLICATION: about_any,
    Group.APPLICATION: about_one,
    Group.CLUSTER: about_the_cluster,
}
NO_TOKEN = {Group.PROBES, Group.CHARTS}


class AnyServices:
    """Answers whatever a route asks for with an empty document, and notes every Application it is asked about."""

    def __init__(self, found: Gate) -> None:
        self.found = found
        self.asked: set[AppRef] = set()
        self.gates_asked = 0

    def gate(self) -> Gate:
        self.gates_asked += 1
        return self.found

    def elsewhere_since(self, application: AppRef) -> None:
        self.asked.add(application)

    def ready(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        def answer(*arguments: Any, **named: Any) -> dict[str, Any]:
            self.asked |= {one for one in (*arguments, *named.values()) if isinstance(one, AppRef)}
            return {}

        return answer


def path_of(endpoint: Endpoint) -> str:
    return re.sub(r"<(\w+)>", lambda match: CHECKOUT.name if match[1] == "app" else "shop", endpoint.rule)


def verdicts(sent: Sent, services: AnyServices) -> set[tuple[int, str]]:
    """Return status and verdict of a request in both payload formats."""
    answering = create_app(services, tokens=TokenHashes.parse(HASHES), now=Clock())
    found = [answering.answer(event) for event in (sent.v2(), sent.v1())]
    refusals = {401, 403}
    return {
        (one.answer["statusCode"], one.code) if one.answer["statusCode"] in refusals else (200, ADMITTED)
        for one in found
    }


def identified(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.rule}"


@pytest.mark.parametrize("credential", CREDENTIALS)
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=identified)
def test_every_route_against_every_caller(endpoint: Endpoint, credential: str) -> None:
    """Token first, then the header, then what the route's group asks for; refusals look nothing up."""
    token, outcome = CREDENTIALS[credential]
    for (caller, reference), (state, found) in itertools.product(CALLERS.items(), GATES.items()):
        named: Headers = () if reference is None else ((NAME, str(reference)),)
        services = AnyServices(found)
        sent = Sent(method=endpoint.method, path=path_of(endpoint), headers=(*token, *named))
        is_refused = outcome != ADMITTED and endpoint.group not in NO_TOKEN
        expected = outcome if is_refused else EXPECTED[endpoint.group](caller, state)
        status = (
            200
            if expected == ADMITTED
            else 403
            if expected in {"not_gate", "gate_off", "application_mismatch"}
            else 401
        )

        assert verdicts(sent, services) == {(status, expected)}, (caller, state)
        assert services.asked <= ({reference} if expected == ADMITTED else set()), (caller, state)
        assert services.gates_asked == 0 or not is_refused


def test_the_states_of_the_gate_are_what_they_are_called() -> None:
    """Each closed gate of the matrix is closed for its own reason."""
    assert {state: found.reason for state, found in GATES.items()} == {
        "open": GateReason.ACCESS_APPLICATION,
        "configured": GateReason.CONFIGURED,
        "deleted": GateReason.NOT_LISTED,
        "unlabelled": GateReason.NOT_LABELLED,
        "not compared": GateReason.NOT_COMPARED,
        "switched off": GateReason.SWITCHED_OFF,
        "not configured": GateReason.NOT_CONFIGURED,
    }
    assert {state for state, found in GATES.items() if found.application} == OPEN


def test_every_group_is_in_the_matrix() -> None:
    """A new group needs its own line here, and must not be one without a token by accident."""
    assert set(EXPECTED) == set(Group)
    assert {endpoint.group for endpoint in ENDPOINTS} <= set(EXPECTED)
