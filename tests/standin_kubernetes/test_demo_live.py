"""The demo's Kubernetes API holds forty Applications over twelve namespaces, and every case they are there to show."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from costintel.argocd.destination import DestinationRules
from costintel.cluster.classification import classification
from costintel.cluster.cluster import Cluster, open_cluster
from costintel.cluster.settings import ClusterSettings
from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication
from local.demo.application import DemoSync, sync_payload
from local.demo.live import ACCESS_APPLICATION, ACCESS_LABEL, after_sync, application_object, live_objects
from local.demo.more import APPLICATION_SETS, APPLICATIONS, NAMESPACE_TEAMS
from local.demo.planned import application_of
from local.standin_kubernetes import StandInKubernetes, Store, stored

NOW = datetime(2026, 11, 30, 10, 23, 38, tzinfo=UTC)
RULES = DestinationRules()
ACCESS = AppRef.parse(ACCESS_APPLICATION)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    store = Store()
    for resource, items in live_objects(NOW).items():
        store.put_bodies(resource, map(stored, items))
    with StandInKubernetes(store) as stand_in:
        settings = ClusterSettings(endpoint=stand_in.endpoint, token="t")
        opened = open_cluster(settings, rules=RULES, clock=lambda: NOW)
        assert opened is not None
        with opened:
            yield opened


@pytest.fixture(scope="module")
def applications(cluster: Cluster) -> dict[str, LiveApplication]:
    outcome = cluster.applications()
    assert outcome.complete, outcome.error
    return {str(one.application): one for one in outcome.items}


def test_forty_applications_over_twelve_namespaces(applications: dict[str, LiveApplication]) -> None:
    """Without the access Application; the namespaces are those that pods run in."""
    measured = [name for name in applications if name != ACCESS_APPLICATION]

    assert len(measured) == 40
    assert len(NAMESPACE_TEAMS) == 12
    assert {plan.destination for plan in APPLICATIONS if plan.workloads} == set(NAMESPACE_TEAMS)


def test_their_classes(applications: dict[str, LiveApplication]) -> None:
    """Thirty-eight are measured, two deploy to other clusters, one opens the cluster's pages."""
    classes = Counter(classification(one, rules=RULES, access=ACCESS) for one in applications.values())

    assert classes == {"measured": 38, "other_cluster": 2, "access_application": 1}


def test_the_access_application_lists_nothing(applications: dict[str, LiveApplication]) -> None:
    """It has the label, and no resources."""
    access = applications[ACCESS_APPLICATION]

    assert (access.labels[ACCESS_LABEL], access.resources) == ("true", ())


def test_apps_of_apps(applications: dict[str, LiveApplication]) -> None:
    """Two parents, without any workload of their own."""
    parents = Counter(str(one.parent) for one in applications.values() if one.parent)

    assert parents == {"argocd:platform-root": 5, "argocd:storefront-root": 8}
    for name in parents:
        kinds = {resource.kind for resource in applications[name].resources or ()}
        assert kinds == {"Application", "AppProject", "ApplicationSet"}


def test_children_of_application_sets(applications: dict[str, LiveApplication]) -> None:
    """Eleven Applications of three sets."""
    sets = Counter(one.application_set for one in applications.values() if one.application_set)

    assert sets == {name: len(children) for name, children in APPLICATION_SETS.items()}
    assert sets == {"tenants": 6, "analytics-jobs": 3, "checkout": 2}


def test_a_namespace_is_shared(applications: dict[str, LiveApplication]) -> None:
    """Seven Applications of two projects deploy to tenants."""
    tenants = [one for one in applications.values() if one.destination.namespace == "tenants"]

    assert Counter(one.project for one in tenants) == {"tenants": 6, "platform": 1}


def test_one_could_not_be_compared(applications: dict[str, LiveApplication]) -> None:
    """legacy-crm has no resources in its notifications, and none in the list: its whole namespace counts."""
    unknown = [name for name, one in applications.items() if one.resources is None]

    assert unknown == ["argocd:legacy-crm"]
    assert applications["argocd:legacy-crm"].sync_status == "Unknown"


def test_the_history_ends_with_the_last_sync(applications: dict[str, LiveApplication]) -> None:
    """Every Application remembers its syncs, oldest first."""
    web = applications["argocd:shop-web"]

    assert len(web.history) == 4
    assert web.history[-1] == web.last_sync
    assert [sync.finished_at for sync in web.history] == sorted(sync.finished_at for sync in web.history)
    for one in applications.values():
        assert one.last_sync == one.history[-1], one.application


def test_live_resources_are_the_notifications(applications: dict[str, LiveApplication]) -> None:
    """The list and the webhook name the same workloads."""
    for plan in APPLICATIONS:
        demo = application_of(plan, NOW)
        payload = json.loads(json.dumps(sync_payload(demo, NOW, NOW, "r")))
        told = {(entry["kind"], entry["name"]) for entry in payload.get("resources", ())}
        live = applications[f"{demo.namespace}:{demo.name}"]

        assert {(resource.kind, resource.name) for resource in live.resources or ()} == told


def test_namespaces_and_autoscalers(cluster: Cluster) -> None:
    """Namespaces carry their team; preview-42 is as young as its Application; autoscalers of every kind are there."""
    namespaces = {one.name: one for one in cluster.namespaces().items}
    vpas = cluster.vertical_autoscalers().items
    hpas = cluster.horizontal_autoscalers().items

    assert {name for name, one in namespaces.items() if "team" in one.labels} == set(NAMESPACE_TEAMS)
    assert {"argocd", "opencost", "team-a", "team-b"} < set(namespaces)
    assert NOW - namespaces["preview-42"].created_at < timedelta(hours=6)
    assert (len(vpas), len(hpas)) == (11, 3)
    assert Counter(one.update_mode for one in vpas) == {"Off": 9, "Initial": 1, "": 1}
    assert {condition for one in vpas for condition in one.conditions} == {
        "RecommendationProvided",
        "LowConfidence",
        "NoPodsMatched",
    }
    assert all(one.recommendations or one.conditions == ("NoPodsMatched",) for one in vpas)


def test_a_small_containers_recommendation_stays_at_the_floor(cluster: Cluster) -> None:
    """The Rollout api has two containers, so the least is half of 25m and 250Mi each."""
    (vpa,) = (one for one in cluster.vertical_autoscalers().items if one.name == "api")
    main, proxy = vpa.recommendations

    assert (main.container, str(main.target.cpu_cores)) == ("api", "0.121")
    assert (proxy.container, str(proxy.target.cpu_cores)) == ("proxy", "0.037")
    assert proxy.target.ram_bytes == 125 * 1024**2


def test_a_pushed_sync_shows_in_the_list() -> None:
    """It is the last operation and the newest entry of the history, of which ten are kept."""
    item = application_object(application_of(APPLICATIONS[0], NOW))
    for number in range(12):
        finished_at = NOW + timedelta(minutes=number)
        item = after_sync(item, DemoSync(revision=f"r{number}", finished_at=finished_at), started_at=finished_at)

    history = item["status"]["history"]
    assert [entry["revision"] for entry in history] == [f"r{number}" for number in range(2, 12)]
    assert item["status"]["operationState"]["finishedAt"] == history[-1]["deployedAt"] == "2026-11-30T10:34:38Z"
    assert item["status"]["sync"]["revision"] == "r11"


def test_the_same_now_gives_the_same_objects() -> None:
    """Nothing in them is random."""
    assert live_objects(NOW) == live_objects(NOW)
