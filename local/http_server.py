"""A small HTTP/1.1 server on 127.0.0.1 that keeps requests as they came: raw target, header order and duplicates.

The protocol itself is h11's; one thread serves one connection.
"""

import contextlib
import email.utils
import http
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import h11

Headers = tuple[tuple[str, str], ...]
_IDLE_SECONDS = 75.0
# What h11 holds of an unfinished head: above every limit we answer ourselves, so that the answer is ours.
_HEAD_BUFFER_BYTES = 128 * 1024
_STATUSES = frozenset(http.HTTPStatus)
_DRAIN_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. Header names keep their case; values are ISO 8859-1, which holds every byte."""

    method: str
    target: str
    headers: Headers
    body: bytes = b""
    peer: str = "127.0.0.1"

    def values(self, name: str) -> list[str]:
        """Give every value of a header, in order; `name` in lower case."""
        return [value for key, value in self.headers if key.lower() == name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer; `Content-Length` and `Connection` are the server's, `Date` if it is not there."""

    status: int
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is refused before `respond` is asked; `None` is no limit.

    `head_bytes` counts the request line and the names and values of all headers.
    """

    head_bytes: int | None = None
    body_bytes: int | None = None


Respond = Callable[[Request], Response]
Refuse = Callable[[int], Response]


def plain_refusal(status: int) -> Response:
    """Refuse with the status phrase as text."""
    phrase = f"{status} {http.HTTPStatus(status).phrase}\n"
    return Response(status=status, headers=(("Content-Type", "text/plain; charset=utf-8"),), body=phrase.encode())


class RefusedError(Exception):
    """A request that is answered with `status` without being served; the connection is closed after it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(slots=True)
class HttpServer:
    """Serves `respond` on a port of 127.0.0.1 (0 = any free one) from `start` to `close`."""

    port: int
    respond: Respond
    refuse: Refuse = plain_refusal
    limits: Limits = field(default_factory=Limits)
    _listener: socket.socket = field(init=False)
    _open: set[socket.socket] = field(init=False, default_factory=set)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def start(self) -> None:
        """Listen; `port` is the real port afterwards.

        Raises:
            OSError: the port is taken; the message names it.
        """
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind(("127.0.0.1", self.port))
        except OSError as error:
            self._listener.close()
            raise OSError(error.errno, f"cannot listen on 127.0.0.1:{self.port}: {error.strerror}") from error
        self._listener.listen(512)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True, name=f"http-{self.port}").start()

    def close(self) -> None:
        """Stop listening and cut every connection."""
        _shut(self._listener)
        with self._lock:
            for connection in self._open:
                _shut(connection)

    def _accept(self) -> None:
        while True:
            try:
                connection, address = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection, address[0]), daemon=True).start()

    def _serve(self, connection: socket.socket, peer: str) -> None:
        try:
            with contextlib.suppress(OSError):
                connection.settimeout(_IDLE_SECONDS)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                _Conversation(self, connection, peer).hold()
        finally:
            with self._lock:
                self._open.discard(connection)
            _shut(connection)


class _Conversation:
    """One connection: requests one after another until either side closes."""

    def __init__(self, server: HttpServer, connection: socket.socket, peer: str) -> None:
        self._server = server
        self._socket = connection
        self._peer = peer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BUFFER_BYTES)

    def hold(self) -> None:
        """Serve until the connection ends."""
        while True:
            try:
                request = self._receive()
            except RefusedError as refusal:
                self._refuse(refusal.status)
                return
            except h11.RemoteProtocolError as error:
                self._refuse(error.error_status_hint)
                return
            if request is None:
                return
            self._send(self._server.respond(request), method=request.method)
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    def _receive(self) -> Request | None:
        head = self._event()
        if not isinstance(head, h11.Request):
            return None
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers.raw_items())
        if head.method == b"CONNECT":
            raise RefusedError(405)
        self._check_head(head, headers)
        return Request(
            method=head.method.decode("ascii"),
            target=head.target.decode("latin-1"),
            headers=headers,
            body=self._body(headers),
            peer=self._peer,
        )

    def _check_head(self, head: h11.Request, headers: Headers) -> None:
        limit = self._server.limits.head_bytes
        line = len(head.method) + len(head.target) + len(" HTTP/1.1") + 1
        if limit is not None and line + sum(len(name) + len(value) for name, value in headers) > limit:
            raise RefusedError(431)

    def _body(self, headers: Headers) -> bytes:
        limit = self._server.limits.body_bytes
        announced = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
        if limit is not None and announced > limit:
            raise RefusedError(413)
        if self._http.they_are_waiting_for_100_continue:
            self._socket.sendall(self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
        parts: list[bytes] = []
        received = 0
        while isinstance(event := self._event(), h11.Data):
            parts.append(bytes(event.data))
            received += len(event.data)
            if limit is not None and received > limit:
                raise RefusedError(413)
        return b"".join(parts)

    def _event(self) -> h11.Event | None:
        while True:
            event = self._http.next_event()
            if isinstance(event, h11.Event):
                return event
            if event is h11.PAUSED:
                return None
            self._http.receive_data(self._socket.recv(65536))

    def _send(self, response: Response, *, method: str) -> None:
        headers = list(response.headers)
        if not any(name.lower() == "date" for name, _ in headers):
            headers.append(("Date", email.utils.formatdate(usegmt=True)))
        if response.status not in (204, 304):
            headers.append(("Content-Length", str(len(response.body))))
        reason = http.HTTPStatus(response.status).phrase.encode() if response.status in _STATUSES else b""
        wire = self._http.send(h11.Response(status_code=response.status, headers=headers, reason=reason)) or b""
        if method != "HEAD" and response.status not in (204, 304):
            wire += self._http.send(h11.Data(data=response.body)) or b""
        self._socket.sendall(wire + (self._http.send(h11.EndOfMessage()) or b""))

    def _refuse(self, status: int) -> None:
        """Answer and close; what the client still sends is read, or it would see a reset instead of the answer."""
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        response = self._server.refuse(status)
        closing = Response(status=status, headers=(*response.headers, ("Connection", "close")), body=response.body)
        self._send(closing, method="GET")
        self._socket.shutdown(socket.SHUT_WR)
        self._socket.settimeout(1.0)
        drained = 0
        while drained < _DRAIN_BYTES and (more := self._socket.recv(65536)):
            drained += len(more)


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
