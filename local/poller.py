"""The event source mapping between a queue and a function, which AWS runs itself: receive, invoke, delete.

What failed stays in the queue: it comes again after its visibility timeout, and goes to the dead-letter queue after the
last receive. Partial failures as in AWS, "Handling errors for an SQS event source in Lambda".
"""

import json
import logging
import threading
from typing import TYPE_CHECKING, Any, Protocol

import botocore.exceptions

from local.aws import REGION
from local.invocation import Answer, InvocationError
from local.plan import EventSourcePlan
from local.queues import sqs_client

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef

_LONG_POLL_SECONDS = 20
_PAUSE_SECONDS = 1.0
_logger = logging.getLogger(__name__)


class Function(Protocol):
    """What the mapping invokes."""

    def invoke(self, event: bytes) -> Answer:
        """Run the function once."""


class Poller:
    """Feeds one function from one queue, with at most `maximum_concurrency` batches at once."""

    def __init__(self, plan: EventSourcePlan, *, function: Function, endpoint: str, queue_url: str) -> None:
        """Prepare; `start` begins to receive."""
        self._plan = plan
        self._function = function
        self._queue_url = queue_url
        self._client = sqs_client(endpoint)
        self._free = threading.Semaphore(plan.maximum_concurrency)
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin to receive, in threads of its own."""
        threading.Thread(target=self._poll, daemon=True, name="poller").start()

    def close(self) -> None:
        """Receive no more; a batch that is being worked on is left to its function."""
        self._stopped.set()

    def _poll(self) -> None:
        while not self._stopped.is_set():
            self._free.acquire()
            messages = self._receive()
            if messages and not self._stopped.is_set():
                threading.Thread(target=self._work, args=(messages,), daemon=True).start()
            else:
                self._free.release()

    def _receive(self) -> "list[MessageTypeDef]":
        try:
            answer = self._client.receive_message(
                QueueUrl=self._queue_url,
                MaxNumberOfMessages=self._plan.batch_size,
                WaitTimeSeconds=_LONG_POLL_SECONDS,
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
            )
        except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
            if not self._stopped.wait(_PAUSE_SECONDS):
                _logger.warning("the queue does not answer, trying again: %s", type(error).__name__)
            return []
        return answer.get("Messages", [])

    def _work(self, messages: "list[MessageTypeDef]") -> None:
        try:
            self._delete(messages, self._failed_ids(messages))
        except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
            if not self._stopped.is_set():
                _logger.warning("handled messages were not deleted and come again: %s", type(error).__name__)
        finally:
            self._free.release()

    def _failed_ids(self, messages: "list[MessageTypeDef]") -> set[str]:
        everything = {message["MessageId"] for message in messages}
        event = {"Records": [_record(message, self._plan.queue_arn) for message in messages]}
        try:
            answer = self._function.invoke(json.dumps(event).encode())
        except InvocationError as error:
            if not self._stopped.is_set():
                _logger.warning("a batch of %d messages was not taken: %s", len(messages), type(error).__name__)
            return everything
        if answer.failed:
            return everything
        return failed_ids(answer.payload, everything) if self._plan.partial_failures else set()

    def _delete(self, messages: "list[MessageTypeDef]", failed: set[str]) -> None:
        done = [message for message in messages if message["MessageId"] not in failed]
        if done:
            self._client.delete_message_batch(
                QueueUrl=self._queue_url,
                Entries=[{"Id": message["MessageId"], "ReceiptHandle": message["ReceiptHandle"]} for message in done],
            )


def failed_ids(payload: bytes, everything: set[str]) -> set[str]:
    """Read `batchItemFailures`; an answer that cannot be understood fails the whole batch, as in AWS."""
    answer = json.loads(payload)
    if answer is None:
        return set()
    if not isinstance(answer, dict):
        return everything
    failures = answer.get("batchItemFailures") or []
    if not isinstance(failures, list) or not all(isinstance(failure, dict) for failure in failures):
        return everything
    named = {failure.get("itemIdentifier") for failure in failures}
    if not named <= everything:
        return everything
    return named


def _record(message: "MessageTypeDef", queue_arn: str) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message.get("Attributes", {}),
        "messageAttributes": {},
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": REGION,
    }
