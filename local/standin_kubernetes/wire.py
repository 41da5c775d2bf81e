"""The stand-in's HTTP: connections, TLS, answers whole, streamed, cut off or not at all."""

import contextlib
import socket
import ssl
import struct
from collections.abc import Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import urlsplit

from local.standin_kubernetes.answer import Answer
from local.standin_kubernetes.service_proxy import Upstream

Request = socket.socket | tuple[bytes, socket.socket]


class Site(Protocol):
    """What a server serves."""

    def serve(self, handler: "Handler") -> None:
        """Answer one GET of the API through the handler."""

    def control(self, method: str, path: str, body: bytes) -> Answer:
        """Answer a request about the stand-in itself."""

    def connected(self) -> None:
        """Hear of a new connection."""


class Server(ThreadingHTTPServer):
    """One thread a connection; `end_connections` ends those that are kept alive."""

    request_queue_size = 128

    def __init__(self, port: int, site: Site, *, tls: ssl.SSLContext | None) -> None:
        """Listen on `port` of 127.0.0.1 (0 = any free one), with TLS if its context is given."""
        self._open: set[socket.socket] = set()
        self._site = site
        self._tls = tls
        super().__init__(("127.0.0.1", port), partial(Handler, site))

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection; the handshake is made by the thread that serves it."""
        connection, address = super().get_request()
        if self._tls:
            connection = self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        self._open.add(connection)
        self._site.connected()
        return connection, address

    def shutdown_request(self, request: Request) -> None:
        """End a connection."""
        if isinstance(request, socket.socket):
            self._open.discard(request)
        with contextlib.suppress(OSError):
            super().shutdown_request(request)

    def handle_error(self, request: Request, client_address: Any) -> None:  # noqa: ANN401 - the library's type
        """Take a caller that hung up, or did not trust the certificate, for normal life."""

    def end_connections(self) -> None:
        """End every connection, as the end of a server's own process would."""
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class Handler(BaseHTTPRequestHandler):
    """One connection: requests one after another until either side closes."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes, and the second would wait for the first's receipt

    def __init__(self, site: Site, *args: Any) -> None:  # noqa: ANN401 - passed through
        self._site = site
        self.call: dict[str, Any] = {}
        """The record of the request being served; its status is set before anything is sent."""
        super().__init__(*args)

    def do_GET(self) -> None:
        """Answer a request to the API, or about the stand-in."""
        if urlsplit(self.path).path.startswith("/_"):
            self._answer_control()
        else:
            self._site.serve(self)

    def do_POST(self) -> None:
        """Set a fault."""
        self._answer_control()

    def do_PUT(self) -> None:
        """Put objects."""
        self._answer_control()

    def do_DELETE(self) -> None:
        """Forget faults, counts or an object."""
        self._answer_control()

    def _answer_control(self) -> None:
        self.call = {}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send(self._site.control(self.command, urlsplit(self.path).path, body))

    def reset(self) -> None:
        """End the connection with RST."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.rfile.close()
        self.connection.close()

    def send(self, answer: Answer, *, cut: bool = False) -> None:
        """Send an answer with its length; `cut` breaks off in its middle."""
        self._head(answer.status, answer.content_type, answer.headers)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) // 2] if cut else answer.body)
        self.close_connection = self.close_connection or cut

    def stream(self, upstream: Upstream, *, cut: bool) -> None:
        """Pass an answer on as it arrives; when it breaks off, so do we: the head is long gone."""
        self._head(upstream.status, upstream.content_type, upstream.headers)
        if upstream.length is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(upstream.length))
        self.end_headers()
        try:
            self._pass_on(upstream, is_chunked=upstream.length is None, cut=cut)
        except ConnectionError:
            self.close_connection = True

    def _pass_on(self, upstream: Upstream, *, is_chunked: bool, cut: bool) -> None:
        for piece in upstream.pieces():
            sent = piece[: len(piece) // 2] if cut else piece
            self.wfile.write(b"%x\r\n%b\r\n" % (len(sent), sent) if is_chunked else sent)
            if cut:
                self.close_connection = True
                return
        if is_chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _head(self, status: int, content_type: str, headers: Mapping[str, str]) -> None:
        self.call["status"] = status
        self.send_response(status)
        if content_type:
            self.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self.send_header(name, value)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - the standard library's
        """Log nothing; calls are counted."""
