"""Argo CD's notifications controller on one machine: posts a sync's notification to the webhook."""

import contextlib
import http.client
import json
from dataclasses import dataclass
from typing import Any

ON_SYNC = "/api/cost-analysis/on-sync"
_SECONDS = 35.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """The webhook behind a gateway port on loopback, and its token."""

    port: int
    token: str

    def push(self, notification: bytes) -> tuple[int, Any]:
        """Post one notification; give the status and the answer's JSON (`None` if it is none).

        Raises:
            OSError: the gateway does not answer.
        """
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        with contextlib.closing(connection):
            connection.request("POST", ON_SYNC, notification, headers)
            response = connection.getresponse()
            body = response.read()
        try:
            return response.status, json.loads(body)
        except ValueError:
            return response.status, None
