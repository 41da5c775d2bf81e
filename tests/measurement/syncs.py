"""Syncs for the tests: of `shop-web`, which deploys `web` into `shop`, finished at 12:20 unless told otherwise."""

from datetime import UTC, datetime, timedelta
from typing import Any

from costintel.argocd.message import sync_message
from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.cost.sync import Sync, sync_id
from costintel.measurement.intake import Received
from tests.collection.engine import CLUSTER, NOW, Engine

FINISHED = datetime(2026, 11, 30, 12, 20, tzinfo=UTC)
"""Early are the 24 hours to 12:00, settled those from 13:00."""
SETTLED_FROM = datetime(2026, 11, 30, 13, tzinfo=UTC)
SETTLES_AT = SETTLED_FROM + timedelta(hours=24, minutes=10)
LONG_AGO = datetime(2026, 6, 1, tzinfo=UTC)
WEB = Resource("apps", "Deployment", "shop", "web")


def a_sync(name: str = "shop-web", *, app_namespace: str = "argocd", **changes: Any) -> Sync:
    """Make a sync of the application `name`, with whatever is to be different."""
    finished_at = changes.get("finished_at", FINISHED)
    application = AppRef(app_namespace, name)
    base: dict[str, Any] = {
        "id": sync_id(CLUSTER, application, finished_at),
        "application": application,
        "project": "default",
        "destination": Destination(server="https://kubernetes.default.svc", namespace="shop"),
        "resources": (WEB,),
        "resources_omitted": False,
        "finished_at": finished_at,
        "finished_at_known": True,
        "started_at": finished_at - timedelta(seconds=20),
        "created_at": LONG_AGO,
        "revision": "9f1c2d3",
        "revisions": (),
        "sync_status": "Synced",
        "health_status": "Healthy",
        "initiated_by": "alice",
        "images": ("web:1.0",),
        "received_at": finished_at + timedelta(seconds=5),
    }
    return Sync(**(base | changes))


def into(namespace: str) -> Destination:
    """Name a namespace of this cluster."""
    return Destination(server="https://kubernetes.default.svc", namespace=namespace)


def deployment(name: str, namespace: str = "") -> Resource:
    return Resource("apps", "Deployment", namespace, name)


def send(engine: Engine, *syncs: Sync, now: datetime = NOW) -> Received:
    """Put the syncs' messages through the intake, one batch."""
    bodies = {f"message-{number}": sync_message(sync) for number, sync in enumerate(syncs)}
    return engine.measuring.receive(bodies, now=now)


def sync_into(name: str, namespace: str, **changes: Any) -> Sync:
    """Make a sync of `name`, which deploys `web` into `namespace`."""
    return a_sync(name, destination=into(namespace), resources=(deployment("web"),), **changes)
