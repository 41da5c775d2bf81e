"""Applications as Argo CD's real controller leaves them, and the odd ones."""

from datetime import UTC, datetime
from typing import Any

import pytest

from costintel.cluster.applications import read_application
from costintel.cost.application import AppRef, Destination
from costintel.cost.live import LiveSync
from costintel.cost.ownership import Resource
from costintel.cost.sync import sync_id
from costintel.errors import InvalidInput
from tests.cluster.objects import application, listed, recorded_application, sample_applications

FINISHED = datetime(2026, 8, 20, 9, 58, 57, tzinfo=UTC)


def operation(**changes: Any) -> dict[str, Any]:
    """Make the state of a successful sync."""
    state: dict[str, Any] = {
        "phase": "Succeeded",
        "startedAt": "2026-08-20T09:58:41Z",
        "finishedAt": "2026-08-20T09:58:57Z",
        "operation": {"initiatedBy": {"username": "alice"}, "sync": {"revision": "abc"}},
        "syncResult": {"revision": "abc", "resources": []},
    }
    return {**state, **changes}


def at(hour: int, minute: int, second: int) -> datetime:
    return datetime(2026, 11, 30, hour, minute, second, tzinfo=UTC)


@pytest.mark.parametrize(
    ("recording", "name", "started", "finished", "revision", "initiated_by"),
    [
        ("cronjob", "nightly", at(8, 35, 2), at(8, 35, 2), "6c166737a72d7c662a1337294f3da45faed02687", "alex"),
        (
            "deployment-service-configmap",
            "checkout",
            at(8, 34, 39),
            at(8, 34, 40),
            "6c166737a72d7c662a1337294f3da45faed02687",
            "automated",
        ),
        ("presync-hook", "billing", at(8, 36, 48), at(8, 36, 50), "14da77cf90f4d3c36eb0d05749ed6f99e438a5b4", "alex"),
        (
            "orders-synced-through-the-api-server",
            "orders",
            at(8, 38, 40),
            at(8, 38, 41),
            "08bd3228f8242282b09a7467e17d4c694b429df3",
            "admin",
        ),
    ],
)
def test_the_real_controllers_last_sync(
    recording: str, name: str, started: datetime, finished: datetime, revision: str, initiated_by: str
) -> None:
    """Times, revision and initiator stand in the last operation, and the one entry of the history tells the same sync."""
    live = read_application(recorded_application(recording))

    expected = LiveSync(
        finished_at=finished, started_at=started, revision=revision, revisions=(), initiated_by=initiated_by
    )
    assert live.application == AppRef("argocd", name)
    assert live.last_sync == expected
    assert live.history == (expected,)


def test_the_real_controllers_sync_of_several_sources() -> None:
    """It has a revision per source and none of its own, in the operation and in the history."""
    live = read_application(recorded_application("multi-source"))

    revisions = ("6c166737a72d7c662a1337294f3da45faed02687",) * 2
    assert live.last_sync is not None
    assert (live.last_sync.revision, live.last_sync.revisions) == ("", revisions)
    assert live.history == (live.last_sync,)


@pytest.mark.parametrize(
    ("recording", "resources"),
    [
        ("cronjob", (Resource("batch", "CronJob", "shop", "nightly-report"),)),
        ("deployment-service-configmap", (Resource("apps", "Deployment", "shop", "checkout"),)),
        (
            "multi-source",
            (
                Resource("apps", "Deployment", "shop", "checkout"),
                Resource("batch", "CronJob", "shop", "nightly-report"),
            ),
        ),
        ("presync-hook", ()),
    ],
)
def test_the_real_controllers_resources(recording: str, resources: tuple[Resource, ...]) -> None:
    """What can own pods is kept, ConfigMaps, Services and hooks that are ConfigMaps are not; nothing left is an empty list."""
    assert read_application(recorded_application(recording)).resources == resources


