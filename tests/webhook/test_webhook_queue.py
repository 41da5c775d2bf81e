"""Sending to SQS, against moto's server."""

import socket
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from costintel.argocd.message import LIMIT_BYTES, parse_message
from tests.argocd.bodies import body
from tests.webhook.receivers import KeepingQueue, posted, receiver
from webhook.queue import QueueUnavailable, SyncQueue

LAMBDA_SECONDS = 10


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "example")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    yield f"http://127.0.0.1:{port}"
    server.stop()


def made(endpoint: str, monkeypatch: pytest.MonkeyPatch, queue_url: str | None = None) -> SyncQueue:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", endpoint)
    return SyncQueue(queue_url or f"{endpoint}/123456789012/syncs")


def test_a_sync_arrives_as_it_was_sent(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the webhook accepts can be received from the queue."""
    sqs = boto3.client("sqs", endpoint_url=endpoint)
    url = sqs.create_queue(QueueName="syncs")["QueueUrl"]
    kept = KeepingQueue()
    receiver(kept).receive(posted(body()).v2())
    made(endpoint, monkeypatch, url).send(kept.messages[0])

    received = sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"]
    assert parse_message(received) == kept.syncs[0]


def test_the_largest_message_is_taken(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of the limit's size fits into a queue with its default settings."""
    sqs = boto3.client("sqs", endpoint_url=endpoint)
    url = sqs.create_queue(QueueName="large")["QueueUrl"]

    made(endpoint, monkeypatch, url).send("x" * LIMIT_BYTES)
    assert len(sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"]) == LIMIT_BYTES


def test_a_queue_that_is_not_there_is_unavailable(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of SQS is told by its kind, without its text."""
    queue = made(endpoint, monkeypatch, f"{endpoint}/123456789012/no-such-queue")

    with pytest.raises(QueueUnavailable, match=r"^QueueDoesNotExist$"):
        queue.send("{}")


def test_an_endpoint_that_is_not_there_is_answered_503(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens: the controller is told to send the notification again."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    outcome = receiver(made(address, monkeypatch)).receive(posted(body()).v2())

    assert outcome.answer["statusCode"] == 503
    assert outcome.facts["cause"] == "EndpointConnectionError"


def test_the_time_for_sending_is_bounded_below_the_functions_own(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All attempts together end before Lambda would cut the function off without an answer."""
    settings: Any = made(endpoint, monkeypatch)._client.meta.config
    attempts = settings.retries["total_max_attempts"]

    assert attempts == 2
    assert attempts * (settings.connect_timeout + settings.read_timeout) < LAMBDA_SECONDS - 2
