"""Who may see the whole cluster."""

from datetime import UTC, datetime
from typing import Any

import pytest

from costintel.argocd.gate import ACCESS_LABEL, Gate, GateReason, GateRule
from costintel.cost.application import AppRef, Destination
from costintel.cost.live import LiveApplication
from costintel.cost.ownership import Resource
from costintel.errors import ConfigurationError

ACCESS = AppRef("argocd", "cost-intel-access")
PLATFORM = AppRef("argocd", "platform")


def live(**changes: Any) -> LiveApplication:
    """Return the access Application as our manifest makes it and Argo CD has compared it."""
    usual: dict[str, Any] = {
        "application": ACCESS,
        "project": "cost-intel",
        "destination": Destination(server="https://kubernetes.default.svc", namespace="cost-intel"),
        "created_at": datetime(2026, 1, 1, tzinfo=UTC),
        "labels": {ACCESS_LABEL: "true"},
        "deleting": False,
        "resources": (),
        "last_sync": None,
        "history": (),
        "sync_status": "Synced",
        "health_status": "Healthy",
        "images": (),
        "application_set": "",
    }
    return LiveApplication(**{**usual, **changes})


def decided(scope: str = "", access: AppRef | None = ACCESS, of: LiveApplication | None = None, **more: Any) -> Gate:
    return GateRule.parse(scope, access).decide(of, is_listed=more.get("is_listed", True))


def test_the_access_application_is_the_gate() -> None:
    """Configured, listed, labelled, and managing nothing."""
    assert decided(of=live()) == Gate(application=ACCESS, reason=GateReason.ACCESS_APPLICATION)


@pytest.mark.parametrize("value", ["true", "", "false"])
def test_the_labels_value_does_not_matter(value: str) -> None:
    """Its being there is what says so."""
    assert decided(of=live(labels={ACCESS_LABEL: value})).application == ACCESS


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        (None, GateReason.NOT_LISTED),
        (live(deleting=True), GateReason.BEING_DELETED),
        (live(labels={}), GateReason.NOT_LABELLED),
        (live(labels={"cost-intel/cluster": "true"}), GateReason.NOT_LABELLED),
        (live(resources=None), GateReason.NOT_COMPARED),
        (live(resources=(Resource("apps", "Deployment", "", "web"),)), GateReason.LISTS_RESOURCES),
    ],
)
def test_an_access_application_that_is_not_as_it_should_be_is_none(
    of: LiveApplication | None, reason: GateReason
) -> None:
    """Deleted, not labelled, or managing anything: the cluster is closed, and the reason is told."""
    assert decided(of=of) == Gate(application=None, reason=reason)


def test_before_the_first_complete_list_there_is_no_gate() -> None:
    """Nobody knows whether the Application exists."""
    assert decided(is_listed=False) == Gate(application=None, reason=GateReason.NO_LIVE_LIST)


def test_without_settings_there_is_no_gate() -> None:
    """Closed is what an installation is that says nothing."""
    assert decided(access=None) == Gate(application=None, reason=GateReason.NOT_CONFIGURED)


@pytest.mark.parametrize("access", [ACCESS, None])
def test_a_configured_application_is_the_gate_whatever_is_listed(access: AppRef | None) -> None:
    """CLUSTER_SCOPE_APP goes before the access Application, and asks no list."""
    rule = GateRule.parse("argocd:platform", access)

    assert rule.asks_for is None
    assert rule.decide(None, is_listed=False) == Gate(application=PLATFORM, reason=GateReason.CONFIGURED)


@pytest.mark.parametrize("word", ["off", "OFF", "Off", "false", "False", "no", "NO", "0"])
def test_a_word_closes_it(word: str) -> None:
    """Whatever else is configured, in any case of letters."""
    rule = GateRule.parse(word, ACCESS)

    assert rule.asks_for is None
    assert rule.decide(live(), is_listed=True) == Gate(application=None, reason=GateReason.SWITCHED_OFF)


def test_only_the_access_application_is_looked_up() -> None:
    """What decides is asked for by name."""
    assert GateRule.parse("", ACCESS).asks_for == ACCESS
    assert GateRule.parse("", None).asks_for is None


@pytest.mark.parametrize(
    "text", ["platform", "on", "true", "1", "argocd/platform", "argocd:platform,argocd:x", "*:*", "argocd:"]
)
def test_anything_else_stops_the_start(text: str) -> None:
    """A gate that nobody meant must not open anything."""
    with pytest.raises(ConfigurationError, match="CLUSTER_SCOPE_APP: expected namespace:name, or off"):
        GateRule.parse(text, None)


def test_only_the_gates_readers_are_let_in() -> None:
    """The exact reference: the same name in another namespace is another Application."""
    gate = Gate(application=ACCESS, reason=GateReason.ACCESS_APPLICATION)

    assert gate.refusal(ACCESS) is None
    for other in (AppRef("team-a", "cost-intel-access"), AppRef("argocd", "cost-intel-access-2"), PLATFORM):
        refused = gate.refusal(other)
        assert refused is not None
        assert (refused.type.code, refused.type.status.value) == ("not_gate", 403)
        assert str(ACCESS) not in str(refused.document())


def test_a_closed_gate_says_why() -> None:
    """To everybody, the access Application's readers included."""
    refused = Gate(application=None, reason=GateReason.NOT_LABELLED).refusal(ACCESS)

    assert refused is not None
    assert (refused.type.code, refused.type.status.value) == ("gate_off", 403)
    assert refused.document()["reason"] == "not_labelled"
