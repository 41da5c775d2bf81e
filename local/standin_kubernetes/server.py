"""A stand-in for the Kubernetes API server: lists with pages that expire, RBAC, and the service proxy, on 127.0.0.1."""

import ssl
from collections.abc import Mapping
from threading import Event, Thread
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from local.standin_kubernetes.access import Access
from local.standin_kubernetes.answer import Answer, status_answer, unknown_path
from local.standin_kubernetes.calls import Calls
from local.standin_kubernetes.control import Control
from local.standin_kubernetes.fault import Fault, Faults
from local.standin_kubernetes.paging import page
from local.standin_kubernetes.resource import ObjectPath, ProxyPath, object_path, proxy_path
from local.standin_kubernetes.service_proxy import ServiceProxy
from local.standin_kubernetes.store import Store
from local.standin_kubernetes.wire import Handler, Server

_HTML = b"<html><body><h1>502 Bad Gateway</h1></body></html>"


class StandInKubernetes:
    """An API server over `store`; start it, ask it at `endpoint`, stop it.

    `services` are what the service proxy reaches: `namespace/name` with a base URL each, empty for a service without pods;
    they, `access` and `store` may change while it runs.
    Without `tls`, the context of a server's certificate, plain HTTP is spoken.
    Beside the API: `GET` and `DELETE /_calls`; `POST /_faults` with the fields of `Fault` (an object, or a list of them),
    `GET` and `DELETE /_faults`; `PUT /_objects/RESOURCE` (an object, or a list of them) and
    `DELETE /_objects/RESOURCE/NAMESPACE/NAME`. These need no token.
    """

    def __init__(
        self,
        store: Store,
        *,
        access: Access | None = None,
        services: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        port: int = 0,
    ) -> None:
        self.store = store
        self.calls = Calls()
        self.faults = Faults()
        self.access = access or Access()
        self.services = dict(services or {})
        self._proxy = ServiceProxy(self.services)
        self._control = Control(self.store, self.calls, self.faults)
        self._stopped = Event()
        self._scheme = "https" if tls else "http"
        self._server = Server(port, self, tls=tls)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def endpoint(self) -> str:
        """Its address."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def release(self) -> None:
        """Let go what hangs and whoever waits for the end."""
        self._stopped.set()
        self.faults.clear()

    def stop(self) -> None:
        """Let go what hangs, and end."""
        self.release()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.end_connections()
        self._server.server_close()

    def wait(self) -> None:
        """Block until it is released or stopped."""
        self._stopped.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def connected(self) -> None:
        """Count a new connection."""
        self.calls.connected()

    def control(self, method: str, path: str, body: bytes) -> Answer:
        """Answer a request about the stand-in itself."""
        return self._control.answer(method, path, body)

    def serve(self, handler: Handler) -> None:
        """Answer one GET of the API."""
        target = urlsplit(handler.path)
        faults = self.faults.take(target.path, continued="continue=" in target.query)
        handler.call = self.calls.begin(target.path, target.query)
        self._serve(handler, faults)

    def _serve(self, handler: Handler, faults: tuple[Fault, ...]) -> None:
        """Send an answer, or none."""
        for fault in faults:
            self._stopped.wait(fault.latency_seconds)
            if fault.expire:
                self.store.forget_revisions()
        if any(fault.hang for fault in faults):
            self.faults.cleared.wait()
            handler.close_connection = True
        elif any(fault.reset for fault in faults):
            handler.reset()
        else:
            cut = any(fault.truncate for fault in faults)
            answer = _instead(faults) or self.access.denies(handler.headers.get("Authorization"))
            if answer:
                handler.send(answer, cut=cut)
            else:
                self._route(handler, cut=cut)

    def _route(self, handler: Handler, *, cut: bool) -> None:
        target = urlsplit(handler.path)
        if proxied := proxy_path(target.path):
            self._pass_on(handler, proxied, target.query, cut=cut)
            return
        path = object_path(target.path)
        if path is None or path.resource.plural not in self.access.installed:
            answer = unknown_path()
        else:
            answer = self.access.forbids(path) or self._read(path, target.query, handler.headers.get("Accept") or "")
        handler.send(answer, cut=cut)

    def _read(self, path: ObjectPath, query: str, accept: str) -> Answer:
        if not path.name:
            asked = {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}
            return page(self.store, path, asked, accept=accept)
        body = self.store.get(path.resource.plural, path.namespace, path.name)
        if body is None:
            return status_answer(404, f'{path.resource.full_name} "{path.name}" not found')
        return Answer(status=200, body=body + b"\n")

    def _pass_on(self, handler: Handler, path: ProxyPath, query: str, *, cut: bool) -> None:
        refusal = self.access.forbids_proxy(path) or self._proxy.refusal(path, query, urlsplit(handler.path).path)
        if refusal:
            handler.send(refusal, cut=cut)
            return
        with self._proxy.asked(path, query, dict(handler.headers)) as answer:
            if isinstance(answer, Answer):
                handler.send(answer, cut=cut)
            else:
                handler.stream(answer, cut=cut)


def _instead(faults: tuple[Fault, ...]) -> Answer | None:
    """Answer as a fault does."""
    for fault in faults:
        if fault.html:
            return Answer(status=fault.status or 200, body=_HTML, content_type="text/html")
        if fault.status:
            return status_answer(fault.status, "the stand-in was told to fail")
    return None
