"""A webhook whose queue keeps what it is given."""

from datetime import UTC, datetime
from typing import Any

from costintel.argocd.destination import DestinationRules
from costintel.argocd.message import parse_message
from costintel.argocd.tokens import TokenHashes
from costintel.cost.application import AppRef
from costintel.cost.sync import Sync
from tests.argocd.events import Headers, Sent, token_hash
from webhook.queue import QueueUnavailable
from webhook.receiving import Queue, Receiver, Rules

TOKEN = "webhook-token-example"
NOW = datetime(2026, 11, 30, 8, 20, tzinfo=UTC)
PATH = "/api/cost-analysis/on-sync"
AUTHORIZED = (("Authorization", f"Bearer {TOKEN}"),)


class KeepingQueue:
    """Keeps the messages, or refuses them."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.messages: list[str] = []
        self._refuses = refuses

    def send(self, message: str) -> None:
        if self._refuses:
            raise QueueUnavailable("EndpointConnectionError")
        self.messages.append(message)

    @property
    def syncs(self) -> list[Sync]:
        return [parse_message(message) for message in self.messages]


def receiver(queue: Queue, *, hashes: str | None = None, access: AppRef | None = None) -> Receiver:
    rules = Rules(
        tokens=TokenHashes.parse(token_hash(TOKEN) if hashes is None else hashes),
        cluster="local",
        destinations=DestinationRules(),
        access=access,
    )
    return Receiver(rules, queue, now=lambda: NOW)


def posted(body: str | bytes, *, headers: Headers = AUTHORIZED, method: str = "POST") -> Sent:
    return Sent(method=method, path=PATH, headers=headers, body=body)


def events(sent: Sent) -> list[dict[str, Any]]:
    """Return the request in both payload formats."""
    return [sent.v2(), sent.v1()]
