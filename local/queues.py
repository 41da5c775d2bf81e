"""SQS on one machine: moto's server in its own process, with the queues of the template."""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from local.aws import ACCOUNT_ID, CREDENTIALS, REGION
from local.children import Child, Children
from local.plan import QueuePlan

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

_START_SECONDS = 30.0


class QueuesError(Exception):
    """The SQS server did not start; the message names its log."""


class Queues:
    """The SQS server. It keeps messages in memory: they end with it."""

    def __init__(self, port: int, *, children: Children, log: Path) -> None:
        """Prepare; `start` starts the server, `wait` waits for it."""
        self.url = f"http://127.0.0.1:{port}"
        self._port = port
        self._children = children
        self._log = log
        self._child: Child | None = None

    def start(self) -> None:
        """Start the server; it needs a second or two."""
        self._child = self._children.start(
            [sys.executable, "-P", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self._port)],
            environment={**os.environ, "MOTO_ACCOUNT_ID": ACCOUNT_ID, **CREDENTIALS},
            folder=self._log.parent,
            log=self._log,
        )

    def wait(self) -> None:
        """Return when the server answers.

        Raises:
            QueuesError: it ended, or did not answer in 30 s.
        """
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._child is None or self._child.popen.poll() is not None or time.monotonic() > deadline:
                raise QueuesError(f"the SQS server did not start, see {self._log}")
            time.sleep(0.05)

    def create(self, plans: Sequence[QueuePlan]) -> None:
        """Create the queues, dead-letter queues first, with the settings of the template."""
        client = sqs_client(self.url)
        for plan in sorted(plans, key=lambda plan: plan.dead_letter_arn is not None):
            attributes: dict[QueueAttributeNameType, str] = {
                "VisibilityTimeout": str(plan.visibility_seconds),
                "DelaySeconds": str(plan.delay_seconds),
                "MessageRetentionPeriod": str(plan.retention_seconds),
            }
            if plan.dead_letter_arn is not None:
                redrive = {"deadLetterTargetArn": plan.dead_letter_arn, "maxReceiveCount": plan.receive_count}
                attributes["RedrivePolicy"] = json.dumps(redrive)
            client.create_queue(QueueName=plan.name, Attributes=attributes)

    def close(self) -> None:
        """End the server at once; nothing in it is kept."""
        if self._child is not None:
            self._children.kill(self._child)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/moto-api/data.json", timeout=5):  # noqa: S310  our own URL
                return True
        except (urllib.error.URLError, OSError):
            return False


def queue_url(endpoint: str, name: str) -> str:
    """Give the URL the server has for a queue."""
    return f"{endpoint}/{ACCOUNT_ID}/{name}"


def sqs_client(endpoint: str) -> "SQSClient":
    """Make a client for the local server."""
    return boto3.client(
        "sqs",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        config=Config(retries={"total_max_attempts": 1}, proxies={}),
    )
