"""How documents and problems become answers: validators, compression, HEAD."""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from costintel.argocd.answer import NEVER_SNIFF, Answer
from costintel.argocd.problem import Problem
from costintel.argocd.request import Request

GZIP = "application/gzip"
_SMALL_BYTES = 1024
"""Below this gzip saves nothing worth its time."""
_LARGE_BYTES = 5_000_000
"""Lambda answers with 6 MB at most; above this the answer is packed even for who did not ask for it."""
_KEPT_BY_304 = ("Cache-Control", "ETag", "Vary", "X-Content-Type-Options")


def document_response(document: Mapping[str, Any]) -> Response[str]:
    """Return a document that the browser may keep, and must ask about before using it again."""
    body = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # Weak: the same document is sent plain and packed.
    tag = f'W/"{sha256(body.encode()).hexdigest()[:32]}"'
    headers = {"Cache-Control": "private, no-cache", "ETag": tag, "Vary": "Accept-Encoding"}
    return Response(HTTPStatus.OK, "application/json", body, headers)


def file_response(content: bytes, content_type: str) -> Response[str]:
    """Return a file that is the same for everybody. The router carries nothing but text, so gzip travels as base64."""
    body = base64.b64encode(content).decode() if content_type == GZIP else content.decode()
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    return Response(HTTPStatus.OK, content_type, body, {"Cache-Control": "public, max-age=300", "ETag": tag})


def state_response(state: str) -> Response[str]:
    """Return a probe's answer."""
    return Response(HTTPStatus.OK, "application/json", json.dumps({"status": state}), {"Cache-Control": "no-store"})


def problem_response(problem: Problem) -> Response[str]:
    """Return a refusal in the router's form."""
    answer = problem.answer()
    return Response(problem.type.status, None, answer["body"], answer["headers"])


def finished(request: Request, answer: Answer) -> Answer:
    """Return the router's answer as it leaves: never sniffed, without cookies, 304 if unchanged, packed if accepted."""
    headers = {**answer["headers"], **NEVER_SNIFF}
    status, body = answer["statusCode"], answer["body"] or ""
    if "ETag" in headers and _matches(request.header("if-none-match"), headers["ETag"]):
        kept = {name: headers[name] for name in _KEPT_BY_304 if name in headers}
        return _answer(HTTPStatus.NOT_MODIFIED, kept, "")
    if request.method == "HEAD":
        return _answer(status, headers, "")
    if headers.get("Content-Type") == GZIP:
        return {**_answer(status, headers, body), "isBase64Encoded": True}
    if _is_to_be_packed(request, body):
        packed = gzip.compress(body.encode(), compresslevel=6, mtime=0)
        headers = {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return {**_answer(status, headers, base64.b64encode(packed).decode()), "isBase64Encoded": True}
    return _answer(status, headers, body)


def _answer(status: int, headers: Mapping[str, str], body: str) -> Answer:
    return {"statusCode": int(status), "headers": dict(headers), "body": body, "isBase64Encoded": False}


def _matches(if_none_match: Sequence[str], tag: str) -> bool:
    """Compare weakly, as RFC 9110 13.1.2 asks for."""
    listed = [one.strip().removeprefix("W/") for value in if_none_match for one in value.split(",")]
    return tag.removeprefix("W/") in listed or "*" in listed


def _is_to_be_packed(request: Request, body: str) -> bool:
    if len(body) < _SMALL_BYTES:
        return False
    return len(body) > _LARGE_BYTES or _accepts_gzip(request.header("accept-encoding"))


def _accepts_gzip(values: Sequence[str]) -> bool:
    """Read Accept-Encoding with its weights (RFC 9110 12.5.3): what is named counts before `*`."""
    weights: dict[str, float] = {}
    for part in ",".join(values).lower().split(","):
        coding, _, parameters = part.partition(";")
        weights[coding.strip()] = _weight(parameters)
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _weight(parameters: str) -> float:
    name, _, value = parameters.partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
