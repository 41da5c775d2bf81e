"""The queue between webhook and measure."""

from aws_cdk import Duration
from aws_cdk import aws_sqs as sqs
from constructs import Construct


class SyncQueue(Construct):
    """Carries one message per sync; what cannot be stored 20 times over ends in a dead-letter queue for 14 days.

    The visibility timeout is six times what measure may take, so that no message is worked on twice under throttling.
    """

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            retention_period=Duration.days(14),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
        )
        self.queue = sqs.Queue(
            self,
            "Queue",
            visibility_timeout=Duration.seconds(1800),
            retention_period=Duration.days(4),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead_letters, max_receive_count=20),
        )
