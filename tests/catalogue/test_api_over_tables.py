"""The API as it is deployed, over real tables: the gate, the list, other clusters."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from api.app import Api, create_app
from api.cluster_documents import ApplicationsAnswer, ConfigAnswer
from costintel.argocd.gate import ACCESS_LABEL
from costintel.argocd.tokens import TokenHashes
from costintel.config import Environment
from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication
from costintel.storage.connection import Database
from costintel.storage.records import Records
from costintel.wiring import build_api
from tests.api.answering import AUTHORIZED, TOKEN, content
from tests.argocd.events import Sent, token_hash
from tests.catalogue.landscape import REMOTE, container, deployment, live, volume
from tests.catalogue.tables import CLUSTER, LISTED_AT, NOW, record, store_fold, store_list, web_sync

ACCESS = AppRef("argocd", "cost-intel-access")
LATER = LISTED_AT + timedelta(minutes=5)
APPLICATIONS = "/api/cost-analysis/applications"


def access(**changes: Any) -> LiveApplication:
    usual: dict[str, Any] = {
        "application": ACCESS,
        "project": "cost-intel",
        "labels": {ACCESS_LABEL: "true"},
        "resources": (),
        "application_set": "",
        "parent": None,
    }
    return live(**{**usual, **changes})


@pytest.fixture
def api(database: Database, catalogue_database_url: str) -> Iterator[Api]:
    """Give the API over tables with one Application at $3, one elsewhere, the access Application and a stray volume."""
    store_fold(database, container("shop", "web", 3.0), volume("shop", 0.5))
    store_list(database, live(), live(application=AppRef("argocd", "far"), destination=REMOTE), access())
    Records(database).save(record(web_sync()))
    Records(database).save(record(web_sync(id="far", application=AppRef("argocd", "far"))))
    settings = {
        "DATABASE_URL": catalogue_database_url,
        "CLUSTER_NAME": CLUSTER,
        "CLUSTER_ACCESS_APP": str(ACCESS),
    }
    services = build_api(Environment(settings))
    yield create_app(services, tokens=TokenHashes.parse(token_hash(TOKEN)), now=lambda: NOW)
    services.database.close()


def answered(api: Api, path: str, application: AppRef, query: str = "") -> tuple[int, Any]:
    """Return status and document, the same for both payload formats."""
    headers = (*AUTHORIZED, ("Argocd-Application-Name", str(application)))
    sent = Sent(path=path, query=query, headers=headers)
    answers = [api.answer(event).answer for event in (sent.v2(), sent.v1())]
    assert answers[0] == answers[1]
    return answers[0]["statusCode"], content(answers[0])


def test_the_gates_readers_see_the_cluster(api: Api) -> None:
    """What it costs, what nobody owns, and neither the access Application nor a figure of another cluster's."""
    status, document = answered(api, APPLICATIONS, ACCESS, "by=project&order=name")

    assert status == 200
    ApplicationsAnswer.model_validate(document)
    found = {
        one["application"]["name"]: (one["state"], one["counted"]["cost"]["total"]) for one in document["applications"]
    }
    assert found == {"far": ("other_cluster", 0.0), "web": ("measured", 3.0)}
    assert [document[name]["cost"]["total"] for name in ("owned", "unowned", "total")] == [3.0, 0.5, 3.5]
    assert [group["name"] for group in document["rollUp"]["groups"]] == ["shop"]


@pytest.mark.parametrize("application", [AppRef("argocd", "web"), AppRef("team", ACCESS.name)])
def test_others_do_not(api: Api, application: AppRef) -> None:
    """Who may read another Application, or one of the gate's name elsewhere."""
    status, document = answered(api, APPLICATIONS, application)

    assert (status, document["code"]) == (403, "not_gate")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (None, "not_listed"),
        ({"labels": {}}, "not_labelled"),
        ({"deleting": True}, "being_deleted"),
        ({"resources": None}, "not_compared"),
        ({"resources": (deployment("web"),)}, "lists_resources"),
    ],
)
def test_the_next_list_closes_it(api: Api, database: Database, changes: dict[str, Any] | None, reason: str) -> None:
    """The same environment, which had it open before."""
    assert answered(api, APPLICATIONS, ACCESS)[0] == 200
    store_list(database, live(), *(() if changes is None else (access(**changes),)), at=LATER)

    status, document = answered(api, APPLICATIONS, ACCESS)

    assert (status, document["code"], document["reason"]) == (403, "gate_off", reason)
    assert answered(api, "/api/cost-analysis/config", AppRef("argocd", "web"))[1]["gate"]["reason"] == reason


def test_config_names_the_gate(api: Api) -> None:
    """To whoever may read any Application."""
    status, document = answered(api, "/api/cost-analysis/config", AppRef("argocd", "web"))

    assert status == 200
    ConfigAnswer.model_validate(document)
    assert document["gate"]["application"] == str(ACCESS)
    assert datetime.fromisoformat(document["kubernetes"]["lists"][0]["listedAt"]) == LISTED_AT


def test_another_clusters_application_is_told_from_an_unmeasured_one(api: Api) -> None:
    """The one has a record of former days and deploys elsewhere now; of the other nothing is known."""
    for name, code in (("far", "other_cluster"), ("unknown", "not_measured")):
        status, document = answered(api, f"/api/cost-analysis/{name}/actual", AppRef("argocd", name))
        assert (status, document["code"]) == (404, code)
    assert answered(api, "/api/cost-analysis/web/actual", AppRef("argocd", "web"))[0] == 200
