"""How fast the local webhook takes syncs, beside what the local SQS takes alone."""

import contextlib
import hashlib
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from local.event import make_event
from local.gateway import Gateway
from local.http_server import Request
from local.plan import RoutePlan
from local.queues import sqs_client
from local.stack import Stack
from local.webhook import ON_SYNC, Webhook

_CLIENTS = 8
_SYNCS = 200
_SKIPPED = 300
_SINGLE = 50
_ARRIVAL_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookFigures:
    """Milliseconds of one request after another, requests a second of eight clients, and what became of the syncs."""

    without_queue_milliseconds: float
    p50_milliseconds: float
    p95_milliseconds: float
    accepted_per_second: float
    queue_alone_per_second: float
    sent: int
    arrived: int

    @property
    def ratio(self) -> float:
        """Accepted syncs per message that the queue takes alone."""
        return self.accepted_per_second / self.queue_alone_per_second


def measure_webhook(stack: Stack) -> WebhookFigures:
    """Post skipped, single and concurrent syncs, and wait until `measure` has noted all that the stack's queue carried.

    Rates are taken into a queue that nobody empties: on this machine whoever empties it takes the same server's time.

    Raises:
        RuntimeError: a request was not answered as it should be.
    """
    without_queue = _without_queue(stack)
    bodies = [_notification(f"rate-{number}") for number in range(_SYNCS)]
    with _unread_webhook(stack, "single") as webhook:
        single = _seconds_each(lambda number: _push(webhook, bodies[number]), range(_SINGLE))
    with _unread_webhook(stack, "concurrent") as webhook:
        # The environments that eight clients need are started, and their starts are no part of the rate.
        _per_second(lambda _number: _push(webhook, bodies[0]), _CLIENTS)
        accepted = _per_second(lambda number: _push(webhook, bodies[number]), _SYNCS)
    return WebhookFigures(
        without_queue_milliseconds=without_queue * 1000,
        p50_milliseconds=statistics.median(single) * 1000,
        p95_milliseconds=statistics.quantiles(single, n=20)[-1] * 1000,
        accepted_per_second=accepted,
        queue_alone_per_second=_queue_alone(stack, bodies),
        sent=_SYNCS,
        arrived=_burst(stack),
    )


def _burst(stack: Stack) -> int:
    """Post syncs at once, one in four of them twice, through the whole stack; give how many syncs came of it."""
    bodies = [_notification(f"burst-{number}") for number in range(_SYNCS)]
    twice = [*bodies, *bodies[::4]]
    _per_second(lambda number: _push(stack.webhook, twice[number]), len(twice))
    return _arrived(stack, _SYNCS)


@contextlib.contextmanager
def _unread_webhook(stack: Stack, queue: str) -> Iterator[Webhook]:
    """Put the webhook function behind a gateway of its own, in front of a queue that nobody reads."""
    client = sqs_client(stack.queues_url)
    url = client.create_queue(QueueName=queue)["QueueUrl"]
    plan = stack.functions["webhook"].plan
    function = stack.another(replace(plan, environment={**plan.environment, "QUEUE_URL": url}))
    route = RoutePlan(key="$default", function_arn=plan.arn, timeout_seconds=30, throttle=None)
    gateway = Gateway(0, routes=[route], functions={plan.arn: function}, clock=stack.options.now)
    gateway.start()
    try:
        yield Webhook(port=gateway.port, token=stack.options.tokens.webhook)
    finally:
        gateway.close()
        function.close()


def _without_queue(stack: Stack) -> float:
    """Time the function alone, gateway left out, on a notification it skips: everything but the SQS call."""
    skipped = _notification("elsewhere", server="https://other.example.com")
    headers = (("Authorization", f"Bearer {stack.options.tokens.webhook}"), ("Content-Type", "application/json"))
    request = Request(method="POST", target=ON_SYNC, headers=headers, body=skipped)
    event = json.dumps(make_event(request, route_key=f"ANY {ON_SYNC}", now=datetime.now(UTC))).encode()

    def invoke(_number: int) -> None:
        answer = json.loads(stack.functions["webhook"].invoke(event).payload)
        if answer.get("statusCode") != 200:
            raise RuntimeError(f"a notification of another cluster was answered {answer}")

    return statistics.median(_seconds_each(invoke, range(_SKIPPED)))


def _push(webhook: Webhook, notification: bytes) -> None:
    status, answer = webhook.push(notification)
    if status != 202:
        raise RuntimeError(f"the webhook answered {status}: {answer}")


def _queue_alone(stack: Stack, bodies: Sequence[bytes]) -> float:
    """Send messages of the same size straight to the queue server, into a queue of its own, from as many clients."""
    clients = [sqs_client(stack.queues_url) for _ in range(_CLIENTS)]
    url = clients[0].create_queue(QueueName="alone")["QueueUrl"]
    return _per_second(
        lambda number: clients[number % _CLIENTS].send_message(QueueUrl=url, MessageBody=bodies[number].decode()),
        len(bodies),
    )


def _seconds_each(act: Callable[[int], Any], numbers: range) -> list[float]:
    seconds = []
    for number in numbers:
        started_at = time.perf_counter()
        act(number)
        seconds.append(time.perf_counter() - started_at)
    return seconds


def _per_second(act: Callable[[int], Any], count: int) -> float:
    started_at = time.perf_counter()
    with ThreadPoolExecutor(_CLIENTS) as pool:
        list(pool.map(act, range(count)))
    return count / (time.perf_counter() - started_at)


def _arrived(stack: Stack, expected: int) -> int:
    """Wait until the database holds as many syncs as were sent; give how many it holds at the end."""
    query = """
        SELECT count(*) FROM (
            SELECT subject AS id FROM work WHERE kind = 'sync'
            UNION SELECT id FROM cost_actuals WHERE measured_on = 'sync') AS syncs
    """
    deadline = time.monotonic() + _ARRIVAL_SECONDS
    found = 0
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        while found < expected and time.monotonic() < deadline:
            row = connection.execute(query).fetchone()
            found = row[0] if row else 0
            time.sleep(0.2)
    return found


def _notification(name: str, *, server: str = "https://kubernetes.default.svc") -> bytes:
    finished = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=1)
    revision = hashlib.sha256(name.encode()).hexdigest()[:40]
    payload = {
        "schemaVersion": 1,
        "application": name,
        "applicationNamespace": "argocd",
        "project": "default",
        "namespace": "shop",
        "destinationServer": server,
        "revision": revision,
        "syncResult": "Succeeded",
        "syncStartedAt": f"{finished - timedelta(seconds=20):%Y-%m-%dT%H:%M:%SZ}",
        "syncFinishedAt": f"{finished:%Y-%m-%dT%H:%M:%SZ}",
        "resources": [{"group": "apps", "kind": "Deployment", "name": name, "namespace": "shop"}],
    }
    return json.dumps(payload).encode()
