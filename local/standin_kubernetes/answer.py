"""An HTTP answer, and `kind: Status`, in which an API server says what is wrong."""

import json
from dataclasses import dataclass, field

_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Status, body and headers beyond the usual ones."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


def json_answer(status: int, document: object) -> Answer:
    """Answer with JSON."""
    return Answer(status=status, body=json.dumps(document).encode())


def status_answer(status: int, message: str, *, metadata: dict[str, str] | None = None) -> Answer:
    """Answer with a failure as an API server words it."""
    document = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": metadata or {},
        "status": "Failure",
        "message": message,
        "reason": _REASONS.get(status, "InternalError"),
        "code": status,
    }
    return Answer(status=status, body=json.dumps(document, separators=(",", ":")).encode() + b"\n")


def unknown_path() -> Answer:
    """Answer as for a path that no API is installed for: plain text, no Status."""
    return Answer(status=404, body=b"404 page not found\n", content_type="text/plain; charset=utf-8")
