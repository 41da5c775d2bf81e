"""An API with services that answer what a test gives them."""

import base64
import gzip
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from api.app import Api, Outcome, create_app
from costintel.argocd.tokens import TokenHashes
from costintel.cost.application import AppRef
from tests.argocd.events import Headers, Sent, token_hash

TOKEN = "proxy-token-example"
NOW = datetime(2026, 11, 30, 8, 20, tzinfo=UTC)
CHECKOUT = AppRef("argocd", "checkout")
ACTUAL = "/api/cost-analysis/checkout/actual"
AUTHORIZED: Headers = (("Authorization", f"Bearer {TOKEN}"),)
CHECKOUT_HEADERS: Headers = (*AUTHORIZED, ("Argocd-Application-Name", "argocd:checkout"))


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class GivenServices:
    """Answers every application with `document` unless another is given for it; fails with `failure`."""

    def __init__(self, document: Mapping[str, Any] | None = None, *, failure: Exception | None = None) -> None:
        self.document = document
        self.failure = failure
        self.is_ready = True
        self.asked: list[AppRef] = []
        self.asked_ready = 0

    def actual(self, application: AppRef, now: datetime) -> Mapping[str, Any] | None:
        assert now == NOW
        self.asked.append(application)
        if self.failure:
            raise self.failure
        return self.document

    def ready(self) -> bool:
        self.asked_ready += 1
        if self.failure:
            raise self.failure
        return self.is_ready


SERVED = {"application": {"namespace": "argocd", "name": "checkout"}, "currency": "USD"}


def api(services: GivenServices | None = None, *, hashes: str | None = None, now: Clock | None = None) -> Api:
    tokens = TokenHashes.parse(token_hash(TOKEN) if hashes is None else hashes)
    return create_app(services or GivenServices(SERVED), tokens=tokens, now=now or Clock())


def outcomes(sent: Sent, services: GivenServices | None = None, **settings: Any) -> list[Outcome]:
    """Return the outcomes of a request in payload format 2.0 and 1.0, from one API."""
    answering = api(services, **settings)
    return [answering.answer(event) for event in (sent.v2(), sent.v1())]


def asked(sent: Sent, services: GivenServices | None = None, **settings: Any) -> tuple[int, str]:
    """Return status and problem code, which must be the same for both payload formats."""
    found = {(one.answer["statusCode"], one.code) for one in outcomes(sent, services, **settings)}
    assert len(found) == 1, found
    return found.pop()


def content(answer: Mapping[str, Any]) -> Any:
    """Return an answer's JSON, unpacked if it is packed."""
    if not answer["isBase64Encoded"]:
        return json.loads(answer["body"])
    assert answer["headers"]["Content-Encoding"] == "gzip"
    return json.loads(gzip.decompress(base64.b64decode(answer["body"])))
