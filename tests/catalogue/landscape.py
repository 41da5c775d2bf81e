"""A small cluster of containers and Applications: one day, all of it observed."""

from datetime import UTC, datetime, timedelta
from typing import Any

from costintel.cost.application import AppRef, Destination
from costintel.cost.collection import LiveHeader
from costintel.cost.container import ContainerCost
from costintel.cost.live import LiveApplication
from costintel.cost.ownership import Resource
from costintel.cost.sync import Sync
from costintel.cost.window import HOUR, Window
from costintel.cost.workload import Row, Workload, workloads
from costintel.measurement.catalogue import Ages, Catalogue, make_catalogue
from costintel.measurement.subject import Subject, SubjectState

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = Window(NOON - 24 * HOUR, NOON)
WEB = AppRef("argocd", "web")
REMOTE = Destination(server="https://other.example.com", namespace="shop")
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
IN_CLUSTER = "https://kubernetes.default.svc"
NO_AGES = Ages(created_at={}, cost_before=frozenset())


def header(*, hours: int = 24, end: datetime = NOON) -> LiveHeader:
    """Return the header of a fold of which the last `hours` hours were observed."""
    observed = tuple(Window(end - back * HOUR, end - (back - 1) * HOUR) for back in range(hours, 0, -1))
    return LiveHeader(window=Window(end - 24 * HOUR, end), observed=observed, folded_at=end + timedelta(minutes=11))


def container(namespace: str, controller: str, cpu: float = 1.0, **changes: Any) -> ContainerCost:
    """Return a container of a Deployment that ran all day: 24 core-hours requested and half of them used."""
    usual: dict[str, Any] = {
        "namespace": namespace,
        "pod": f"{controller}-7d9f8c6b5d-abcde",
        "container": "main",
        "node": "node-1",
        "controller_kind": "deployment",
        "controller": controller,
        "start": int(DAY.start.timestamp()),
        "end": int(DAY.end.timestamp()),
        "running_hours": 24.0,
        "cpu_cost": cpu,
        "ram_cost": 0.0,
        "gpu_cost": 0.0,
        "storage_cost": 0.0,
        "network_cost": 0.0,
        "load_balancer_cost": 0.0,
        "cpu_core_hours": 24.0,
        "ram_byte_hours": 0.0,
        "gpu_hours": 0.0,
        "cpu_core_hours_requested": 24.0,
        "ram_byte_hours_requested": 0.0,
        "cpu_core_hours_used": 12.0,
        "ram_byte_hours_used": 0.0,
        "idle_cpu_cost": cpu / 2,
        "idle_ram_cost": 0.0,
        "idle_complete": True,
    }
    return ContainerCost(**{**usual, **changes})


def volume(namespace: str, cost: float) -> ContainerCost:
    """Return a namespace's volumes that nothing mounts."""
    return container(
        namespace,
        "",
        0.0,
        pod="__unmounted__",
        container="__unmounted__",
        controller_kind="",
        running_hours=0.0,
        storage_cost=cost,
        cpu_core_hours_requested=0.0,
        cpu_core_hours_used=0.0,
    )


def deployment(name: str, namespace: str = "") -> Resource:
    return Resource("apps", "Deployment", namespace, name)


def subject(name: str, namespace: str = "shop", *resources: Resource, **changes: Any) -> Subject:
    """Return an old, measured Application that lists `resources`; a whole namespace with `resources=None`."""
    usual: dict[str, Any] = {
        "application": AppRef("argocd", name),
        "project": "default",
        "destination": Destination(server=IN_CLUSTER, namespace=namespace),
        "resources": [(one.group, one.kind, one.namespace, one.name) for one in resources],
        "created_at": LONG_AGO,
        "first_recorded_at": None,
        "labels": {},
        "application_set": "",
        "parent": None,
        "last_sync": None,
        "state": SubjectState.MEASURED,
        "has_record": True,
        "is_here": True,
    }
    return Subject(**{**usual, **changes})


def added_up(*rows: ContainerCost) -> list[Workload]:
    namespaces: dict[str, list[Row]] = {}
    for row in rows:
        namespaces.setdefault(row.namespace, []).append(row[1:])
    return [workload for name, listed in namespaces.items() for workload in workloads(name, listed)]


def catalogue(
    rows: list[ContainerCost], subjects: list[Subject], *, of: LiveHeader | None = None, ages: Ages = NO_AGES
) -> Catalogue:
    return make_catalogue(of or header(), added_up(*rows), subjects, ages=ages, basis_hours=720)


def live(**changes: Any) -> LiveApplication:
    usual: dict[str, Any] = {
        "application": WEB,
        "project": "shop",
        "destination": Destination(server=IN_CLUSTER, namespace="shop"),
        "created_at": LONG_AGO,
        "labels": {"team": "blue"},
        "deleting": False,
        "resources": (deployment("web"),),
        "last_sync": None,
        "history": (),
        "sync_status": "Synced",
        "health_status": "Healthy",
        "images": (),
        "application_set": "shops",
        "parent": AppRef("argocd", "all"),
    }
    return LiveApplication(**{**usual, **changes})


def sync(**changes: Any) -> Sync:
    usual: dict[str, Any] = {
        "id": "1",
        "application": WEB,
        "project": "new",
        "destination": Destination(server=IN_CLUSTER, namespace="new"),
        "resources": (deployment("new"),),
        "resources_omitted": False,
        "finished_at": NOON,
        "finished_at_known": True,
        "started_at": None,
        "created_at": None,
        "revision": "2",
        "revisions": (),
        "sync_status": "",
        "health_status": "",
        "initiated_by": "",
        "images": (),
        "received_at": NOON,
    }
    return Sync(**{**usual, **changes})
