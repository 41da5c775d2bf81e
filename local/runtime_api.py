"""The HTTP of the Runtime API: one client on loopback, one request a connection.

AWS's runtime client opens a connection for every request and has one on its way at a time, so one thread serves it, and
what stands between an event and its handler is little more than two socket calls.
"""

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import BinaryIO

from local.http_server import Request, Response

_LINE_BYTES = 65_536


class RuntimeApi:
    """Listens on a free port of 127.0.0.1 from the beginning; answers from `start` to `close`."""

    def __init__(self, respond: Callable[[Request], Response]) -> None:
        """Listen."""
        self._respond = respond
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def start(self) -> None:
        """Begin to answer, in a thread of its own."""
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Listen no more."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            # A client that was killed while it talked is no error: its environment ends.
            with connection, connection.makefile("rb") as received, contextlib.suppress(OSError, ValueError):
                request = _read(received, connection)
                connection.sendall(_written(self._respond(request)))


def _read(received: BinaryIO, connection: socket.socket) -> Request:
    """Read one request. Raises ValueError when the connection ends within it."""
    method, target, _ = received.readline(_LINE_BYTES).decode("latin-1").split()
    headers: dict[str, str] = {}
    while line := received.readline(_LINE_BYTES).decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    if headers.get("expect") == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    length = int(headers.get("content-length", "0"))
    body = received.read(length)
    if len(body) < length:
        raise ValueError("the connection ended within a request")
    return Request(method=method, target=target, headers=tuple(headers.items()), body=body)


def _written(response: Response) -> bytes:
    lines = [f"HTTP/1.1 {response.status} Runtime", f"Content-Length: {len(response.body)}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in response.headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + response.body
