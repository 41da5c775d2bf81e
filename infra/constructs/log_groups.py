"""Log groups that forget."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.settings import Settings

_RETENTION = {
    1: logs.RetentionDays.ONE_DAY,
    3: logs.RetentionDays.THREE_DAYS,
    7: logs.RetentionDays.ONE_WEEK,
    14: logs.RetentionDays.TWO_WEEKS,
    30: logs.RetentionDays.ONE_MONTH,
    90: logs.RetentionDays.THREE_MONTHS,
    180: logs.RetentionDays.SIX_MONTHS,
    365: logs.RetentionDays.ONE_YEAR,
}


def log_group(scope: Construct, construct_id: str, *, settings: Settings) -> logs.LogGroup:
    """Return a log group that keeps lines for `settings.log_retention_days` and goes with the stack."""
    return logs.LogGroup(
        scope,
        construct_id,
        retention=_RETENTION[settings.log_retention_days],
        removal_policy=RemovalPolicy.DESTROY,
    )
