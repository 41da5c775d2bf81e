"""Asks `/actual` as the browser does: through Argo CD's extension proxy."""

import contextlib
import http.client
import json
from dataclasses import dataclass
from typing import Any

from local.demo.catalog import OfferedApplication
from local.proxy import EXTENSION

_SECONDS = 35.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ActualAnswer:
    """An HTTP status and the document that came with it; empty when it was not a JSON object."""

    status: int
    document: dict[str, Any]


def ask_actual(page_port: int, application: OfferedApplication) -> ActualAnswer:
    """Ask for an application's costs.

    Raises:
        OSError: the proxy does not answer.
    """
    headers = {
        "Argocd-Application-Name": f"{application.namespace}:{application.name}",
        "Argocd-Project-Name": application.project,
    }
    connection = http.client.HTTPConnection("127.0.0.1", page_port, timeout=_SECONDS)
    with contextlib.closing(connection):
        connection.request(
            "GET", f"/extensions/{EXTENSION}/api/cost-analysis/{application.name}/actual", headers=headers
        )
        response = connection.getresponse()
        body = response.read()
    try:
        document = json.loads(body)
    except ValueError:
        document = {}
    return ActualAnswer(status=response.status, document=document if isinstance(document, dict) else {})
