import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mypy_boto3_sqs import SQSClient

from local.children import Children
from local.plan import EventSourcePlan, QueuePlan, SchedulePlan
from local.poller import Poller, failed_ids
from local.postgres import free_port
from local.queues import Queues, queue_url, sqs_client
from local.scheduler import Scheduler
from tests.fixtures.functions import MakeFunction

ACCOUNT = "arn:aws:sqs:us-east-1:123456789012"


@pytest.fixture(scope="module")
def queues(children: Children, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queues]:
    server = Queues(free_port(), children=children, log=tmp_path_factory.mktemp("sqs") / "sqs.log")
    server.start()
    server.wait()
    yield server
    server.close()


@pytest.fixture
def sqs(queues: Queues) -> SQSClient:
    return sqs_client(queues.url)


def plan(name: str, **changes: Any) -> QueuePlan:
    wanted: dict[str, Any] = {
        "name": name,
        "arn": f"{ACCOUNT}:{name}",
        "visibility_seconds": 0,
        "delay_seconds": 0,
        "retention_seconds": 1_209_600,
        "dead_letter_arn": None,
        "receive_count": None,
    }
    return QueuePlan(**{**wanted, **changes})


def until(check: Callable[[], bool], *, seconds: float = 15) -> bool:
    deadline = time.monotonic() + seconds
    while not check() and time.monotonic() < deadline:
        time.sleep(0.02)
    return check()


def seen(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def count(sqs: SQSClient, url: str) -> tuple[int, int]:
    """Give how many messages wait and how many are in flight."""
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    return int(attributes["ApproximateNumberOfMessages"]), int(attributes["ApproximateNumberOfMessagesNotVisible"])


def test_queues_have_the_templates_attributes(queues: Queues, sqs: SQSClient) -> None:
    """Times and redrive are set, the dead-letter queue exists before who names it."""
    queues.create(
        [
            plan("main", visibility_seconds=1800, dead_letter_arn=f"{ACCOUNT}:dead", receive_count=20),
            plan("dead"),
        ]
    )

    attributes = sqs.get_queue_attributes(QueueUrl=queue_url(queues.url, "main"), AttributeNames=["All"])["Attributes"]
    assert attributes["VisibilityTimeout"] == "1800"
    assert json.loads(attributes["RedrivePolicy"]) == {"deadLetterTargetArn": f"{ACCOUNT}:dead", "maxReceiveCount": 20}


def test_done_messages_are_deleted_and_failed_ones_end_in_the_dead_letter_queue(
    queues: Queues, sqs: SQSClient, make_function: MakeFunction, tmp_path: Path
) -> None:
    """A partial failure comes again; after its last receive it goes to the dead-letter queue, alone."""
    queues.create([plan("partial", dead_letter_arn=f"{ACCOUNT}:lost", receive_count=2), plan("lost")])
    url, lost = queue_url(queues.url, "partial"), queue_url(queues.url, "lost")
    for body in ("one", "fail two", "three"):
        sqs.send_message(QueueUrl=url, MessageBody=body)
    log = tmp_path / "seen"
    function = make_function("sample.batch", environment={"SEEN": str(log)})
    mapping = EventSourcePlan(
        function_arn="", queue_arn=f"{ACCOUNT}:partial", batch_size=10, maximum_concurrency=1, partial_failures=True
    )
    poller = Poller(mapping, function=function, endpoint=queues.url, queue_url=url)

    poller.start()
    try:
        assert until(lambda: count(sqs, lost)[0] == 1)
    finally:
        poller.close()

    assert count(sqs, url) == (0, 0)
    bodies = sorted(record["body"] for record in seen(log))
    assert bodies == ["fail two", "fail two", "one", "three"]
    receives = [record["attributes"]["ApproximateReceiveCount"] for record in seen(log) if record["body"] == "fail two"]
    assert receives == ["1", "2"]


def test_a_failing_function_leaves_the_whole_batch(queues: Queues, sqs: SQSClient, make_function: MakeFunction) -> None:
    """An exception deletes nothing."""
    queues.create([plan("exception", visibility_seconds=600)])
    url = queue_url(queues.url, "exception")
    sqs.send_message(QueueUrl=url, MessageBody="one")
    mapping = EventSourcePlan(
        function_arn="", queue_arn=f"{ACCOUNT}:exception", batch_size=10, maximum_concurrency=2, partial_failures=True
    )
    function = make_function("sample.fail")
    poller = Poller(mapping, function=function, endpoint=queues.url, queue_url=url)

    poller.start()
    try:
        assert until(lambda: function.environment_count == 1 and count(sqs, url) == (0, 1))
    finally:
        poller.close()

    assert count(sqs, url) == (0, 1)


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (None, set()),
        ({}, set()),
        ({"batchItemFailures": None}, set()),
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": [{"itemIdentifier": "a"}]}, {"a"}),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, {"a", "b"}),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, {"a", "b"}),
        ({"batchItemFailures": [{"badKey": "a"}]}, {"a", "b"}),
        ({"batchItemFailures": [{"itemIdentifier": "unknown"}]}, {"a", "b"}),
        ({"batchItemFailures": "a"}, {"a", "b"}),
        ("text", {"a", "b"}),
    ],
)
def test_partial_failures_are_read_as_aws_does(answer: Any, failed: set[str]) -> None:
    """Nothing named is success; a name that means nothing fails the whole batch."""
    assert failed_ids(json.dumps(answer).encode(), {"a", "b"}) == failed


def test_a_schedule_fires_at_start_and_then_at_its_rate(make_function: MakeFunction, tmp_path: Path) -> None:
    """The first event comes at once, the next after the rate, both with the schedule's input."""
    log = tmp_path / "seen"
    event = {"Records": [{"messageId": "1", "body": "tick", "attributes": {}}]}
    schedule = SchedulePlan(name="Tick", function_arn="", every_seconds=1, event=event)
    scheduler = Scheduler(schedule, function=make_function("sample.batch", environment={"SEEN": str(log)}))

    scheduler.start()
    try:
        assert until(lambda: len(seen(log)) == 2)
    finally:
        scheduler.close()

    assert [record["body"] for record in seen(log)] == ["tick", "tick"]
