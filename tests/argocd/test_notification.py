"""What becomes of a notification, field by field."""

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costintel.argocd.destination import DestinationRules
from costintel.argocd.message import parse_message, sync_message
from costintel.argocd.notification import Accepted, Skipped, parse_notification
from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.cost.sync import Sync
from costintel.errors import InvalidInput
from tests.argocd.bodies import SHOP_WEB, body, body_without

NOW = datetime(2026, 8, 20, 10, 17, 30, 123456, tzinfo=UTC)
EMPTIES = [None, "", "<no value>"]


def decide(content: bytes, *, cluster: str = "local", access: AppRef | None = None) -> Accepted | Skipped:
    return parse_notification(content, now=NOW, cluster=cluster, rules=DestinationRules(("prod",)), access=access)


def accepted(content: bytes, *, cluster: str = "local") -> Sync:
    decision = decide(content, cluster=cluster)
    assert isinstance(decision, Accepted)
    return decision.sync


def skipped(content: bytes, *, access: AppRef | None = None) -> str:
    decision = decide(content, access=access)
    assert isinstance(decision, Skipped)
    return decision.reason


def test_a_whole_notification_becomes_a_sync() -> None:
    """Every field of the payload finds its place."""
    identity = "\n".join(
        ("local", "argocd", "shop-web", str(int(datetime(2026, 8, 20, 9, 58, 57, tzinfo=UTC).timestamp())))
    )

    assert accepted(body()) == Sync(
        id=sha256(identity.encode()).hexdigest()[:32],
        application=AppRef("argocd", "shop-web"),
        project="shop",
        destination=Destination(server="https://kubernetes.default.svc", name="", namespace="shop-prod"),
        resources=(Resource("apps", "Deployment", "shop-prod", "shop-web"),),
        resources_omitted=False,
        finished_at=datetime(2026, 8, 20, 9, 58, 57, tzinfo=UTC),
        finished_at_known=True,
        started_at=datetime(2026, 8, 20, 9, 58, 41, tzinfo=UTC),
        created_at=datetime(2026, 1, 5, 7, tzinfo=UTC),
        revision="a50126cc2d6c726de0ca203c3b659f658d356173",
        revisions=(),
        sync_status="Synced",
        health_status="Healthy",
        initiated_by="alice@example.com",
        images=("registry.example.com/shop-web:2.41.0",),
        received_at=NOW,
    )


def test_the_id_depends_on_cluster_application_and_finish_only() -> None:
    """A repeat has the same id, whatever else changed; another cluster, namespace, name or second another one."""
    same = {
        accepted(
            body(revision="b", resources=[], healthStatus="Degraded", syncFinishedAt="2026-08-20T11:58:57.5+02:00")
        ).id
    }
    others = {
        accepted(body(), cluster="prod").id,
        accepted(body(applicationNamespace="team-a")).id,
        accepted(body(application="shop-api")).id,
        accepted(body(syncFinishedAt="2026-08-20T09:58:58Z")).id,
    }

    assert same == {accepted(body()).id}
    assert len(others | same) == 5


@pytest.mark.parametrize("empty", [None, ""])
def test_without_a_finish_the_hour_of_arrival_stands_in(empty: Any) -> None:
    """Repeats within the hour fold, and the sync says that the time is not known."""
    sync = accepted(body(syncFinishedAt=empty))

    assert sync.finished_at == datetime(2026, 8, 20, 10, tzinfo=UTC)
    assert not sync.finished_at_known
    assert sync.id == accepted(body_without("syncFinishedAt")).id


@pytest.mark.parametrize(
    "field", ["createdAt", "syncStartedAt", "revision", "initiatedBy", "syncStatus", "healthStatus"]
)
@pytest.mark.parametrize("value", [*EMPTIES, 5, ["x"], {"x": 1}])
def test_shown_fields_never_cost_a_sync(field: str, value: Any) -> None:
    """A field that decides nothing may be anything."""
    assert accepted(body(**{field: value})).id == accepted(body_without(field)).id == accepted(body()).id


@pytest.mark.parametrize("value", [*EMPTIES, "x", 5, {"a": 1}])
@pytest.mark.parametrize("field", ["images", "revisions"])
def test_shown_lists_never_cost_a_sync(field: str, value: Any) -> None:
    """Images and revisions that are no lists are left out."""
    sync = accepted(body(**{field: value}))

    assert getattr(sync, field) == ()


@pytest.mark.parametrize("empty", EMPTIES)
def test_an_empty_project_is_the_default_one(empty: Any) -> None:
    """Argo CD takes an empty project for `default`."""
    assert accepted(body(project=empty)).project == "default"


@pytest.mark.parametrize("empty", EMPTIES)
@pytest.mark.parametrize(("field", "kept"), [("destinationServer", "server"), ("destinationName", "name")])
def test_an_empty_destination_is_our_cluster(field: str, kept: str, empty: Any) -> None:
    """What a template could not fill in does not make an application remote."""
    assert getattr(accepted(body(**{field: empty})).destination, kept) == ""


def test_a_configured_alias_is_our_cluster() -> None:
    """A renamed cluster entry is measured."""
    assert accepted(body(destinationServer="", destinationName="prod")).destination.name == "prod"


@pytest.mark.parametrize("empty", EMPTIES)
def test_unknown_resources_mean_the_whole_namespace(empty: Any) -> None:
    """Without a list of resources the deployment namespace is measured."""
    assert accepted(body(resources=empty)).resources is None
    assert accepted(body_without("resources")).resources is None


