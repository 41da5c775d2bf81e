"""Applications in any number, for measuring and for telling kinds of them apart: a known mix, in real objects' size."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

OBJECT_BYTES = 25_000
PER_HUNDRED = {
    "by-server": 60,
    "by-name": 12,
    "with-slash": 3,
    "with-port": 3,
    "no-resources-yet": 4,
    "app-of-apps": 2,
    "resources-elsewhere": 2,
    "cluster-scoped": 2,
    "other-server": 6,
    "other-name": 4,
    "alike-server": 1,
    "server-and-other-name": 1,
}
"""How many of each variant a hundred Applications hold; an object's label `variant` names its own."""
_OWN = "https://kubernetes.default.svc"
_DESTINATIONS = {
    "by-name": {"name": "in-cluster"},
    "with-slash": {"server": f"{_OWN}/"},
    "with-port": {"server": f"{_OWN}:443"},
    "other-server": {"server": "https://A1B2C3.gr7.eu-central-1.eks.amazonaws.com"},
    "other-name": {"name": "us-east-1-prod"},
    "alike-server": {"server": "https://kubernetes.default.svc.example.com"},
    "server-and-other-name": {"server": _OWN, "name": "us-east-1-prod"},
}
_VARIANTS = tuple(variant for variant, count in PER_HUNDRED.items() for _ in range(count))
_NAMESPACES = 400
_WORKLOADS = 6
_OTHERS = 18
_HISTORY = 10


def generated_applications(count: int, *, object_bytes: int = OBJECT_BYTES) -> Iterator[dict[str, Any]]:
    """Make `count` Applications of about that size each (0: as small as they are); every hundred holds the same mix."""
    for number in range(count):
        item = _application(number, _VARIANTS[number * 37 % 100])
        if object_bytes:
            missing = object_bytes - len(json.dumps(item, separators=(",", ":")))
            item["metadata"]["managedFields"] = [_managed_fields(max(0, missing - 120) // 19)]
        yield item


@lru_cache
def _managed_fields(count: int) -> dict[str, Any]:
    """Make what fills real objects: who manages which field, as a tree of empty maps."""
    fields: dict[str, Any] = {f"f:field-{number:05d}": {} for number in range(count)}
    return {"fieldsType": "FieldsV1", "fieldsV1": fields, "manager": "argocd-application-controller"}


def _application(number: int, variant: str) -> dict[str, Any]:
    namespace = f"team-{number % _NAMESPACES:04d}"
    is_bare = variant in {"resources-elsewhere", "cluster-scoped"}
    destination = {**_DESTINATIONS.get(variant, {"server": _OWN}), **({} if is_bare else {"namespace": namespace})}
    item: dict[str, Any] = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "creationTimestamp": f"2026-0{1 + number % 9}-11T08:12:30Z",
            "labels": {"team": namespace, "variant": variant},
            "name": f"app-{number:05d}",
            "namespace": f"apps-{number % 3}",
            "uid": f"00000000-0000-4000-8000-{number:012d}",
        },
        "spec": {"destination": destination, "project": f"project-{number % 20}", "source": _source(number)},
    }
    if variant != "no-resources-yet":
        item["status"] = _status(number, variant, namespace)
    return item


def _status(number: int, variant: str, namespace: str) -> dict[str, Any]:
    last = _moment(_HISTORY - 1)
    return {
        "health": {"status": "Healthy"},
        "history": [
            {
                "deployStartedAt": _moment(entry, seconds=10),
                "deployedAt": _moment(entry),
                "id": entry,
                "initiatedBy": {"automated": True},
                "revision": f"{number * 100 + entry:040x}",
                "source": _source(number),
            }
            for entry in range(_HISTORY)
        ],
        "operationState": {
            "finishedAt": last,
            "operation": {"initiatedBy": {"automated": True}, "sync": {"prune": True}},
            "phase": "Succeeded",
            "startedAt": _moment(_HISTORY - 1, seconds=10),
            "syncResult": {"resources": [], "revision": f"{number * 100 + _HISTORY - 1:040x}"},
        },
        "resources": _resources(number, variant, namespace),
        "summary": {"images": [f"registry.example.com/app-{number}/{part}:1.0.0" for part in range(3)]},
        "sync": {"revision": f"{number * 100 + _HISTORY - 1:040x}", "status": "Synced"},
    }


def _resources(number: int, variant: str, namespace: str) -> list[dict[str, str]]:
    """List a few workloads among many objects without pods, or what the variant has instead."""
    if variant == "cluster-scoped":
        return [
            {"group": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"viewer-{number}", "version": "v1"}
        ]
    if variant == "app-of-apps":
        children = (f"app-{number + step:05d}" for step in (3, 6))
        return [
            {"group": "argoproj.io", "kind": "Application", "namespace": f"apps-{number % 3}", "name": name}
            for name in children
        ]
    common = {"namespace": namespace, "status": "Synced", "version": "v1"}
    workloads = [
        {"group": "apps", "kind": "Deployment", "name": f"app-{number}-{part}", **common} for part in range(_WORKLOADS)
    ]
    return [{"kind": "ConfigMap", "name": f"settings-{part}", **common} for part in range(_OTHERS)] + workloads


def _source(number: int) -> dict[str, str]:
    return {
        "path": f"apps/app-{number}/overlays/prod",
        "repoURL": "https://git.example.com/platform/deploy.git",
        "targetRevision": "main",
    }


def _moment(entry: int, *, seconds: int = 40) -> str:
    return f"2026-11-{10 + entry:02d}T10:00:{seconds:02d}Z"
