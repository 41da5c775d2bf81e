"""Requests as API Gateway hands them over, in both payload formats, brought into one form."""

import base64
import binascii
import gzip
import io
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from costintel.errors import InvalidInput

_GZIP_MAGIC = b"\x1f\x8b"


class BodyTooLarge(InvalidInput):
    """The body, as sent or unpacked, is over the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request.

    Header names are lower case; each has the list of its values. Format 1.0 tells repeated lines apart, 2.0 joins them with a
    comma into one value: a value that must not be repeated is therefore checked against its whole pattern, never split.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, tuple[str, ...]]
    body: str
    body_is_base64: bool

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Self:
        """Read an event of payload format 2.0 (HTTP API, function URL) or 1.0 (REST API); absent parts become empty."""
        http = _mapping(_mapping(event.get("requestContext")).get("http"))
        is_second = "rawPath" in event
        return cls(
            method=str((http.get("method") if is_second else event.get("httpMethod")) or "").upper(),
            path=str((event.get("rawPath") if is_second else event.get("path")) or "/"),
            query=_query(event),
            headers=_headers(event),
            body=str(event.get("body") or ""),
            body_is_base64=event.get("isBase64Encoded") is True,
        )

    def header(self, name: str) -> tuple[str, ...]:
        """Return the values of a header, given in lower case."""
        return self.headers.get(name, ())

    def content(self, limit: int) -> bytes:
        """Return the body's bytes, unpacked if they are gzip, whatever the headers say about them.

        Raises BodyTooLarge over `limit` bytes, packed or not; InvalidInput for broken base64 or gzip.
        """
        if len(self.body) > limit * 2:
            raise BodyTooLarge("body", f"at most {limit} bytes")
        packed = self._decoded()
        content = _unpacked(packed, limit) if packed.startswith(_GZIP_MAGIC) else packed
        if max(len(packed), len(content)) > limit:
            raise BodyTooLarge("body", f"at most {limit} bytes")
        return content

    def _decoded(self) -> bytes:
        if not self.body_is_base64:
            return self.body.encode(errors="surrogatepass")
        try:
            return base64.b64decode(self.body, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput("body", "base64, as the event says") from None


def request_id(event: Mapping[str, Any]) -> str:
    """Return API Gateway's id of a request, which its access log names too; empty if there is none."""
    return str(_mapping(event.get("requestContext")).get("requestId") or "")


def _unpacked(packed: bytes, limit: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
            return stream.read(limit + 1)
    except (OSError, EOFError, zlib.error):
        raise InvalidInput("body", "a whole gzip stream") from None


def _headers(event: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    several = {name: _listed(values) for name, values in _mapping(event.get("multiValueHeaders")).items()}
    single = {name: _listed(value) for name, value in _mapping(event.get("headers")).items() if name not in several}
    collected: dict[str, tuple[str, ...]] = {}
    for name, values in (*several.items(), *single.items()):
        collected[name.lower()] = collected.get(name.lower(), ()) + values
    return collected


def _query(event: Mapping[str, Any]) -> dict[str, str]:
    several = _mapping(event.get("multiValueQueryStringParameters"))
    joined = {name: ",".join(_listed(values)) for name, values in several.items()}
    return joined or {name: str(value) for name, value in _mapping(event.get("queryStringParameters")).items()}


def _listed(value: object) -> tuple[str, ...]:
    values: Iterable[object] = value if isinstance(value, list) else (value,)
    return tuple(str(one) for one in values if one is not None)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
