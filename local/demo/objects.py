"""What all Kubernetes objects of the demo have in common."""

import uuid
from datetime import datetime
from typing import Any

Object = dict[str, Any]


def metadata(namespace: str, name: str, created_at: datetime) -> Object:
    """Make an object's metadata; outside any namespace with an empty one."""
    about = {
        "name": name,
        "namespace": namespace,
        "creationTimestamp": rfc3339(created_at),
        "uid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{namespace}/{name}")),
    }
    return {field: value for field, value in about.items() if value}


def rfc3339(moment: datetime) -> str:
    """Write a moment as Kubernetes does."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
