"""An HTTP answer, and the envelopes and errors OpenCost wraps it in."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from local.standin.version import Version

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Response:
    """Status, content type (None = none sent) and a body in pieces."""

    status: int
    content_type: str | None
    pieces: Iterable[bytes] = ()

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.pieces)


def text(status: int, body: str) -> Response:
    """Answer in plain text, as Go's `http.Error` writes it: with a newline."""
    return Response(status, TEXT, (f"{body}\n".encode(),))


def raw_json(body: object) -> Response:
    """JSON without an envelope."""
    return Response(200, JSON, (_compact(body).encode(),))


def enveloped(pieces: Iterable[str], version: Version) -> Response:
    """Answer with a success whose `data` is the given JSON text."""
    return Response(200, JSON, _envelope(pieces, version))


def _envelope(pieces: Iterable[str], version: Version) -> Iterator[bytes]:
    status = '"status":"success",' if version.envelope_status else ""
    yield f'{{"code":200,{status}"data":'.encode()
    for piece in pieces:
        yield piece.encode()
    yield ("}\n" if version.newline_after_json else "}").encode()


def success(data: object, version: Version) -> Response:
    """Answer with a success with a small `data`."""
    return enveloped((_compact(data),), version)


def failure(status: int, message: str, version: Version) -> Response:
    """Answer with an error in the envelope of its version."""
    return Response(status, JSON, (failure_body(status, message, version),))


def failure_body(code: int, message: str, version: Version) -> bytes:
    """Write the JSON of an error, with the code it claims."""
    body: dict[str, object] = {"code": code}
    if version.envelope_status:
        body["status"] = ""
    body |= {"data": None, "message": f"{version.error_prefix}{message}"}
    return (_compact(body) + ("\n" if version.newline_after_json else "")).encode()


def _compact(body: object) -> str:
    return json.dumps(body, separators=(",", ":"))