def test_the_real_controllers_other_facts() -> None:
    """Project, destination, creation, states and images are where the objects have them."""
    live = read_application(recorded_application("deployment-service-configmap"))

    assert live.project == "default"
    assert live.destination == Destination(server="https://kubernetes.default.svc", namespace="shop")
    assert live.created_at == at(8, 34, 1)
    assert (live.sync_status, live.health_status, live.images) == ("Synced", "Progressing", ())
    assert (live.deleting, live.application_set, live.parent, dict(live.labels)) == (False, "", None, {})


def test_a_sync_of_the_history_has_its_notifications_id() -> None:
    """The id comes from cluster, Application and finish in UTC seconds; the real webhook of this sync told 08:34:40."""
    live = read_application(recorded_application("deployment-service-configmap"))

    told = sync_id("prod", AppRef("argocd", "checkout"), datetime(2026, 11, 30, 8, 34, 40, tzinfo=UTC))
    assert sync_id("prod", live.application, live.history[0].finished_at) == told


def test_a_sample_with_labels_and_images() -> None:
    """Labels and images are kept; of six resources the Deployment can own pods."""
    live = read_application(sample_applications()["argocd:shop-web"])

    assert live.labels == {"env": "prod", "team": "shop"}
    assert live.images == (
        "123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop-web:2.41.0",
        "123456789012.dkr.ecr.eu-west-1.amazonaws.com/envoy-sidecar:1.31.2",
    )
    assert live.resources == (Resource("apps", "Deployment", "shop-prod", "shop-web"),)


def test_a_child_of_an_application_set() -> None:
    """Its owner is named."""
    assert read_application(sample_applications()["argocd:postgres-eu"]).application_set == "data-stores"


def test_operators_custom_resources_are_kept() -> None:
    """Pods may hide behind them; what only defines or permits something is left out."""
    live = read_application(sample_applications()["argocd:kube-prometheus-stack"])

    kinds = [resource.kind for resource in live.resources or ()]
    assert kinds == ["DaemonSet", "Deployment", "Deployment", "Deployment", "Alertmanager", "Prometheus"]


def test_a_running_operation_is_no_last_sync() -> None:
    """The history still tells the one before."""
    live = read_application(sample_applications()["team-b:web"])

    assert live.last_sync is None
    assert [sync.finished_at for sync in live.history] == [FINISHED]


def test_a_never_synced_application() -> None:
    """It was compared, so its resources are known, but nothing was ever synced."""
    live = read_application(sample_applications()["argocd:cluster-rbac"])

    assert (live.last_sync, live.history) == (None, ())
    assert live.resources == (Resource("scheduling.k8s.io", "PriorityClass", "", "batch-low"),)
    assert live.destination.namespace == ""


@pytest.mark.parametrize("phase", ["Running", "Failed", "Error", "Terminating", ""])
def test_only_a_success_counts(phase: str) -> None:
    """Any other phase is no sync."""
    assert read_application(application(status={"operationState": operation(phase=phase)})).last_sync is None


def test_a_dry_run_does_not_count() -> None:
    """It claims success and changes nothing."""
    state = operation(operation={"initiatedBy": {"username": "alice"}, "sync": {"dryRun": True}})

    assert read_application(application(status={"operationState": state})).last_sync is None


def test_an_operation_that_is_no_sync_does_not_count() -> None:
    """Without a sync part it did something else."""
    state = operation(operation={"initiatedBy": {"username": "alice"}})

    assert read_application(application(status={"operationState": state})).last_sync is None


def test_a_selective_sync_counts() -> None:
    """It changed some resources, though it leaves no entry in the history."""
    state = operation(operation={"sync": {"resources": [{"kind": "Deployment", "name": "web"}]}})
    live = read_application(application(status={"operationState": state}))

    assert live.last_sync is not None
    assert (live.last_sync.finished_at, live.last_sync.initiated_by, live.history) == (FINISHED, "", ())


