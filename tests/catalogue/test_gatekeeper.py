"""What the stored list says of one Application, and what the browser is told of the installation."""

from datetime import timedelta
from typing import Any

import pytest

from api.cluster_documents import ConfigAnswer
from costintel.argocd.destination import DestinationRules
from costintel.argocd.gate import ACCESS_LABEL, GateReason, GateRule
from costintel.cost.application import AppRef, Destination
from costintel.cost.live import ListOutcome
from costintel.errors import StorageUnavailable
from costintel.measurement.features import Features
from costintel.measurement.gatekeeper import Gatekeeper
from costintel.storage.connection import Database
from costintel.storage.live import LiveApplications, LiveHpas, LiveNamespaces, LiveVpas
from costintel.storage.live_lists import LiveLists
from costintel.version import VERSION
from tests.catalogue.landscape import REMOTE, live
from tests.catalogue.tables import CLUSTER, LISTED_AT, store_list

ACCESS = AppRef("argocd", "cost-intel-access")
LATER = LISTED_AT + timedelta(minutes=5)


def gatekeeper(database: Database, *, scope: str = "", access: AppRef | None = ACCESS) -> Gatekeeper:
    return Gatekeeper(
        cluster=CLUSTER,
        rule=GateRule.parse(scope, access),
        destinations=DestinationRules(["prod"]),
        applications=LiveApplications(database),
    )


def features(database: Database, *, scope: str = "") -> Features:
    return Features(
        cluster=CLUSTER,
        currency="EUR",
        basis_hours=730,
        gatekeeper=gatekeeper(database, scope=scope),
        lists=LiveLists(database),
    )


def test_the_stored_access_application_is_the_gate(database: Database) -> None:
    """As the last complete list has it."""
    store_list(database, live(application=ACCESS, labels={ACCESS_LABEL: "true"}, resources=()))

    assert gatekeeper(database).gate().application == ACCESS


def test_a_failed_list_keeps_the_gate(database: Database) -> None:
    """Nothing is concluded from it."""
    store_list(database, live(application=ACCESS, labels={ACCESS_LABEL: "true"}, resources=()))
    store_list(database, at=LATER, complete=False)

    assert gatekeeper(database).gate().application == ACCESS


def test_a_complete_list_without_it_closes_the_cluster(database: Database) -> None:
    """It was deleted."""
    store_list(database, live(application=ACCESS, labels={ACCESS_LABEL: "true"}, resources=()))
    store_list(database, live(), at=LATER)

    assert gatekeeper(database).gate().reason is GateReason.NOT_LISTED


def test_before_any_complete_list_it_is_closed(database: Database) -> None:
    """Whether nothing was listed at all, or the only list failed."""
    assert gatekeeper(database).gate().reason is GateReason.NO_LIVE_LIST
    store_list(database, complete=False)
    assert gatekeeper(database).gate().reason is GateReason.NO_LIVE_LIST


def test_a_list_without_applications_is_a_list(database: Database) -> None:
    """There is none, which is known."""
    store_list(database)

    assert gatekeeper(database).gate().reason is GateReason.NOT_LISTED


def test_a_configured_gate_needs_no_database() -> None:
    """The settings alone decide."""

    def away() -> None:
        raise StorageUnavailable("away")

    database = Database(away)  # type: ignore[arg-type]  # never gives a connection

    assert gatekeeper(database, scope="argocd:platform").gate().application == AppRef("argocd", "platform")
    assert gatekeeper(database, scope="off").gate().reason is GateReason.SWITCHED_OFF
    with pytest.raises(StorageUnavailable):
        gatekeeper(database).gate()


def test_another_clusters_application_is_known_since_the_list(database: Database) -> None:
    """The moment is the last complete list's; a local one, an alias and an unknown one are not elsewhere."""
    alias = live(application=AppRef("argocd", "alias"), destination=Destination(name="prod", namespace="shop"))
    store_list(database, live(application=AppRef("argocd", "far"), destination=REMOTE), live(), alias)
    store_list(database, at=LATER, complete=False)
    keeper = gatekeeper(database)

    assert keeper.elsewhere_since(AppRef("argocd", "far")) == LISTED_AT
    for name in ("web", "alias", "unknown"):
        assert keeper.elsewhere_since(AppRef("argocd", name)) is None


def test_config_of_an_installation_that_has_everything(database: Database) -> None:
    """The gate with its project, every list with its time, nothing off."""
    store_list(database, live(application=ACCESS, project="cost-intel", labels={ACCESS_LABEL: ""}, resources=()))
    outcome: ListOutcome[Any] = ListOutcome(items=(), complete=True, listed_at=LISTED_AT)
    LiveNamespaces(database).replace(CLUSTER, outcome)
    LiveVpas(database).replace(CLUSTER, outcome)
    LiveHpas(database).replace(CLUSTER, outcome)
    store_list(database, at=LATER, complete=False)

    document = features(database).config()

    ConfigAnswer.model_validate(document)
    assert (document["version"], document["cluster"], document["currency"], document["monthHours"]) == (
        VERSION,
        CLUSTER,
        "EUR",
        730,
    )
    assert document["gate"] == {
        "application": "argocd:cost-intel-access",
        "project": "cost-intel",
        "reason": "access_application",
    }
    assert document["kubernetes"]["isConfigured"] is True
    assert document["kubernetes"]["lists"][0] == {
        "kind": "applications",
        "isComplete": False,
        "listedAt": "2026-11-30T12:20:00Z",
        "lastCompleteAt": "2026-11-30T12:15:00Z",
    }
    assert [one["kind"] for one in document["kubernetes"]["lists"]] == ["applications", "namespaces", "vpas", "hpas"]
    assert document["off"] == []


def test_config_without_kubernetes_says_what_is_off(database: Database) -> None:
    """Nothing was ever listed; a configured gate works all the same."""
    document = features(database, scope="argocd:platform").config()

    ConfigAnswer.model_validate(document)
    assert document["gate"] == {"application": "argocd:platform", "project": None, "reason": "configured"}
    assert document["kubernetes"] == {"isConfigured": False, "lists": []}
    assert document["off"] == [
        {"feature": feature, "reason": "never_listed"} for feature in ("install", "reconciliation", "recommendations")
    ]


def test_config_tells_a_list_that_never_worked_from_none(database: Database) -> None:
    """The rights are missing: another reason than no Kubernetes at all; what went wrong stands in the log only."""
    store_list(database, complete=False)

    document = features(database).config()

    assert {one["feature"]: one["reason"] for one in document["off"]} == {
        "cluster_pages": "no_live_list",
        "install": "list_failed",
        "reconciliation": "list_failed",
        "recommendations": "list_failed",
    }
    assert "403" not in str(document)
