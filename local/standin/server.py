"""A stand-in for OpenCost: the same HTTP answers, derived from a cluster model, on 127.0.0.1."""

import contextlib
import json
import socket
import struct
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from socketserver import BaseRequestHandler
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from local.standin.call_log import CallLog
from local.standin.failing import instead, spoiled
from local.standin.fault import Fault, Faults, IllegalFaultError, parse_fault
from local.standin.index import indexed
from local.standin.model import ClusterModel
from local.standin.query import EndlessStepError, Query
from local.standin.response import JSON, Response
from local.standin.routes import Routes
from local.standin.version import version_named

Clock = Callable[[], datetime]
Request = socket.socket | tuple[bytes, socket.socket]
_CHUNK_BYTES = 64 * 1024
_UNAUTHORIZED = Response(401, JSON, (b'{"message":"Unauthorized"}\n',))


def real_now() -> datetime:
    """Read the real clock."""
    return datetime.now(UTC)


class StandIn:
    """An OpenCost over `model`, at the time `clock` tells; start it, ask it at `base_url`, stop it.

    Beside OpenCost's routes: `GET /_calls` (see `CallLog.summary`) and `DELETE /_calls`; `POST /_faults` with the
    fields of `Fault` as JSON (an object, or a list of them), `GET /_faults`, `DELETE /_faults`. These need no token.
    """

    def __init__(  # noqa: PLR0913 - a server's settings, all by name
        self,
        model: ClusterModel,
        *,
        clock: Clock = real_now,
        version: str = "1.120.2",
        loses_first_minutes: bool = False,
        token: str | None = None,
        path_prefix: str = "",
        port: int = 0,
    ) -> None:
        self.calls = CallLog()
        self.faults = Faults()
        self._clock = clock
        self._version = version_named(version, loses_first_minutes=loses_first_minutes)
        self._routes = Routes(indexed(model), self._version)
        self._token = token
        self._path_prefix = path_prefix
        self._stopped = Event()
        self._server = _Server(("127.0.0.1", port), partial(_Handler, self))
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self) -> str:
        """Where it answers, with the path prefix and without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{self._path_prefix}"

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

    def answer(self, path: str, query: Query, authorization: str | None) -> tuple[Response | None, tuple[Fault, ...]]:
        """Answer a GET (None = never), and give the faults that apply to its delivery."""
        if self._token is not None and authorization != f"Bearer {self._token}":
            return _UNAUTHORIZED, ()
        path = path.removeprefix(self._path_prefix)
        faults = self.faults.take(path, query.get("window", ""))
        for fault in faults:
            self._stopped.wait(fault.latency_seconds)
        if any(fault.hang for fault in faults):
            self.faults.cleared.wait()
            return None, ()
        for fault in faults:
            if response := instead(fault, path, self._version):
                return response, faults
        try:
            response = self._routes.answer(path, query, now=self._clock(), faults=faults)
        except EndlessStepError:
            self._stopped.wait()
            return None, ()
        for fault in faults:
            response = spoiled(response, fault)
        return response, faults

    def serve(self, handler: "_Handler") -> None:
        """Answer one request of OpenCost's."""
        target = urlsplit(handler.path)
        query = {name: values[0] for name, values in parse_qs(target.query, keep_blank_values=True).items()}
        with self.calls.call(target.path.removeprefix(self._path_prefix), query.get("window"), self._clock()):
            response, faults = self.answer(target.path, query, handler.headers.get("Authorization"))
            if response is None:
                handler.close_connection = True
            elif any(fault.reset for fault in faults):
                handler.reset()
            else:
                handler.send(response, cut=any(fault.truncate == "connection" for fault in faults))

    def control(self, method: str, path: str, body: bytes) -> Response:
        """Answer one request about the stand-in itself."""
        if (method, path) == ("POST", "/_faults"):
            return self._set_faults(body)
        if (method, path) == ("DELETE", "/_faults"):
            self.faults.clear()
        elif (method, path) == ("DELETE", "/_calls"):
            self.calls.clear()
        elif (method, path) == ("GET", "/_calls"):
            return _json(200, self.calls.summary())
        elif (method, path) != ("GET", "/_faults"):
            return _json(404, {"message": f"no such route: {method} {path}"})
        return _json(200, {"faults": [_told(fault) for fault in self.faults.every()]})

    def _set_faults(self, body: bytes) -> Response:
        try:
            asked = json.loads(body or b"null")
            faults = [parse_fault(one) for one in (asked if isinstance(asked, list) else [asked])]
        except (ValueError, IllegalFaultError) as error:
            return _json(400, {"message": str(error)})
        for fault in faults:
            self.faults.add(fault)
        return _json(200, {"faults": [_told(fault) for fault in self.faults.every()]})


def _json(status: int, body: object) -> Response:
    return Response(status, JSON, (json.dumps(body).encode(),))


def _told(fault: Fault) -> dict[str, Any]:
    """List a fault's fields that are set."""
    values = {name: getattr(fault, name) for name in fault.__slots__}
    return {name: value for name, value in values.items() if value}


class _Server(ThreadingHTTPServer):
    """One thread a connection; `end_connections` ends those that are kept alive."""

    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: Callable[..., BaseRequestHandler]) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(address, handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection."""
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Request) -> None:
        """End a connection."""
        if isinstance(request, socket.socket):
            self._open.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """End every connection, as the end of a server's own process would."""
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, stand_in: StandIn, *args: Any) -> None:  # noqa: ANN401 - passed through
        self._stand_in = stand_in
        super().__init__(*args)

    def do_GET(self) -> None:
        """Answer a question to OpenCost, or about the stand-in."""
        if urlsplit(self.path).path.startswith("/_"):
            self._control()
        else:
            self._quietly(lambda: self._stand_in.serve(self))

    def do_POST(self) -> None:
        """Set a fault."""
        self._control()

    def do_DELETE(self) -> None:
        """Forget faults or counts."""
        self._control()

    def _control(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        response = self._stand_in.control(self.command, urlsplit(self.path).path, body)
        self._quietly(lambda: self.send(response))

    def _quietly(self, answer: Callable[[], None]) -> None:
        """Take a caller that hung up for normal life."""
        try:
            answer()
        except ConnectionError:
            self.close_connection = True

    def reset(self) -> None:
        """End the connection with RST: nothing lingers, nothing is shut down in good order."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.rfile.close()
        self.connection.close()

    def send(self, response: Response, *, cut: bool = False) -> None:
        """Send an answer: small ones with their length, large ones in chunks as they are made; `cut` breaks off."""
        chunks = _chunks(response.pieces)
        first = next(chunks, b"")
        second = next(chunks, None)
        self.send_response(response.status)
        if response.content_type:
            self.send_header("Content-Type", response.content_type)
        if second is None:
            self.send_header("Content-Length", str(len(first)))
            self.end_headers()
            self.wfile.write(first[: len(first) // 2] if cut else first)
        else:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._send_chunks((first, second) if cut else chain((first, second), chunks, (b"",)))
        self.close_connection = self.close_connection or cut

    def _send_chunks(self, chunks: Iterable[bytes]) -> None:
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - the standard library's
        """Log nothing; calls are counted."""


def _chunks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces gathered to a size worth sending."""
    gathered = bytearray()
    for piece in pieces:
        gathered += piece
        if len(gathered) >= _CHUNK_BYTES:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)
