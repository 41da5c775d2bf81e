"""The demo page: a static page, the list of applications it offers, and a button that posts a sync for one.

It stands where Argo CD's UI would, on the port of its extension proxy, and asks for costs through that proxy.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from local.controller import Controller
from local.demo.catalog import Catalog, CatalogError, OfferedApplication
from local.http_server import Headers, Request, Response
from local.proxy import ExtensionProxy

_FOLDER = Path(__file__).with_name("demo") / "page"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_FILES = {"/": "index.html", "/page.css": "page.css", "/page.js": "page.js"}
_OUR_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
_SAFE: Headers = (
    ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Answers on the page's port. `clock` gives the time a pushed sync is said to have finished."""

    proxy: ExtensionProxy
    catalog: Catalog
    controller: Controller
    clock: Callable[[], datetime]

    def respond(self, request: Request) -> Response:
        """Serve the page, its JSON, or the extension proxy.

        Raises:
            ConnectionError: what the proxy cuts.
        """
        # The demo session needs no login: a page elsewhere whose name resolves to us must not get one.
        if (request.values("host") or [""])[0].rpartition(":")[0] not in _OUR_HOSTS:
            return _json(403, {"error": "expected the host 127.0.0.1 or localhost"})
        path = request.target.partition("?")[0]
        if path in _FILES and request.method in ("GET", "HEAD"):
            return _file(_FOLDER / _FILES[path])
        if path.startswith("/demo/"):
            return self._demo(request, path)
        return self.proxy.respond(request)

    def _demo(self, request: Request, path: str) -> Response:
        try:
            if path == "/demo/applications" and request.method in ("GET", "HEAD"):
                return _json(200, [asdict(application) for application in self.catalog.applications()])
            if path == "/demo/sync" and request.method == "POST":
                return self._push(request)
        except CatalogError as error:
            return _json(503, {"error": str(error)})
        return _json(404, {"error": "expected GET /demo/applications or POST /demo/sync"})

    def _push(self, request: Request) -> Response:
        """Post a sync of the application that the body names, finished now."""
        # A form of another site cannot send this type, and asking first it is refused.
        if request.values("content-type") != ["application/json"]:
            return _json(415, {"error": "expected the content type application/json"})
        application = self._named(request.body)
        if application is None:
            return _json(404, {"error": "expected namespace and name of a listed application"})
        status, answer = self.controller.sync(application, self.clock())
        return _json(200, {"status": status, "answer": answer})

    def _named(self, body: bytes) -> OfferedApplication | None:
        try:
            wanted = json.loads(body)
        except ValueError:
            return None
        if not isinstance(wanted, dict):
            return None
        for application in self.catalog.applications():
            if (application.namespace, application.name) == (wanted.get("namespace"), wanted.get("name")):
                return application
        return None


def _file(path: Path) -> Response:
    headers = (("Content-Type", f"{_TYPES[path.suffix]}; charset=utf-8"), *_SAFE)
    return Response(status=200, headers=headers, body=path.read_bytes())


def _json(status: int, content: Any) -> Response:  # noqa: ANN401  any JSON value
    headers = (("Content-Type", "application/json"), *_SAFE)
    return Response(status=status, headers=headers, body=json.dumps(content).encode())
