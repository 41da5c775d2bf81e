"""Kubernetes objects as the tests need them, and the samples."""

import json
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[1] / "samples"
CREATED = "2026-08-01T09:00:00Z"


def application(name: str = "web", namespace: str = "argocd", **parts: Any) -> dict[str, Any]:
    """Make a small Application; `parts` replace `metadata` (merged), `spec` and `status`."""
    metadata = {"name": name, "namespace": namespace, "creationTimestamp": CREATED, **parts.pop("metadata", {})}
    spec = {"destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"}, "project": "shop"}
    return {"metadata": metadata, "spec": spec, **parts}


def listed(kind: str, name: str, *, group: str = "", namespace: str = "shop") -> dict[str, str]:
    """Make an entry of `status.resources`."""
    fields = {"group": group, "kind": kind, "namespace": namespace, "name": name, "status": "Synced"}
    return {field: value for field, value in fields.items() if value}


def namespace_object(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "creationTimestamp": CREATED, "labels": {"team": name}}}


def sample_applications() -> dict[str, dict[str, Any]]:
    """Give the sample's Applications by `namespace:name`."""
    items = json.loads((SAMPLES / "argocd/applications.json").read_bytes())["items"]
    return {f"{one['metadata']['namespace']}:{one['metadata']['name']}": one for one in items}


def recorded_application(name: str) -> dict[str, Any]:
    """Give an Application as a real controller left it."""
    found: dict[str, Any] = json.loads(
        (SAMPLES / f"argocd-recorded/applications-real-controller/{name}.json").read_bytes()
    )
    return found
