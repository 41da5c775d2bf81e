"""The routes about the installation and about the whole cluster."""

from datetime import timedelta
from typing import Any

import pytest

from costintel.argocd.gate import Gate, GateReason
from costintel.cost.application import AppRef
from costintel.errors import StorageUnavailable
from costintel.measurement.selection import LabelChoice, Order, RollUp, RollUpBy, Selection
from costintel.measurement.subject import SubjectState
from tests.api.answering import (
    ACTUAL,
    AUTHORIZED,
    CHECKOUT_HEADERS,
    GATE_HEADERS,
    NOW,
    SERVED,
    GivenServices,
    asked,
    content,
    outcomes,
)
from tests.argocd.events import Headers, Sent

CONFIG = "/api/cost-analysis/config"
APPLICATIONS = "/api/cost-analysis/applications"


def applications(query: str = "", headers: Headers = GATE_HEADERS) -> Sent:
    return Sent(path=APPLICATIONS, query=query, headers=headers)


def test_config_is_for_whoever_may_read_any_application() -> None:
    """The browser asks it with the first Application it finds."""
    for outcome in outcomes(Sent(path=CONFIG, headers=CHECKOUT_HEADERS), GivenServices(SERVED)):
        assert outcome.answer["statusCode"] == 200
        assert content(outcome.answer) == SERVED


def test_the_gates_readers_get_the_list() -> None:
    """The document comes as it is, of everything, dearest first, the first hundred."""
    services = GivenServices(SERVED)
    for outcome in outcomes(applications(), services):
        assert content(outcome.answer) == SERVED
    assert services.selections == [Selection(), Selection()]
    assert services.selections[0].limit == 100


def test_the_gate_is_looked_at_anew_with_every_request() -> None:
    """Revoking it takes effect with the next list, not with the next start of a function."""
    services = GivenServices(SERVED)
    assert asked(applications(), services) == (200, "")
    services.found_gate = Gate(application=None, reason=GateReason.NOT_LISTED)
    assert asked(applications(), services) == (403, "gate_off")


def test_who_is_refused_learns_why_the_gate_is_closed_and_not_which_it_is() -> None:
    """The reason is a code; the gate's name stands in /config only."""
    services = GivenServices(SERVED)
    services.found_gate = Gate(application=None, reason=GateReason.NOT_LABELLED)
    for outcome in outcomes(applications(), services):
        assert content(outcome.answer)["reason"] == "not_labelled"
    for outcome in outcomes(applications(headers=CHECKOUT_HEADERS), GivenServices(SERVED)):
        assert "cost-intel-access" not in outcome.answer["body"]


def test_without_the_database_nobody_is_let_in() -> None:
    """Who is the gate is not known: 503, and nothing is served."""
    services = GivenServices(SERVED, failure=StorageUnavailable("away"))
    for outcome in outcomes(applications(), services):
        assert (outcome.answer["statusCode"], outcome.code) == (503, "storage_unavailable")
        assert outcome.answer["headers"]["Retry-After"] == "5"
    assert services.selections == []


def test_the_token_comes_before_the_gate() -> None:
    """Strangers cannot make the database busy."""
    services = GivenServices(SERVED)

    assert asked(applications(headers=GATE_HEADERS[1:]), services) == (401, "token_missing")
    assert asked(applications(headers=AUTHORIZED), services) == (401, "application_missing")
    assert services.asked_gate == 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("project=shop", {"project": "shop"}),
        ("namespace=shop-prod", {"namespace": "shop-prod"}),
        ("applicationSet=shops", {"application_set": "shops"}),
        ("parent=argocd:all", {"parent": AppRef("argocd", "all")}),
        ("label=team", {"label": LabelChoice(key="team", value=None)}),
        ("label=app.kubernetes.io/name%3Dweb", {"label": LabelChoice(key="app.kubernetes.io/name", value="web")}),
        ("state=other_cluster", {"state": SubjectState.OTHER_CLUSTER}),
        ("search=web", {"search": "web"}),
        ("order=name&reverse=true", {"order": Order.NAME, "reverse": True}),
        ("offset=100&limit=200", {"offset": 100, "limit": 200}),
        ("by=project", {"roll_up": RollUp(by=RollUpBy.PROJECT)}),
        ("by=label:team", {"roll_up": RollUp(by=RollUpBy.LABEL, label="team")}),
        ("unknown=1", {}),
    ],
)
def test_the_query_selects(query: str, expected: dict[str, Any]) -> None:
    """Each parameter alone."""
    services = GivenServices(SERVED)

    assert asked(applications(query), services) == (200, "")
    assert services.selections == [Selection(**expected)] * 2


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("project=", "project"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=many", "limit"),
        ("offset=-1", "offset"),
        ("state=unknown", "state"),
        ("order=price", "order"),
        ("reverse=perhaps", "reverse"),
        ("parent=all", "parent"),
        ("parent=", "parent"),
        ("label=-x", "label"),
        ("label=team%3Da%20b", "label"),
        ("by=name", "by"),
        ("by=label:", "by"),
        (f"search={'x' * 254}", "search"),
    ],
)
def test_parameters_that_are_not_as_documented_are_named(query: str, field: str) -> None:
    """422 with the parameter's name and nothing of its value."""
    for outcome in outcomes(applications(query), GivenServices(SERVED)):
        document = content(outcome.answer)

        assert (outcome.answer["statusCode"], outcome.code) == (422, "parameter_malformed")
        assert document["fields"] == [field]


def test_an_application_of_another_cluster_says_so() -> None:
    """404 with a code of its own, whether or not something was recorded of it once."""
    recorded = {**SERVED, "record": {"sync": {"finishedAt": "2026-11-29T08:00:00Z"}}}
    for document in (None, recorded):
        services = GivenServices(document)
        services.elsewhere = NOW

        assert asked(Sent(path=ACTUAL, headers=CHECKOUT_HEADERS), services) == (404, "other_cluster")


def test_an_application_that_came_back_since_is_served() -> None:
    """Its newest sync to this cluster finished after the list that showed it elsewhere."""
    services = GivenServices({**SERVED, "record": {"sync": {"finishedAt": "2026-11-30T08:20:00Z"}}})
    services.elsewhere = NOW - timedelta(minutes=1)

    assert asked(Sent(path=ACTUAL, headers=CHECKOUT_HEADERS), services) == (200, "")


def test_an_install_without_a_sync_does_not_bring_it_back() -> None:
    """It has no finish to compare."""
    services = GivenServices({**SERVED, "record": {"sync": {"finishedAt": None}}})
    services.elsewhere = NOW - timedelta(days=1)

    assert asked(Sent(path=ACTUAL, headers=CHECKOUT_HEADERS), services) == (404, "other_cluster")
