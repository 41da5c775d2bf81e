"""The API server's service proxy: what it passes on, and how it words what is wrong on the way."""

import http.client
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

from local.standin_kubernetes.answer import Answer, status_answer
from local.standin_kubernetes.resource import ProxyPath

_PIECE_BYTES = 64 * 1024
_KEPT_BACK = frozenset({"authorization", "proxy-authorization", "connection", "host", "content-length"})
_UPSTREAM_SECONDS = 600.0


class Upstream:
    """An answer of the service, still being received. `length` is None when it does not tell."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.content_type = response.getheader("Content-Type") or ""
        length = response.getheader("Content-Length") or ""
        self.length = int(length) if length.isdigit() else None
        self.headers = {"Audit-Id": str(uuid.uuid4()), "Cache-Control": "no-cache, private"}

    def pieces(self) -> Iterator[bytes]:
        """Give the body as it arrives. Raises ConnectionError when the service breaks off."""
        try:
            while piece := self._response.read1(_PIECE_BYTES):
                yield piece
        except (http.client.HTTPException, OSError) as error:
            raise ConnectionError("the service broke off") from error
        if self._response.length:
            raise ConnectionError("the service broke off")


class ServiceProxy:
    """Passes requests on to services, given as `namespace/name` with a base URL each; an empty URL is one without pods."""

    def __init__(self, services: Mapping[str, str]) -> None:
        self._services = services

    def refusal(self, path: ProxyPath, query: str, target: str) -> Answer | None:
        """Answer what is never passed on."""
        if not path.rest:
            return Answer(status=301, headers={"Location": f"{target}/"})
        if "dryRun" in query:
            return status_answer(400, 'the dryRun parameter is not supported for "get" through a proxy')
        url = self._services.get(f"{path.namespace}/{path.service}")
        if url is None:
            return status_answer(404, f'services "{path.service}" not found')
        if not url:
            return status_answer(503, f'no endpoints available for service "{path.segment}"')
        return None

    @contextmanager
    def asked(self, path: ProxyPath, query: str, headers: Mapping[str, str]) -> Iterator[Upstream | Answer]:
        """Ask the service, and give its answer; a Status when it cannot be reached."""
        base = urlsplit(self._services[f"{path.namespace}/{path.service}"])
        with closing(http.client.HTTPConnection(base.netloc, timeout=_UPSTREAM_SECONDS)) as connection:
            try:
                connection.request(
                    "GET", f"{base.path}{path.rest}{'?' if query else ''}{query}", headers=_passed(headers)
                )
                answer: Upstream | Answer = Upstream(connection.getresponse())
            except (OSError, http.client.HTTPException):
                answer = status_answer(
                    503, f"error trying to reach service: dial tcp {base.netloc}: connect: connection refused"
                )
            yield answer


def _passed(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers the service sees: all but the caller's credentials, and where they came from."""
    passed = {name: value for name, value in headers.items() if name.lower() not in _KEPT_BACK}
    return {**passed, "X-Forwarded-For": "127.0.0.1"}
