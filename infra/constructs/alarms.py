"""The alarms that are worth waking somebody for: ten at most, each costs."""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.constructs.watched import Watched, own_count

_BELOW = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
_QUIET_IS_BAD = cloudwatch.TreatMissingData.BREACHING

_FREE_STORAGE_BYTES = 3 * 2**30


@dataclass(frozen=True, kw_only=True, slots=True)
class AlarmPlan:
    """An alarm: what it says, on which metric, from which value, in how many periods in a row."""

    name: str
    meaning: str
    metric: cloudwatch.IMetric
    threshold: float
    periods: int = 1
    comparison: cloudwatch.ComparisonOperator = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
    missing: cloudwatch.TreatMissingData = cloudwatch.TreatMissingData.NOT_BREACHING


def alarm_plans(watched: Watched) -> Sequence[AlarmPlan]:
    """Return the alarms."""
    return (*_intake_alarms(watched), *_measure_alarms(watched), *_queue_alarms(watched), *_database_alarms(watched))


def _intake_alarms(watched: Watched) -> Sequence[AlarmPlan]:
    """Return the alarms on what Argo CD and its users call."""
    five = Duration.minutes(5)
    webhook = watched.webhook.function
    return (
        AlarmPlan(
            name="WebhookErrors",
            meaning="webhook failed: syncs may be lost, Argo CD repeats a notification only twice",
            metric=webhook.metric_errors(period=five, statistic="Sum"),
            threshold=1,
        ),
        AlarmPlan(
            name="WebhookThrottles",
            meaning="webhook was throttled: the account's concurrency is used up",
            metric=webhook.metric_throttles(period=five, statistic="Sum"),
            threshold=1,
        ),
        AlarmPlan(
            name="ApiServerErrors",
            meaning="the HTTP API answered 5xx for a quarter of an hour",
            metric=watched.http_api.api.metric_server_error(period=five, statistic="Sum"),
            threshold=5,
            periods=3,
        ),
    )


def _measure_alarms(watched: Watched) -> Sequence[AlarmPlan]:
    """Return the alarms on what figures depend on."""
    quarter = Duration.minutes(15)
    measure = watched.measure.function
    return (
        AlarmPlan(
            name="MeasureErrors",
            meaning="measure failed three times within a quarter of an hour",
            metric=measure.metric_errors(period=quarter, statistic="Sum"),
            threshold=3,
        ),
        AlarmPlan(
            name="MeasureStopped",
            meaning="measure was not started for a quarter of an hour: the schedule stands still, figures grow old",
            metric=measure.metric_invocations(period=quarter, statistic="Sum"),
            threshold=1,
            comparison=_BELOW,
            missing=_QUIET_IS_BAD,
        ),
        AlarmPlan(
            name="HoursMissing",
            meaning="no hour was stored for three hours: OpenCost does not answer, or is not reached",
            metric=own_count("measure", "HoursStored", minutes=60),
            threshold=1,
            periods=3,
            comparison=_BELOW,
            missing=_QUIET_IS_BAD,
        ),
    )


def _queue_alarms(watched: Watched) -> Sequence[AlarmPlan]:
    """Return the alarms on syncs that wait."""
    five = Duration.minutes(5)
    queue = watched.queue
    return (
        AlarmPlan(
            name="DeadLetters",
            meaning="a message could not be stored 20 times: see docs/operations.md before redriving it",
            metric=queue.dead_letters.metric_approximate_number_of_messages_visible(period=five, statistic="Maximum"),
            threshold=1,
        ),
        AlarmPlan(
            name="QueueAge",
            meaning="a sync waits in the queue for half an hour: measure cannot store it",
            metric=queue.queue.metric_approximate_age_of_oldest_message(period=five, statistic="Maximum"),
            threshold=1800,
        ),
    )


def _database_alarms(watched: Watched) -> Sequence[AlarmPlan]:
    """Return the alarms on the database's size."""
    instance = watched.database.instance
    return (
        AlarmPlan(
            name="DatabaseStorage",
            meaning="less than 3 GiB of the database's storage are free",
            metric=instance.metric_free_storage_space(period=Duration.minutes(5), statistic="Minimum"),
            threshold=_FREE_STORAGE_BYTES,
            periods=3,
            comparison=_BELOW,
            missing=_QUIET_IS_BAD,
        ),
        AlarmPlan(
            name="DatabaseProcessor",
            meaning="the database's CPU was over 80 % for half an hour: it is too small, or something runs wild",
            metric=instance.metric_cpu_utilization(period=Duration.minutes(10), statistic="Average"),
            threshold=80,
            periods=3,
        ),
    )
