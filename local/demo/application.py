"""The demo's Argo CD Applications, and the notification Argo CD sends when one was synced."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

IN_CLUSTER = "https://kubernetes.default.svc"
_REGISTRY = "123456789012.dkr.ecr.eu-west-1.amazonaws.com"

# Dropped by the notification's template: they never own pods.
_WITHOUT_PODS = frozenset(
    {
        "ConfigMap",
        "Secret",
        "Service",
        "ServiceAccount",
        "Ingress",
        "NetworkPolicy",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "PodDisruptionBudget",
        "HorizontalPodAutoscaler",
        "PersistentVolumeClaim",
        "Namespace",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResource:
    """A managed root object of an Application; `group` is "" in the core group."""

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSync:
    """A sync that was: its revision and when it finished."""

    revision: str
    finished_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoApplication:
    """An Argo CD Application of the demo. `namespace` is its own, not where it deploys.

    One of `destination_server` and `destination_name` is set. `resources` is None when its notifications carry none.
    `syncs` are those of the demo's past, oldest first; the first is its creation.
    """

    namespace: str
    name: str
    project: str
    destination_server: str
    destination_name: str
    destination_namespace: str
    created_at: datetime
    resources: tuple[DemoResource, ...] | None
    images: tuple[str, ...]
    syncs: tuple[DemoSync, ...]

    @property
    def revision(self) -> str:
        """The revision that is live."""
        return self.syncs[-1].revision

    @property
    def is_remote(self) -> bool:
        """Whether it deploys to another cluster."""
        return self.destination_server != IN_CLUSTER and self.destination_name != "in-cluster"


def demo_revision(application: str, number: int) -> str:
    """Make the Git revision of an Application's sync: 40 hexadecimal digits, the same in every run."""
    return hashlib.sha1(f"{application}#{number}".encode(), usedforsecurity=False).hexdigest()


def image_of(workload: str, container: str) -> str:
    """Name a container's image."""
    return f"{_REGISTRY}/{workload}/{container}:1.0.0"


def sync_payload(
    application: DemoApplication, started_at: datetime, finished_at: datetime, revision: str
) -> dict[str, Any]:
    """Render the body of the webhook that tells of a successful sync, as the shipped notification template does.

    Keys are sorted; resources that never own pods are left out; without `resources` the key is absent.
    """
    payload: dict[str, Any] = {
        "application": application.name,
        "applicationNamespace": application.namespace,
        "createdAt": _rfc3339(application.created_at),
        "destinationName": application.destination_name,
        "destinationServer": application.destination_server,
        "healthStatus": "Healthy",
        "images": list(application.images),
        "initiatedBy": "automated",
        "namespace": application.destination_namespace,
        "project": application.project,
        "resources": [_picked(r) for r in application.resources or () if r.kind not in _WITHOUT_PODS],
        "revision": revision,
        "revisions": [],
        "schemaVersion": 1,
        "syncFinishedAt": _rfc3339(finished_at),
        "syncMessage": "successfully synced (all tasks run)",
        "syncResult": "Succeeded",
        "syncStartedAt": _rfc3339(started_at),
        "syncStatus": "Synced",
    }
    if application.resources is None:
        del payload["resources"]
    return payload


def _picked(resource: DemoResource) -> dict[str, str]:
    fields = {
        "group": resource.group,
        "kind": resource.kind,
        "name": resource.name,
        "namespace": resource.namespace,
    }
    return {name: value for name, value in fields.items() if value}


def _rfc3339(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
