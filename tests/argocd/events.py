"""Events of API Gateway in both payload formats, built from one description of a request."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

Headers = Sequence[tuple[str, str]]


def token_hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A request as its sender wrote it."""

    method: str = "GET"
    path: str = "/"
    query: str = ""
    headers: Headers = field(default_factory=tuple)
    body: str | bytes = ""

    def v2(self) -> dict[str, Any]:
        """Return the event of an HTTP API: names in lower case, repeated lines joined with commas."""
        joined: dict[str, str] = {}
        for name, value in self.headers:
            lower = name.lower()
            joined[lower] = f"{joined[lower]},{value}" if lower in joined else value
        return {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": self.path,
            "rawQueryString": self.query,
            "headers": joined,
            "queryStringParameters": {name: ",".join(values) for name, values in self._queries().items()},
            "requestContext": {
                "stage": "$default",
                "requestId": "example-request",
                "http": {"method": self.method, "path": self.path, "protocol": "HTTP/1.1", "sourceIp": "203.0.113.10"},
            },
            **self._bodied(),
        }

    def v1(self) -> dict[str, Any]:
        """Return the event of a REST API: names as sent, the last value and all values side by side."""
        several: dict[str, list[str]] = {}
        for name, value in self.headers:
            several.setdefault(name, []).append(value)
        queries = self._queries()
        return {
            "resource": "/{proxy+}",
            "path": self.path,
            "httpMethod": self.method,
            "headers": {name: values[-1] for name, values in several.items()},
            "multiValueHeaders": several,
            "queryStringParameters": {name: values[-1] for name, values in queries.items()} or None,
            "multiValueQueryStringParameters": queries or None,
            "requestContext": {"stage": "prod", "requestId": "example-request", "path": f"/prod{self.path}"},
            **self._bodied(),
        }

    def _queries(self) -> dict[str, list[str]]:
        queries: dict[str, list[str]] = {}
        for name, value in parse_qsl(self.query, keep_blank_values=True):
            queries.setdefault(name, []).append(value)
        return queries

    def _bodied(self) -> Mapping[str, Any]:
        if isinstance(self.body, bytes):
            return {"body": base64.b64encode(self.body).decode(), "isBase64Encoded": True}
        return {"body": self.body, "isBase64Encoded": False}