def test_resources_alone_name_the_namespaces() -> None:
    """A destination without a namespace is enough when its resources have one."""
    resources = [{"group": "apps", "kind": "Deployment", "namespace": "widgets-system", "name": "widget"}]

    assert accepted(body(namespace="", resources=resources)).destination.namespace == ""


@pytest.mark.parametrize(
    "resources",
    [
        None,
        [],
        [{"group": "apps", "kind": "Deployment", "name": "widget"}],
        [{"kind": "Service", "namespace": "widgets-system", "name": "widget"}],
    ],
)
@pytest.mark.parametrize("empty", EMPTIES)
def test_neither_namespace_nor_resources_is_skipped(empty: Any, resources: Any) -> None:
    """Where nothing says in which namespace it runs, nothing can be measured."""
    assert skipped(body(namespace=empty, resources=resources)) == "no_namespace"


@pytest.mark.parametrize("result", ["Failed", "Error", "Running", "Terminating", "succeeded", *EMPTIES])
def test_only_succeeded_syncs_are_measured(result: Any) -> None:
    """Every other phase is understood and skipped."""
    assert skipped(body(syncResult=result)) == "sync_not_succeeded"


def test_other_clusters_are_skipped() -> None:
    """A destination elsewhere is understood and skipped, even if its namespace is one of ours."""
    assert skipped(body(destinationServer="https://10.0.0.1")) == "other_cluster"
    assert skipped(body(destinationServer="", destinationName="us-east-1-prod")) == "other_cluster"


def test_the_access_application_is_skipped() -> None:
    """It has no workload; namespace and name must both be its."""
    assert skipped(body(), access=AppRef("argocd", "shop-web")) == "access_application"
    assert isinstance(decide(body(), access=AppRef("team-a", "shop-web")), Accepted)


@pytest.mark.parametrize("value", [*EMPTIES, "Argo", "a:b", "a.b", 5, ["argocd"]])
def test_a_bad_application_namespace_is_named(value: Any) -> None:
    """Without it the application is not known."""
    with pytest.raises(InvalidInput) as raised:
        decide(body(applicationNamespace=value))
    assert raised.value.field == "applicationNamespace"


@pytest.mark.parametrize("value", [*EMPTIES, "Shop", "a/b", "a:b", 5, {}])
def test_a_bad_application_name_is_named(value: Any) -> None:
    """Without it the application is not known."""
    with pytest.raises(InvalidInput) as raised:
        decide(body(application=value))
    assert raised.value.field == "application"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("namespace", "Shop Prod"),
        ("namespace", 5),
        ("destinationServer", ["https://kubernetes.default.svc"]),
        ("destinationName", {"name": "in-cluster"}),
        ("syncFinishedAt", "yesterday"),
        ("syncFinishedAt", 1787220161),
        ("syncResult", True),
        ("resources", {"kind": "Deployment"}),
    ],
)
def test_what_decides_and_cannot_be_used_is_named(field: str, value: Any) -> None:
    """A field on which something depends is refused by name, not guessed."""
    with pytest.raises(InvalidInput) as raised:
        decide(body(**{field: value}))
    assert raised.value.field == field


def test_a_remote_application_is_skipped_whatever_else_is_wrong() -> None:
    """What is not measured is not examined: its 4xx would be an error in Argo CD's log for nothing."""
    assert (
        skipped(body(destinationName="elsewhere", namespace="Not A Label", syncFinishedAt="never")) == "other_cluster"
    )


def test_unknown_fields_are_ignored() -> None:
    """A newer template may send more."""
    assert accepted(body(schemaVersion=7, somethingNew={"a": [1]})).id == accepted(body()).id


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["<no value>", "web"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(SHOP_WEB)), anything, max_size=6))
def test_whatever_the_fields_hold_there_is_a_decision(changes: dict[str, Any]) -> None:
    """A payload is accepted, skipped or refused by a field's name, and never anything else."""
    try:
        decision = decide(body(**changes))
    except InvalidInput as error:
        assert error.field in SHOP_WEB  # noqa: PT017  both ways are right
    else:
        assert isinstance(decision, Skipped) or parse_message(sync_message(decision.sync)) == decision.sync


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60) | anything.map(lambda value: json.dumps(value).encode()))
def test_whatever_the_body_is_there_is_a_decision(content: bytes) -> None:
    """Bytes that are no notification are refused, and nothing else happens."""
    with pytest.raises(InvalidInput):
        decide(content)


@pytest.mark.parametrize(
    "finished", ["0001-01-01T00:00:00Z", "2014-05-31T23:59:59Z", "2099-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
)
def test_a_finish_no_clock_explains_is_refused(finished: str) -> None:
    """One far in the future would hide every later sync, one at the ends of the calendar has no windows."""
    with pytest.raises(InvalidInput, match="syncFinishedAt: expected a time between 2014 and an hour from now"):
        accepted(body(syncFinishedAt=finished))


def test_a_clock_that_is_somewhat_ahead_costs_no_sync() -> None:
    """Up to an hour from now a finish is taken as it is."""
    assert accepted(body(syncFinishedAt="2026-08-20T10:59:00Z")).finished_at == datetime(
        2026, 8, 20, 10, 59, tzinfo=UTC
    )
