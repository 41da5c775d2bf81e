"""API Gateway on one machine: an HTTP API with the `$default` stage in front of the functions, limits included.

Limits (AWS, "Quotas for HTTP APIs"): 10,240 bytes of request line and headers, 10 MB of body, 30 s, and Lambda's 6 MB for
the whole event. Header names count too here, which AWS does not say: what passes here passes there.
"""

import base64
import binascii
import http
import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from local.event import decoded_path, make_event
from local.http_server import Headers, HttpServer, Limits, Request, Response
from local.invocation import Answer, EventTooLargeError, StoppedError, ThrottledError, UnansweredError
from local.plan import RoutePlan, Throttle

HEAD_LIMIT_BYTES = 10_240
BODY_LIMIT_BYTES = 10 * 1024 * 1024
_DEFAULT_ROUTE = "$default"
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+:[\t -~\x80-\xff]*")
# Set by the gateway itself, whatever a function says.
_OWN_HEADERS = frozenset({"connection", "content-length", "date", "transfer-encoding"})


class Function(Protocol):
    """What a route invokes."""

    def invoke(self, event: bytes, *, wait_seconds: float | None = None) -> Answer:
        """Run the function once."""


class Gateway:
    """Turns requests into events by the route table and answers back into responses. It never redirects."""

    def __init__(
        self,
        port: int,
        *,
        routes: Sequence[RoutePlan],
        functions: Mapping[str, Function],
        clock: Callable[[], datetime],
    ) -> None:
        """Build the route table; `functions` are found by ARN, `clock` gives the time requests are stamped with.

        Raises:
            KeyError: a route names a function that does not exist.
        """
        self._routes = {route.key: _Route(plan=route, function=functions[route.function_arn]) for route in routes}
        self._clock = clock
        self._server = HttpServer(
            port,
            self._respond,
            refuse=_message,
            limits=Limits(head_bytes=HEAD_LIMIT_BYTES, body_bytes=BODY_LIMIT_BYTES),
        )

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._server.port

    def start(self) -> None:
        """Listen. Raises OSError when the port is taken."""
        self._server.start()

    def close(self) -> None:
        """Stop listening and cut all connections."""
        self._server.close()

    def _respond(self, request: Request) -> Response:
        route = self._match(request)
        if route is None:
            return _message(404, "Not Found")
        if not route.admits():
            return _message(429)
        event = make_event(request, route_key=route.plan.key, now=self._clock())
        try:
            answer = route.function.invoke(json.dumps(event).encode(), wait_seconds=route.plan.timeout_seconds)
        except EventTooLargeError:
            return _message(413)
        except (ThrottledError, UnansweredError, StoppedError):
            return _message(503)
        if answer.failed:
            return _message(500)
        return _identified(_response(answer.payload), event["requestContext"]["requestId"])

    def _match(self, request: Request) -> "_Route | None":
        """Find the route: the method's own, then `ANY`, then `$default`."""
        path = decoded_path(request.target)
        for key in (f"{request.method} {path}", f"ANY {path}", _DEFAULT_ROUTE):
            if route := self._routes.get(key):
                return route
        return None


class _Route:
    """A route with its function and its token bucket."""

    def __init__(self, *, plan: RoutePlan, function: Function) -> None:
        self.plan = plan
        self.function = function
        self._bucket = TokenBucket(plan.throttle) if plan.throttle else None

    def admits(self) -> bool:
        return self._bucket is None or self._bucket.take()


class TokenBucket:
    """API Gateway's throttle: `burst` requests at once, refilled at `rate` a second."""

    def __init__(self, throttle: Throttle, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin full."""
        self._throttle = throttle
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens = float(throttle.burst)
        self._filled_at = clock()

    def take(self) -> bool:
        """Take one token; whether there was one."""
        with self._lock:
            now = self._clock()
            gained = (now - self._filled_at) * self._throttle.rate
            self._tokens = min(float(self._throttle.burst), self._tokens + gained)
            self._filled_at = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True


class _MalformedError(ValueError):
    """A function's answer is not of payload format 2.0; the text names the field."""


def _response(payload: bytes) -> Response:
    """Read a function's answer in payload format 2.0: with `statusCode`, or anything else as the body itself."""
    answer = json.loads(payload)
    if not isinstance(answer, dict) or "statusCode" not in answer:
        body = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        return Response(status=200, headers=(("content-type", "application/json"),), body=body)
    try:
        return Response(status=_status(answer), headers=_headers(answer), body=_body(answer))
    except _MalformedError:
        return _message(500)


def _status(answer: Mapping[str, Any]) -> int:
    status = answer["statusCode"]
    if isinstance(status, str) and status.isdigit():
        status = int(status)
    if not isinstance(status, int) or not 200 <= status <= 599:
        raise _MalformedError("statusCode")
    return status


def _headers(answer: Mapping[str, Any]) -> Headers:
    headers = answer.get("headers") or {}
    cookies = answer.get("cookies") or []
    if not isinstance(headers, dict) or not isinstance(cookies, list):
        raise _MalformedError("headers")
    given = [(str(name).lower(), str(value)) for name, value in headers.items()]
    given += [("set-cookie", str(cookie)) for cookie in cookies]
    if not all(_HEADER.fullmatch(f"{name}:{value}") for name, value in given):
        raise _MalformedError("headers")
    kept = [(name, value) for name, value in given if name not in _OWN_HEADERS]
    if "content-type" not in dict(kept):
        kept.append(("content-type", "text/plain; charset=utf-8"))
    return tuple(kept)


def _body(answer: Mapping[str, Any]) -> bytes:
    body = answer.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        raise _MalformedError("body")
    if not answer.get("isBase64Encoded"):
        return body.encode()
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise _MalformedError("body") from error


def _identified(response: Response, request_id: str) -> Response:
    headers = (*response.headers, ("apigw-requestid", request_id))
    return Response(status=response.status, headers=headers, body=response.body)


def _message(status: int, text: str | None = None) -> Response:
    body = json.dumps({"message": text or http.HTTPStatus(status).phrase}).encode()
    return Response(status=status, headers=(("content-type", "application/json"),), body=body)
