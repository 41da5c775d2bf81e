"""The demo cluster and its applications show every case they are there to show."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from local.demo.application import DemoApplication, demo_revision, sync_payload
from local.demo.cluster import demo_applications, demo_cluster
from local.standin.index import indexed
from local.standin.routes import Routes
from local.standin.version import version_named

NOW = datetime(2026, 11, 30, 10, 23, 38, tzinfo=UTC)
MORNING = "2026-11-30T09:00:00Z,2026-11-30T10:00:00Z"
NIGHT = "2026-11-30T03:00:00Z,2026-11-30T04:00:00Z"
DAY = "2026-11-29T10:00:00Z,2026-11-30T10:00:00Z"
ROUTES = Routes(indexed(demo_cluster(NOW)), version_named("1.120.2"))
PODLESS = {"Application", "ApplicationSet", "AppProject", "ConfigMap", "HorizontalPodAutoscaler", "Service"}
WEBHOOK = Path(__file__).parents[1] / "samples/argocd/webhook-deployment.json"
Row = dict[str, Any]


def rows(window: str, *, now: datetime = NOW, **query: str) -> dict[str, Row]:
    answered: list[dict[str, Row]] = json.loads(
        ROUTES.answer("/allocation", {"window": window, **query}, now=now).body
    )["data"]
    return answered[0]


def application(namespace: str, name: str) -> DemoApplication:
    return next(one for one in demo_applications(NOW) if (one.namespace, one.name) == (namespace, name))


def controllers(window: str, namespace: str) -> set[tuple[str, str]]:
    found = (row["properties"] for row in rows(window).values() if row["properties"]["namespace"] == namespace)
    return {(one.get("controllerKind", ""), one.get("controller", "")) for one in found}


def test_the_same_now_gives_the_same_cluster() -> None:
    """Nothing in it is random."""
    assert demo_cluster(NOW) == demo_cluster(NOW)
    assert demo_applications(NOW) == demo_applications(NOW)


def test_there_are_forty_applications_with_the_special_ones() -> None:
    """Two of one name in two namespaces, two on other clusters, one whose notifications carry no resources."""
    applications = demo_applications(NOW)

    assert len(applications) == 40
    assert len({(one.namespace, one.name) for one in applications}) == len(applications)
    assert [one.namespace for one in applications if one.name == "web"] == ["team-a", "team-b"]
    assert [(bool(one.destination_server), one.destination_name) for one in applications if one.is_remote] == [
        (True, ""),
        (False, "us-east-1-prod"),
    ]
    assert [one.name for one in applications if one.resources is None] == ["legacy-crm"]


def test_a_namespace_is_shared_by_several_applications() -> None:
    """Six applications deploy to shop, and each of them has pods there."""
    shared = [one for one in demo_applications(NOW) if one.destination_namespace == "shop" and not one.is_remote]

    assert len(shared) == 6
    assert {name for _, name in controllers(MORNING, "shop") if name} >= {"web", "db", "search", "cache"}


@pytest.mark.parametrize("one", [one for one in demo_applications(NOW) if not one.is_remote], ids=lambda one: one.name)
def test_every_application_has_cost_in_the_last_day(one: DemoApplication) -> None:
    """Its workloads cost something in the newest 24 hours, but for the Job that ran with the last sync."""
    found = {name for _, name in controllers(DAY, one.destination_namespace)}
    owned = [r.name for r in one.resources or () if r.kind not in PODLESS | {"Job"}]

    for name in ["crm"] if one.resources is None else owned:
        assert any(each == name or each.startswith(f"{name}-") for each in found), name


def test_a_cron_job_goes_by_its_own_name_and_a_rollout_by_its_replica_set() -> None:
    """OpenCost cuts the digits of Jobs and knows no Rollouts."""
    found = controllers(DAY, "orders")

    assert {("job", "orders-poll"), ("job", "orders-nightly"), ("job", "reports")} <= found
    assert any(kind == "rollout" and name.startswith("orders-api-") for kind, name in found)


def test_a_bare_pod_belongs_to_no_controller() -> None:
    """`orders/debug-shell` has no owner and no request."""
    (row,) = (row for row in rows(MORNING).values() if row["properties"]["pod"] == "debug-shell")

    assert "controller" not in row["properties"]
    assert (row["cpuCoreRequestAverage"], row["cpuEfficiency"]) == (0, 1)


def test_volumes_without_a_pod_are_listed() -> None:
    """One claimed by nobody, one claimed in analytics and mounted by nobody."""
    assert rows(MORNING)["demo//__unmounted__/__unmounted__/__unmounted__"]["pvCost"] > 0
    assert rows(MORNING)["demo//analytics/analytics-unmounted-pvcs/__unmounted__"]["pvCost"] > 0


def test_a_namespace_is_a_few_hours_old() -> None:
    """preview-42 was created 5.7 hours ago, and so was its Application."""
    row = rows(DAY, aggregate="namespace")["preview-42"]

    assert 300 <= row["minutes"] <= 342
    assert NOW - application("argocd", "preview-42").created_at < timedelta(hours=6)


def test_the_office_sleeps_at_night() -> None:
    """It runs from seven to seven."""
    assert controllers(NIGHT, "office") == set()
    assert controllers(MORNING, "office") == {("deployment", "desk")}


def test_pods_have_several_containers_a_gpu_and_a_load_balancer() -> None:
    """shop/web has a proxy beside it and pays the load balancer; the trainer pays a GPU on its own node."""
    web = [row for row in rows(MORNING).values() if row["properties"].get("controller") == "web"]
    trainer = rows(MORNING)["demo/node-gpu/analytics/trainer-0/train"]

    assert {row["properties"]["container"] for row in web} == {"web", "proxy"}
    assert sum(row["loadBalancerCost"] for row in web) == pytest.approx(0.025 * 65 / 60, abs=1e-4)
    assert trainer["gpuCost"] == 0.526


def test_usage_has_a_day_and_a_night() -> None:
    """The shop uses more CPU at two in the afternoon than at two at night."""
    afternoon = rows("2026-11-29T14:00:00Z,2026-11-29T15:00:00Z", aggregate="namespace")["shop"]
    night = rows("2026-11-29T02:00:00Z,2026-11-29T03:00:00Z", aggregate="namespace")["shop"]

    assert afternoon["cpuCoreUsageAverage"] > 1.5 * night["cpuCoreUsageAverage"]


@pytest.mark.parametrize("window", [MORNING, NIGHT])
def test_no_node_is_overbooked(window: str) -> None:
    """Requests fit what a node has to give."""
    model = demo_cluster(NOW)
    booked = rows(window, aggregate="node")
    for node in model.nodes:
        if node.name in booked:
            assert booked[node.name]["cpuCoreRequestAverage"] <= node.allocatable_cpu_cores, node.name
            assert booked[node.name]["ramByteRequestAverage"] <= node.allocatable_ram_bytes, node.name


def test_nodes_of_every_kind_are_listed() -> None:
    """On-demand, spot and GPU nodes with their disks, a load balancer, volumes, and the control plane."""
    assets = json.loads(ROUTES.answer("/assets", {"window": DAY}, now=NOW).body)["data"].values()

    assert {asset["type"] for asset in assets} == {"Node", "Disk", "LoadBalancer", "ClusterManagement"}
    assert [asset["properties"]["name"] for asset in assets if asset.get("preemptible")] == ["node-spot"]
    assert [asset["properties"]["name"] for asset in assets if asset.get("gpuCount")] == ["node-gpu"]


def test_the_history_reaches_back_thirty_five_days() -> None:
    """The oldest whole day has rows, the one before its install has none."""
    assert "shop" in rows("2026-10-27T00:00:00Z,2026-10-28T00:00:00Z", aggregate="namespace")
    assert rows("2026-10-25T00:00:00Z,2026-10-26T00:00:00Z") == {}


def test_the_demo_goes_on_while_it_runs() -> None:
    """A day later the newest hour has its pods and its CronJobs."""
    later = NOW + timedelta(days=1)
    newest = rows("2026-12-01T09:00:00Z,2026-12-01T10:00:00Z", now=later)

    assert any(row["properties"].get("controller") == "orders-poll" for row in newest.values())
    assert any(row["properties"].get("controller") == "desk" for row in newest.values())


def test_a_notification_has_the_templates_fields() -> None:
    """As Argo CD sends it, with createdAt; resources that own no pods are left out."""
    known = application("argocd", "shop-web")
    started, finished = NOW - timedelta(seconds=20), NOW
    payload = sync_payload(known, started, finished, demo_revision("shop-web", 9))

    assert set(payload) == set(json.loads(WEBHOOK.read_text())) | {"createdAt"}
    assert payload["resources"] == [{"group": "apps", "kind": "Deployment", "name": "web", "namespace": "shop"}]
    assert (payload["syncStartedAt"], payload["syncFinishedAt"]) == ("2026-11-30T10:23:18Z", "2026-11-30T10:23:38Z")
    assert (payload["syncResult"], payload["schemaVersion"]) == ("Succeeded", 1)
    assert len(payload["revision"]) == 40


def test_a_notification_can_lack_resources() -> None:
    """Then the key is absent, not empty."""
    assert "resources" not in sync_payload(application("argocd", "legacy-crm"), NOW, NOW, "r")
    assert sync_payload(application("team-a", "web"), NOW, NOW, "r")["destinationName"] == "in-cluster"


def test_past_syncs_are_told_oldest_first() -> None:
    """The first is the creation, the last the live revision."""
    syncs = application("argocd", "shop-web").syncs

    assert len(syncs) == 4
    assert syncs == tuple(sorted(syncs, key=lambda sync: sync.finished_at))
    assert application("argocd", "shop-web").revision == syncs[-1].revision