def test_the_history_is_told_oldest_first() -> None:
    """Whatever the order in the object; an entry without a time is left out."""
    entries = [{"deployedAt": f"2026-08-{day}T10:00:00Z", "revision": day} for day in ("20", "18", "19")]
    live = read_application(application(status={"history": [*entries, {"revision": "x"}, "odd"]}))

    assert [sync.revision for sync in live.history] == ["18", "19", "20"]


def test_times_in_other_zones_are_utc() -> None:
    """One moment is one moment, to the second."""
    live = read_application(application(status={"history": [{"deployedAt": "2026-08-20T11:58:57.9+02:00"}]}))

    assert live.history[0].finished_at == FINISHED


@pytest.mark.parametrize(
    ("status", "resources"),
    [
        (None, None),
        ({}, None),
        ({"sync": {"status": "Unknown"}}, None),
        ({"sync": {"status": "Synced"}}, ()),
        ({"sync": {"status": "OutOfSync"}, "resources": []}, ()),
        ({"sync": {"status": "Unknown"}, "resources": [listed("Deployment", "web", group="apps")]}, ("web",)),
        ({"sync": {"status": "Synced"}, "resources": ["odd", {"kind": "Deployment"}]}, None),
    ],
)
def test_unknown_resources_are_not_none_of_them(
    status: dict[str, Any] | None, resources: tuple[str, ...] | None
) -> None:
    """An empty list is not stored: missing it means none after a comparison, and not known without one."""
    item = application() if status is None else application(status=status)
    found = read_application(item).resources

    assert (found if found is None else tuple(one.name for one in found)) == resources


def test_hooks_and_what_waits_for_pruning_count() -> None:
    """They cost money as long as they exist."""
    entries = [
        {**listed("Job", "migrate", group="batch"), "hook": True, "requiresPruning": True},
        {**listed("Deployment", "old", group="apps"), "requiresPruning": True},
    ]
    live = read_application(application(status={"resources": entries}))

    assert [resource.name for resource in live.resources or ()] == ["migrate", "old"]


def test_an_application_on_its_way_out() -> None:
    """A deletion timestamp means it is being deleted."""
    assert read_application(application(metadata={"deletionTimestamp": "2026-08-20T10:00:00Z"})).deleting


@pytest.mark.parametrize(
    ("destination", "expected"),
    [
        ({"name": "in-cluster", "namespace": "shop"}, Destination(name="in-cluster", namespace="shop")),
        ({"server": None, "namespace": 7}, Destination()),
        ({"server": "https://a\x00b"}, Destination(server="https://a\ufffdb")),
        (None, Destination()),
    ],
)
def test_odd_destinations_stay_readable(destination: object, expected: Destination) -> None:
    """What is no text is empty, and what PostgreSQL cannot hold is replaced."""
    assert read_application(application(spec={"destination": destination})).destination == expected


def test_a_long_field_is_cut_and_stops_nothing() -> None:
    """An Application is written by a tenant: an absurd destination costs only itself."""
    live = read_application(application(spec={"destination": {"server": "https://" + "x" * 9000}}))

    assert len(live.destination.server) == 2048


def test_an_empty_project_is_the_default() -> None:
    """Argo CD reads it so."""
    assert read_application(application(spec={"project": ""})).project == "default"


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({}, "metadata.name"),
        ([], "metadata.name"),
        (application(metadata={"creationTimestamp": "yesterday"}), "metadata.creationTimestamp"),
        (application(metadata={"creationTimestamp": "2026-08-20T10:00:00"}), "metadata.creationTimestamp"),
        (application(name="Web"), "metadata"),
        (application(namespace=""), "metadata"),
    ],
)
def test_what_no_api_server_lets_happen_is_an_error(item: object, field: str) -> None:
    """Without identity and age an Application cannot be told from another; the error names the field."""
    with pytest.raises(InvalidInput) as caught:
        read_application(item)

    assert caught.value.field == field
