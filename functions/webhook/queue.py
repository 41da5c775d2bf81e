"""The SQS queue that carries syncs to `measure`."""

from typing import TYPE_CHECKING, cast

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import get_session

from costintel.errors import CostIntelError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_CONFIG = Config(
    connect_timeout=1,
    read_timeout=2,
    # The waiting controller has one worker by default: two short attempts, then its own retries take over.
    retries={"mode": "standard", "total_max_attempts": 2},
    max_pool_connections=1,
    tcp_keepalive=True,
)


class QueueUnavailable(CostIntelError):
    """SQS did not take the message; sending it again later helps."""


class SyncQueue:
    """Sends to one queue. botocore without boto3 on top: a quarter less of the cold start."""

    def __init__(self, queue_url: str, *, region: str | None = None) -> None:
        self._queue_url = queue_url
        client = get_session().create_client("sqs", region_name=region, config=_CONFIG)
        self._client = cast("SQSClient", client)

    def send(self, message: str) -> None:
        """Send one message. Raises QueueUnavailable."""
        try:
            self._client.send_message(QueueUrl=self._queue_url, MessageBody=message)
        except (BotoCoreError, ClientError) as error:
            raise QueueUnavailable(type(error).__name__) from error
