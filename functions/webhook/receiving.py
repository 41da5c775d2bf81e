"""What the webhook answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any, Protocol

from costintel.argocd.answer import Answer, json_answer
from costintel.argocd.destination import DestinationRules
from costintel.argocd.message import sync_message
from costintel.argocd.notification import Accepted, Skipped, parse_notification
from costintel.argocd.payload import MalformedBody, position_of
from costintel.argocd.problem import (
    BODY_MALFORMED,
    BODY_TOO_LARGE,
    FIELD_MALFORMED,
    METHOD_NOT_ALLOWED,
    QUEUE_UNAVAILABLE,
    Problem,
)
from costintel.argocd.request import BodyTooLarge, Request
from costintel.argocd.tokens import TokenHashes, refusal
from costintel.cost.application import AppRef
from costintel.errors import InvalidInput
from webhook.queue import QueueUnavailable

BODY_LIMIT_BYTES = 1024 * 1024
_WRONG_METHOD = (
    "Notifications are POSTed. Argo CD sends GET with the template's `message` when the template has no section for this "
    "service: the key under `webhook:` must be the name in `service.webhook.NAME`"
)


class Queue(Protocol):
    """Where accepted syncs go."""

    def send(self, message: str) -> None:
        """Send one message. Raises QueueUnavailable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What this installation accepts: tokens, its own name, which destinations are its cluster, and what is never measured."""

    tokens: TokenHashes
    cluster: str
    destinations: DestinationRules
    access: AppRef | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An answer, with what the log says about it. `code` is `queued`, a skip reason or a problem's code."""

    answer: Answer
    code: str
    facts: Mapping[str, Any]


class Receiver:
    """Decides on one request after the other.

    A refusal with 4xx is final, because Argo CD tries only 429 and 5xx again: it is for what can never succeed. What is
    understood and not wanted is answered 200, otherwise it would be sent again.
    """

    def __init__(self, rules: Rules, queue: Queue, *, now: Callable[[], datetime]) -> None:
        self._rules = rules
        self._queue = queue
        self._now = now

    def receive(self, event: Mapping[str, Any]) -> Outcome:
        """Answer one event of API Gateway. The token is looked at before anything else."""
        request = Request.of(event)
        refused = refusal(request.header("authorization"), self._rules.tokens, self._now())
        if refused:
            return _refused(refused)
        if request.method != "POST":
            return _refused(Problem(METHOD_NOT_ALLOWED, _WRONG_METHOD, headers={"Allow": "POST"}))
        try:
            body = request.content(BODY_LIMIT_BYTES)
        except InvalidInput as error:
            kind = BODY_TOO_LARGE if isinstance(error, BodyTooLarge) else BODY_MALFORMED
            return _refused(Problem(kind, str(error), {"field": error.field}))
        return self._decide(body)

    def _decide(self, body: bytes) -> Outcome:
        rules = self._rules
        try:
            decision = parse_notification(
                body, now=self._now(), cluster=rules.cluster, rules=rules.destinations, access=rules.access
            )
        except InvalidInput as error:
            return _refused(_problem(error, body))
        if isinstance(decision, Skipped):
            document = {"status": "skipped", "reason": decision.reason}
            facts = {"application": str(decision.application)}
            return Outcome(answer=json_answer(HTTPStatus.OK, document), code=decision.reason, facts=facts)
        return self._enqueue(decision)

    def _enqueue(self, accepted: Accepted) -> Outcome:
        sync = accepted.sync
        try:
            self._queue.send(sync_message(sync))
        except QueueUnavailable as error:
            problem = Problem(QUEUE_UNAVAILABLE, "The queue did not take the sync; send the notification again")
            return _refused(problem, cause=str(error))
        document = {"status": "queued", "id": sync.id}
        facts = {
            "application": str(sync.application),
            "sync": sync.id,
            "resources": None if sync.resources is None else len(sync.resources),
            "finished_at_known": sync.finished_at_known,
        }
        return Outcome(answer=json_answer(HTTPStatus.ACCEPTED, document), code="queued", facts=facts)


def _refused(problem: Problem, *, cause: str = "") -> Outcome:
    facts = {"detail": problem.detail, **problem.members, **({"cause": cause} if cause else {})}
    return Outcome(answer=problem.answer(), code=problem.type.code, facts=facts)


def _problem(error: InvalidInput, body: bytes) -> Problem:
    """Return the problem that names field and position, the position where there is one."""
    if isinstance(error, MalformedBody):
        position = {"line": error.line, "column": error.column}
        detail = f"expected {error.expected}, found something else from line {error.line}, column {error.column} on"
        return Problem(BODY_MALFORMED, detail, {"field": error.field, "position": position})
    place = position_of(body, error.field)
    members = {"field": error.field, **({"position": {"line": place[0], "column": place[1]}} if place else {})}
    return Problem(FIELD_MALFORMED, str(error), members)
