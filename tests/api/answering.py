"""An API with services that answer what a test gives them."""

import base64
import gzip
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from api.app import Api, Outcome, create_app
from costintel.argocd.gate import Gate, GateReason
from costintel.argocd.tokens import TokenHashes
from costintel.cost.application import AppRef
from costintel.cost.day_range import DayRange
from costintel.measurement.selection import Selection
from tests.argocd.events import Headers, Sent, token_hash

TOKEN = "proxy-token-example"
NOW = datetime(2026, 11, 30, 8, 20, tzinfo=UTC)
CHECKOUT = AppRef("argocd", "checkout")
ACTUAL = "/api/cost-analysis/checkout/actual"
AUTHORIZED: Headers = (("Authorization", f"Bearer {TOKEN}"),)
GATE = AppRef("argocd", "cost-intel-access")
GATE_HEADERS: Headers = (*AUTHORIZED, ("Argocd-Application-Name", str(GATE)))
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
    """Answers everything with `document`, at the gate GATE; fails with `failure`."""

    def __init__(self, document: Mapping[str, Any] | None = None, *, failure: Exception | None = None) -> None:
        self.document = document
        self.failure = failure
        self.is_ready = True
        self.found_gate = Gate(application=GATE, reason=GateReason.ACCESS_APPLICATION)
        self.elsewhere: datetime | None = None
        self.asked: list[AppRef] = []
        self.selections: list[Selection] = []
        self.ranges: list[DayRange] = []
        self.pages: list[tuple[int, int]] = []
        self.asked_ready = 0
        self.asked_gate = 0

    def actual(self, application: AppRef, now: datetime) -> Mapping[str, Any] | None:
        assert now == NOW
        self.asked.append(application)
        self._fail()
        return self.document

    def daily(self, application: AppRef, days: DayRange, now: datetime) -> Mapping[str, Any] | None:
        self.ranges.append(days)
        return self.actual(application, now)

    def trend(self, application: AppRef, *, offset: int, limit: int, now: datetime) -> Mapping[str, Any] | None:
        self.pages.append((offset, limit))
        return self.actual(application, now)

    def month(self, application: AppRef, now: datetime) -> Mapping[str, Any] | None:
        return self.actual(application, now)

    def elsewhere_since(self, application: AppRef) -> datetime | None:
        self._fail()
        return self.elsewhere

    def gate(self) -> Gate:
        self.asked_gate += 1
        self._fail()
        return self.found_gate

    def config(self) -> Mapping[str, Any]:
        self._fail()
        return self.document or {}

    def applications(self, selection: Selection, now: datetime) -> Mapping[str, Any]:
        assert now == NOW
        self.selections.append(selection)
        self._fail()
        return self.document or {}

    def ready(self) -> bool:
        self.asked_ready += 1
        self._fail()
        return self.is_ready

    def _fail(self) -> None:
        if self.failure:
            raise self.failure


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
