"""A real HTTP server on loopback that answers each route as a test says, rudely where that is what the test is about."""

import json
import socket
import ssl
import struct
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

Act = Callable[[socket.socket, threading.Event], None]


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a client asked."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]


@dataclass
class ScriptedServer:
    """Answers a route's requests with its acts in order, the last one again and again; 404 for the others."""

    tls: ssl.SSLContext | None = None
    requests: list[Request] = field(default_factory=list)
    _acts: dict[str, list[Act]] = field(default_factory=lambda: defaultdict(list))
    _stopped: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(10)

    @property
    def url(self) -> str:
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self._listener.getsockname()[1]}"

    def on(self, path: str, *acts: Act) -> None:
        self._acts[path].extend(acts)

    def asked(self) -> list[str]:
        return [request.path for request in self.requests]

    def _start(self, target: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._start(self._serve, connection)

    def _serve(self, plain: socket.socket) -> None:
        try:
            connection = self.tls.wrap_socket(plain, server_side=True) if self.tls else plain
        except OSError:
            plain.close()
            return
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                received = connection.recv(65536)
                if not received:
                    return
                head += received
            request = _parsed(head.decode())
            self.requests.append(request)
            acts = self._acts.get(request.path) or [reply(404, b"404 page not found\n", "text/plain")]
            act = acts.pop(0) if len(acts) > 1 else acts[0]
            try:
                act(connection, self._stopped)
            except OSError:
                return


def _parsed(head: str) -> Request:
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ")
    parts = urlsplit(target)
    headers = dict(line.split(": ", 1) for line in lines if line)
    return Request(
        method=method,
        path=parts.path,
        query=parse_qs(parts.query),
        headers={name.lower(): value for name, value in headers.items()},
    )


def _head(status: int, content_type: str, *lines: str) -> bytes:
    fields = [f"HTTP/1.1 {status} Answer", f"Content-Type: {content_type}", "Connection: close", *lines]
    return ("\r\n".join(fields) + "\r\n\r\n").encode()


def reply(status: int, body: bytes, content_type: str = "application/json", *lines: str) -> Act:
    """Answer whole."""

    def act(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(_head(status, content_type, f"Content-Length: {len(body)}", *lines) + body)

    return act


def reply_json(answer: object, status: int = 200) -> Act:
    """Answer with JSON."""
    return reply(status, json.dumps(answer).encode())


def reply_file(path: Path, status: int = 200, content_type: str = "application/json") -> Act:
    """Answer with a recorded body."""
    return reply(status, path.read_bytes(), content_type)


def chunked(*pieces: bytes, complete: bool = True) -> Act:
    """Answer in the pieces given, as OpenCost does when it does not know the length; break off unless `complete`."""

    def act(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(_head(200, "application/json", "Transfer-Encoding: chunked"))
        for piece in pieces:
            connection.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        if complete:
            connection.sendall(b"0\r\n\r\n")

    return act


def cut(body: bytes, sent: int) -> Act:
    """Promise a whole body and close after `sent` bytes of it."""

    def act(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(_head(200, "application/json", f"Content-Length: {len(body)}") + body[:sent])

    return act


def reset() -> Act:
    """Reset the connection without an answer."""

    def act(connection: socket.socket, _: threading.Event) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    return act


def silence() -> Act:
    """Never answer."""

    def act(_: socket.socket, stopped: threading.Event) -> None:
        stopped.wait(60)

    return act


def stall(body: bytes) -> Act:
    """Send the head and `body`, promise more and fall silent."""

    def act(connection: socket.socket, stopped: threading.Event) -> None:
        connection.sendall(_head(200, "application/json", f"Content-Length: {len(body) + 1}") + body)
        stopped.wait(60)

    return act


def drip(body: bytes, pause_seconds: float = 0.02) -> Act:
    """Send blanks one by one for ever, after `body`."""

    def act(connection: socket.socket, stopped: threading.Event) -> None:
        connection.sendall(_head(200, "application/json", "Content-Length: 1000000") + body)
        while not stopped.wait(pause_seconds):
            connection.sendall(b" ")

    return act
