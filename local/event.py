"""The event API Gateway makes of an HTTP request: payload format 2.0 of an HTTP API.

Source: AWS, "Create AWS Lambda proxy integrations for HTTP APIs in API Gateway": header names in lower case, repeated
headers and query values joined with commas, cookies in a list of their own, the path percent-decoded.
"""

import base64
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, unquote

from local.aws import ACCOUNT_ID
from local.http_server import Headers, Request

API_ID = "local"
_TEXT_TYPES = frozenset({"application/json", "application/xml", "application/javascript"})


def decoded_path(target: str) -> str:
    """Give the path as routes and functions see it: decoded, and cut at a question mark that came encoded."""
    path = target.partition("?")[0]
    return unquote(path).partition("?")[0]


def make_event(request: Request, *, route_key: str, now: datetime) -> dict[str, Any]:
    """Describe a request as the function behind `route_key` receives it."""
    query = request.target.partition("?")[2]
    headers = _joined((name.lower(), value) for name, value in request.headers if name.lower() != "cookie")
    headers = {**headers, **_forwarding(request, headers)}
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": decoded_path(request.target),
        "rawQueryString": query,
        "headers": headers,
        "requestContext": _context(request, route_key=route_key, now=now, headers=headers),
        "isBase64Encoded": False,
    }
    if cookies := _cookies(request):
        event["cookies"] = cookies
    if query:
        event["queryStringParameters"] = _joined(parse_qsl(query, keep_blank_values=True))
    if request.body:
        event["isBase64Encoded"] = not _is_text(request.headers, request.body)
        event["body"] = (base64.b64encode(request.body) if event["isBase64Encoded"] else request.body).decode()
    return event


def _context(request: Request, *, route_key: str, now: datetime, headers: dict[str, str]) -> dict[str, Any]:
    host = headers.get("host", "")
    return {
        "accountId": ACCOUNT_ID,
        "apiId": API_ID,
        "domainName": host,
        "domainPrefix": host.partition(".")[0],
        "http": {
            "method": request.method,
            "path": decoded_path(request.target),
            "protocol": "HTTP/1.1",
            "sourceIp": request.peer,
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": secrets.token_urlsafe(12),
        "routeKey": route_key,
        "stage": "$default",
        "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": int(now.timestamp() * 1000),
    }


def _forwarding(request: Request, headers: dict[str, str]) -> dict[str, str]:
    before = headers.get("x-forwarded-for")
    return {
        "content-length": str(len(request.body)),
        "x-amzn-trace-id": f"Root=1-00000000-{secrets.token_hex(12)}",
        "x-forwarded-for": f"{before}, {request.peer}" if before else request.peer,
        "x-forwarded-port": "443",
        "x-forwarded-proto": "https",
    }


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Join what has the same name with commas, as payload format 2.0 does."""
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _cookies(request: Request) -> list[str]:
    return [cookie.strip() for line in request.values("cookie") for cookie in line.split(";") if cookie.strip()]


def _is_text(headers: Headers, body: bytes) -> bool:
    """Tell whether the body travels as text; forms, compressed bodies and unknown types travel base64-coded."""
    given = {name.lower(): value for name, value in headers}
    kind = given.get("content-type", "").partition(";")[0].strip().lower()
    if given.get("content-encoding") or not (kind in _TEXT_TYPES or kind.startswith("text/") or kind.endswith("+json")):
        return False
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
