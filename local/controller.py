"""Argo CD's controllers on one machine: a sync changes the Application's object, then its notification is posted."""

import contextlib
import http.client
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from local.demo.catalog import Catalog, OfferedApplication
from local.webhook import Webhook

_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """Syncs the catalog's applications. `kubernetes_port` is the API server stand-in's, None where there is none of ours."""

    catalog: Catalog
    webhook: Webhook
    kubernetes_port: int | None

    def sync(self, application: OfferedApplication, finished_at: datetime) -> tuple[int, Any]:
        """Let a sync of the application finish then; give the webhook's status and answer.

        Raises:
            CatalogError, OSError: one of them does not answer.
        """
        item = self.catalog.synced(application, finished_at)
        if item is not None and self.kubernetes_port is not None:
            _put(self.kubernetes_port, item)
        return self.webhook.push(self.catalog.notification(application, finished_at))


def _put(port: int, item: dict[str, Any]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    with contextlib.closing(connection):
        connection.request("PUT", "/_objects/applications", json.dumps(item))
        connection.getresponse().read()
