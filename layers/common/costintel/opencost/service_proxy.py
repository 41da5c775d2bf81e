"""OpenCost through the Kubernetes API server's service proxy: no load balancer, IAM authentication, RBAC on one service.

The proxy passes OpenCost's answers on unchanged, whatever their status. What the API server itself says has `kind: Status` in
its body, and only that tells the two apart.
"""

import json
import re
from collections.abc import Generator
from typing import Final, Protocol

import httpx

from costintel.errors import OpenCostRefused
from costintel.opencost.transport import Transport

NAMESPACE: Final = "opencost"
SERVICE: Final = "http:opencost:9003"
"""Scheme, service and port as they stand in the path; RBAC's `resourceNames` must hold just these letters."""
_PATH: Final = re.compile(r"/api/v1/namespaces/([^/]+)/services/([^/]+)/proxy(?:/.*)?")
_STATUS_BYTES: Final = 64 * 1024


class Tokens(Protocol):
    """Gives the API server's bearer token."""

    def token(self) -> str:
        """Return a token that is good now."""
        ...

    def renew(self) -> None:
        """Hear that the token was not accepted."""
        ...


def service_proxy_url(endpoint: str, *, namespace: str = NAMESPACE, service: str = SERVICE) -> str:
    """Return OpenCost's base URL behind an API server's address."""
    return f"{endpoint.rstrip('/')}/api/v1/namespaces/{namespace}/services/{service}/proxy"


def is_service_proxy(base_url: str) -> bool:
    """Whether a base URL leads through a service proxy; Kubecost's `/model` may follow."""
    return _PATH.fullmatch(httpx.URL(base_url).path) is not None


class ServiceProxyTransport(Transport):
    """GETs routes of an OpenCost through the service proxy, with a token for every request.

    `base_url` is one that `is_service_proxy` knows. Nothing limits the proxy's time but our own deadline.
    """

    def __init__(self, base_url: str, *, tokens: Tokens, ca_file: str = "") -> None:
        super().__init__(base_url, ca_file=ca_file)
        self._client.auth = _BearerPerRequest(tokens)
        self._client.event_hooks = {"response": [_refuse_for_the_api_server]}


class _BearerPerRequest(httpx.Auth):
    """Puts a token into each request; one that is not accepted is renewed once."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send the request, and again with a new token after a 401. Raises OpenCostRefused for the second one."""
        request.headers["Authorization"] = f"Bearer {self._tokens.token()}"
        response = yield request
        if response.status_code != httpx.codes.UNAUTHORIZED:
            return
        self._tokens.renew()
        request.headers["Authorization"] = f"Bearer {self._tokens.token()}"
        response = yield request
        if response.status_code == httpx.codes.UNAUTHORIZED:
            raise OpenCostRefused(
                "the API server did not accept the token (401); is there an access entry for the function's role?"
            )


def _refuse_for_the_api_server(response: httpx.Response) -> None:
    """Raise OpenCostRefused for a failure that the API server tells; OpenCost's own answers pass. A 401 is the token's matter."""
    if response.status_code in {httpx.codes.OK, httpx.codes.UNAUTHORIZED} or not _may_be_status(response):
        return
    response.read()
    try:
        body = json.loads(response.content)
    except (ValueError, RecursionError):
        return
    if isinstance(body, dict) and body.get("kind") == "Status":
        raise OpenCostRefused(_reason(response.status_code, str(body.get("message")), response.request.url.path))


def _may_be_status(response: httpx.Response) -> bool:
    """Whether a body is worth reading: the API server sends its own in one small piece of JSON."""
    length = response.headers.get("Content-Length", "")
    is_json = response.headers.get("Content-Type", "").startswith("application/json")
    return is_json and length.isdigit() and int(length) <= _STATUS_BYTES


def _reason(status: int, message: str, path: str) -> str:
    """Return what is wrong in our own words: the API server's name users, and pods by their addresses."""
    match = _PATH.fullmatch(path)
    namespace, service = (match[1], match[2]) if match else ("", "")
    if status == httpx.codes.FORBIDDEN:
        rule = f'{{apiGroups: [""], resources: [services/proxy], resourceNames: ["{service}"], verbs: [get]}}'
        return f"the API server forbids it (403); a Role in {namespace} needs the rule {rule}"
    if status == httpx.codes.NOT_FOUND:
        return f"the API server knows no service {service} in the namespace {namespace} (404)"
    if message.startswith("no endpoints available"):
        return f"no pod behind the service {service} is ready ({status})"
    if message.startswith("error trying to reach service"):
        return f"the API server cannot reach the pod behind the service {service} ({status})"
    return f"the API server answered {status}"
