"""Answers as faults change them."""

import json

from local.standin.fault import Fault
from local.standin.response import JSON, Response, enveloped, failure, text
from local.standin.version import Version

_PROXY_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
_PROMETHEUS_ERROR = (
    "error computing allocations: Error Collection:\n0) Errors:\n  Request Error: Communication error: "
    "503 (Service Unavailable) URL: 'http://prometheus.example/api/v1/query', Query: 'avg(up)'\n"
)


def instead(fault: Fault, path: str, version: Version) -> Response | None:
    """Answer as the fault does without asking OpenCost, if it does."""
    if fault.html:
        return Response(fault.status or 200, "text/html", (_PROXY_PAGE.encode(),))
    if fault.status:
        return _prometheus_failure(fault.status, path, version)
    if fault.empty:
        return enveloped(("{}",) if path == "/assets" else ("[{}]",), version)
    if fault.nan in {"code_500", "empty_body"}:
        body = b'{"code":500,"message":"Internal Server Error"}\n' if fault.nan == "code_500" else b""
        return Response(200, JSON, (body,))
    return None


def _prometheus_failure(status: int, path: str, version: Version) -> Response:
    if path == "/assets":
        return text(status, f"Error getting assets: {_PROMETHEUS_ERROR}")
    return failure(status, _PROMETHEUS_ERROR, version)


def spoiled(response: Response, fault: Fault) -> Response:
    """Lose an answer's numbers, or cut off its end."""
    if fault.nan == "null_numbers" and response.status == 200:
        body = json.dumps(_with_null_costs(json.loads(response.body)), separators=(",", ":"))
        response = Response(response.status, response.content_type, (body.encode(),))
    if fault.truncate == "body":
        body_bytes = response.body
        response = Response(response.status, response.content_type, (body_bytes[: len(body_bytes) // 2],))
    return response


def _with_null_costs(value: object) -> object:
    """Write null where NaN would be: every cost, usage and amount of hours of every row."""
    if isinstance(value, list):
        return [_with_null_costs(member) for member in value]
    if not isinstance(value, dict):
        return value
    return {key: None if _is_spoiled(key, member) else _with_null_costs(member) for key, member in value.items()}


def _is_spoiled(key: str, member: object) -> bool:
    return isinstance(member, int | float) and key.endswith(("Cost", "UsageAverage", "Hours"))
