"""Answers in the form API Gateway expects of a function."""

import json
from collections.abc import Mapping
from typing import Any

Answer = dict[str, Any]
"""statusCode, headers, body, isBase64Encoded: what both payload formats of API Gateway understand."""

NEVER_SNIFF = {"X-Content-Type-Options": "nosniff"}
"""Our answers appear on Argo CD's own origin: a browser must never take one for anything but JSON."""


def json_answer(status: int, document: Any, *, headers: Mapping[str, str] | None = None) -> Answer:  # noqa: ANN401  any JSON
    """Return `document` as an answer. Raises ValueError for NaN and infinity, which are not JSON."""
    return {
        "statusCode": int(status),
        "headers": {"Content-Type": "application/json", **NEVER_SNIFF, **(headers or {})},
        "body": json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False),
        "isBase64Encoded": False,
    }
