"""The body of a notification, as the shipped template renders it."""

import json
from typing import Any

SHOP_WEB: dict[str, Any] = {
    "schemaVersion": 1,
    "createdAt": "2026-01-05T07:00:00Z",
    "application": "shop-web",
    "applicationNamespace": "argocd",
    "project": "shop",
    "namespace": "shop-prod",
    "destinationServer": "https://kubernetes.default.svc",
    "destinationName": "",
    "syncResult": "Succeeded",
    "syncMessage": "successfully synced (all tasks run)",
    "syncStartedAt": "2026-08-20T09:58:41Z",
    "syncFinishedAt": "2026-08-20T09:58:57Z",
    "revision": "a50126cc2d6c726de0ca203c3b659f658d356173",
    "revisions": [],
    "syncStatus": "Synced",
    "healthStatus": "Healthy",
    "initiatedBy": "alice@example.com",
    "images": ["registry.example.com/shop-web:2.41.0"],
    "resources": [{"group": "apps", "kind": "Deployment", "namespace": "shop-prod", "name": "shop-web"}],
}


def body(**changes: Any) -> bytes:
    """Return the body with some fields changed."""
    return json.dumps({**SHOP_WEB, **changes}).encode()


def body_without(*fields: str) -> bytes:
    """Return the body without some fields."""
    return json.dumps({name: value for name, value in SHOP_WEB.items() if name not in fields}).encode()
