"""The conversation with OpenCost over HTTP: addresses, limits, and which failure is which error."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

import httpx

from costintel.errors import ConfigurationError, OpenCostRefused, OpenCostTimeout
from costintel.opencost.redaction import refusal_line

CONNECT_SECONDS: Final = 10.0
SILENCE_SECONDS: Final = 30.0
"""Longest pause inside an answer: OpenCost computes first and then sends everything at once."""
_REFUSAL_BYTES: Final = 64 * 1024


class Deadline:
    """The moment by which an answer must be complete, on the clock that only runs forward."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left. Raises OpenCostTimeout when there are none."""
        left = self._at - monotonic()
        if left <= 0:
            raise OpenCostTimeout(f"no complete answer within {self.seconds:g} s")
        return left


class Transport:
    """GETs routes of one OpenCost and yields bodies in pieces.

    Redirects are refused, the environment's proxies ignored, and every request has its own connection: a function may sleep
    for minutes between two of them.
    """

    def __init__(self, base_url: str, *, token: str = "", ca_file: str = "") -> None:
        self._base_url = _checked(base_url)
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "cost-intel"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._client = httpx.Client(
            headers=headers,
            follow_redirects=False,
            trust_env=False,
            transport=httpx.HTTPTransport(
                verify=_trust(self._base_url, ca_file),
                trust_env=False,
                limits=httpx.Limits(max_connections=4, max_keepalive_connections=0),
                socket_options=_keep_alive(),
            ),
        )

    @property
    def path(self) -> str:
        """Path of the base URL, without a slash at its end."""
        return httpx.URL(self._base_url).path.rstrip("/")

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    @contextmanager
    def get(self, route: str, *, query: str = "", deadline: Deadline, limit_bytes: int) -> Iterator[Iterator[bytes]]:
        """GET a route and give its body's pieces, at most `limit_bytes` of them together.

        Raises OpenCostTimeout when the answer is not complete by the deadline or a gateway gave up waiting, OpenCostRefused
        when OpenCost cannot be reached, breaks off, answers with another status than 200 or sends too much. Their texts, also
        of those that the caller raises while reading, begin with the route.
        """
        url = f"{self._base_url}{route}{'?' if query else ''}{query}"
        left = deadline.left()
        timeout = httpx.Timeout(left, connect=min(CONNECT_SECONDS, left))
        try:
            with self._client.stream("GET", url, timeout=timeout) as response:
                _quicken(response, deadline)
                pieces = _pieces(response, deadline, limit_bytes=limit_bytes)
                if response.status_code != 200:
                    raise _refusal(response.status_code, pieces)
                yield pieces
        except (OpenCostRefused, OpenCostTimeout) as error:
            raise type(error)(f"{route}: {error}") from error
        except httpx.ConnectTimeout as error:
            deadline.left()  # the deadline, not the connection, may be what was too short
            raise OpenCostRefused(f"{route}: no connection within {CONNECT_SECONDS:g} s") from error
        except httpx.TimeoutException as error:
            raise OpenCostTimeout(f"{route}: no complete answer within {deadline.seconds:g} s") from error
        except httpx.ConnectError as error:
            raise OpenCostRefused(f"{route}: no connection") from error
        except httpx.HTTPError as error:
            raise OpenCostRefused(f"{route}: the answer broke off") from error


def _pieces(response: httpx.Response, deadline: Deadline, *, limit_bytes: int) -> Iterator[bytes]:
    received = 0
    for piece in response.iter_bytes():
        deadline.left()
        received += len(piece)
        if received > limit_bytes:
            raise OpenCostRefused(f"the answer is larger than {limit_bytes // 1024**2} MiB")
        yield piece


def _quicken(response: httpx.Response, deadline: Deadline) -> None:
    """Shorten the pause allowed between pieces, now that the answer has begun; read when the first piece is asked for."""
    response.request.extensions["timeout"]["read"] = min(SILENCE_SECONDS, deadline.left())


def _refusal(status: int, pieces: Iterator[bytes]) -> Exception:
    if 300 <= status < 400:
        return OpenCostRefused(f"redirected with {status}; the base URL must be the final address")
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > _REFUSAL_BYTES:
            break
    line = f"answered {status}{refusal_line(bytes(body[:_REFUSAL_BYTES]))}"
    if status == httpx.codes.GATEWAY_TIMEOUT:
        return OpenCostTimeout(line)
    if status == httpx.codes.NOT_FOUND:
        line += "; is the path of the base URL right?"
    return OpenCostRefused(line)


def _checked(base_url: str) -> str:
    try:
        url = httpx.URL(base_url.strip())
    except (httpx.InvalidURL, TypeError) as error:
        raise ConfigurationError("OPENCOST_BASE_URL: expected an http:// or https:// URL") from error
    if url.scheme not in {"http", "https"} or not url.host or url.query or url.fragment or url.userinfo:
        raise ConfigurationError(
            "OPENCOST_BASE_URL: expected an http:// or https:// URL with a host and at most a path"
        )
    return str(url).rstrip("/")


def _trust(base_url: str, ca_file: str) -> ssl.SSLContext:
    """Return whom to trust; over plain HTTP nobody, which saves reading the system's certificates."""
    if not base_url.startswith("https:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except OSError as error:
        raise ConfigurationError("OPENCOST_CA_FILE: expected a readable file of PEM certificates") from error


def _keep_alive() -> list[tuple[int, int, int]]:
    """Return socket options that keep a connection alive while OpenCost computes for minutes and says nothing."""
    options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    for name, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if hasattr(socket, name):
            options.append((socket.IPPROTO_TCP, getattr(socket, name), seconds))
    return options
