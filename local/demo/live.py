"""What the demo's Kubernetes API has: Applications as Argo CD's controller keeps them, namespaces, autoscalers."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any

from local.demo.application import DemoApplication, DemoResource, DemoSync
from local.demo.autoscalers import horizontal_autoscalers, vertical_autoscalers
from local.demo.more import APPLICATION_SETS, APPLICATIONS, NAMESPACE_TEAMS
from local.demo.objects import Object, metadata, rfc3339
from local.demo.planned import application_of

ACCESS_APPLICATION = "argocd:cost-intel-access"
"""The Application that opens the cluster's pages to whoever may see it; it is never measured."""
ACCESS_LABEL = "cost-intel/cluster-access"
_SYNC_DURATION = timedelta(seconds=20)
_HISTORY_COUNT = 10
_OLD = timedelta(days=400)
_BARE_NAMESPACES = ("argocd", "cost-intel", "default", "opencost", "team-a", "team-b")
_SET_OF = {child: name for name, children in APPLICATION_SETS.items() for child in children}


def live_objects(now: datetime) -> dict[str, list[Object]]:
    """Lay out the objects by resource; like the rest of the demo they depend on `now` alone."""
    applications = [application_of(plan, now) for plan in APPLICATIONS]
    return {
        "applications": [*map(application_object, applications), access_application(now)],
        "namespaces": list(_namespaces(applications, now)),
        "verticalpodautoscalers": vertical_autoscalers(now),
        "horizontalpodautoscalers": horizontal_autoscalers(now),
    }


def application_object(application: DemoApplication) -> Object:
    """Make the object of an Application; one whose notifications carry no resources could not be compared lately."""
    item = _application(application)
    is_compared = application.resources is not None
    item["status"] = {
        "controllerNamespace": "argocd",
        "health": {"status": "Healthy" if is_compared else "Unknown"},
        "history": [],
        "reconciledAt": rfc3339(application.syncs[-1].finished_at),
        "resourceHealthSource": "appTree",
        "summary": {"images": list(application.images)} if application.images else {},
        "sync": {"status": "Synced" if is_compared else "Unknown", "revision": application.revision},
    }
    if application.resources:
        item["status"]["resources"] = [_listed(resource) for resource in application.resources]
    for sync in application.syncs:
        item = after_sync(item, sync, started_at=sync.finished_at - _SYNC_DURATION)
    return item


def after_sync(item: Mapping[str, Any], sync: DemoSync, *, started_at: datetime) -> Object:
    """Give an Application as it is after one more successful sync: its last operation, and an entry of its history."""
    synced: Object = deepcopy(dict(item))
    status = synced["status"]
    times = {"startedAt": rfc3339(started_at), "finishedAt": rfc3339(sync.finished_at)}
    initiated_by = {"automated": True}
    status["operationState"] = {
        **times,
        "message": "successfully synced (all tasks run)",
        "operation": {"initiatedBy": initiated_by, "sync": {"prune": True, "revision": sync.revision}},
        "phase": "Succeeded",
        "syncResult": {"resources": [], "revision": sync.revision, "source": synced["spec"]["source"]},
    }
    entry = {
        "deployStartedAt": times["startedAt"],
        "deployedAt": times["finishedAt"],
        "id": len(status["history"]),
        "initiatedBy": initiated_by,
        "revision": sync.revision,
        "source": synced["spec"]["source"],
    }
    status["history"] = [*status["history"], entry][-_HISTORY_COUNT:]
    status["sync"]["revision"] = sync.revision
    return synced


def access_application(now: datetime) -> Object:
    """Make the access Application: an empty chart, no resources, no pods."""
    namespace, name = ACCESS_APPLICATION.split(":")
    made = DemoApplication(
        namespace=namespace,
        name=name,
        project="cost-intel",
        destination_server="https://kubernetes.default.svc",
        destination_name="",
        destination_namespace="cost-intel",
        created_at=now - _OLD,
        resources=(),
        images=(),
        syncs=(DemoSync(revision="1.0.0", finished_at=now - _OLD),),
    )
    item = application_object(made)
    item["metadata"]["labels"] = {ACCESS_LABEL: "true"}
    return item


def _application(application: DemoApplication) -> Object:
    destination = {
        "name": application.destination_name,
        "server": application.destination_server,
        "namespace": application.destination_namespace,
    }
    about = metadata(application.namespace, application.name, application.created_at)
    if team := NAMESPACE_TEAMS.get(application.destination_namespace):
        about["labels"] = {"team": team}
    if owner := _SET_OF.get(application.name):
        about["ownerReferences"] = [
            {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "name": owner, "controller": True}
        ]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": about,
        "spec": {
            "destination": {field: value for field, value in destination.items() if value},
            "project": application.project,
            "source": {
                "path": f"apps/{application.name}",
                "repoURL": "https://git.example.com/platform/deploy.git",
                "targetRevision": "main",
            },
        },
    }


def _listed(resource: DemoResource) -> dict[str, str]:
    """Write a managed resource as Argo CD does: the core group is left out."""
    fields = {"group": resource.group, "kind": resource.kind, "namespace": resource.namespace, "name": resource.name}
    return {**{field: value for field, value in fields.items() if value}, "status": "Synced", "version": "v1"}


def _namespaces(applications: list[DemoApplication], now: datetime) -> Iterator[Object]:
    """Give every namespace of the cluster; one that holds only young Applications is as old as the oldest of them."""
    for name in sorted({*NAMESPACE_TEAMS, *_BARE_NAMESPACES}):
        ages = [one.created_at for one in applications if one.destination_namespace == name and not one.is_remote]
        about = metadata("", name, min(ages, default=now - _OLD))
        labels = {"kubernetes.io/metadata.name": name, "team": NAMESPACE_TEAMS.get(name, "")}
        about["labels"] = {label: value for label, value in labels.items() if value}
        yield {"metadata": about, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
