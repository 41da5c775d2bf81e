"""What alarms and dashboard look at."""

from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.constructs.api import HttpApi
from infra.constructs.database import Database
from infra.constructs.functions import METRICS_NAMESPACE, CostFunction
from infra.constructs.queue import SyncQueue


@dataclass(frozen=True, kw_only=True, slots=True)
class Watched:
    """The parts of the stack that are watched."""

    webhook: CostFunction
    measure: CostFunction
    history: CostFunction
    exporter: CostFunction
    api: CostFunction
    queue: SyncQueue
    database: Database
    http_api: HttpApi


def own_count(service: str, name: str, *, minutes: int = 5) -> cloudwatch.Metric:
    """Return a count that a function reports itself, summed over `minutes`; Powertools gives it one dimension."""
    return cloudwatch.Metric(
        namespace=METRICS_NAMESPACE,
        metric_name=name,
        dimensions_map={"service": service},
        statistic="Sum",
        period=Duration.minutes(minutes),
    )
