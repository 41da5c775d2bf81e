"""Entry point: batches of syncs from the queue, and the schedule's tick every minute."""

import os
from collections.abc import Mapping
from typing import Any, Protocol

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from costintel import clock
from costintel.collection.deadline import Deadline
from costintel.config import Environment
from costintel.errors import InvalidInput
from costintel.wiring import build_measure
from measure.jobs import Jobs, Report

_logger = Logger()
_metrics = Metrics(namespace=os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "CostIntel", service="measure")
_jobs = Jobs(build_measure(Environment(os.environ)), now=clock.now)


class Context(Protocol):
    """What of Lambda's context is used."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the invocation is cut off."""
        ...


def handler(event: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Do one batch or one tick, log what came of it and count it. Raises InvalidInput for any other event.

    A batch answers with the messages that must come again (`batchItemFailures`), a tick with an empty object.
    """
    deadline = Deadline(lambda: context.get_remaining_time_in_millis() / 1000)
    if event.get("source") == "costintel.schedule" and event.get("job") == "tick":
        _tell(_jobs.tick(deadline))
        return {}
    records = event.get("Records")
    if not isinstance(records, list):
        raise InvalidInput("event", "a batch of SQS or the schedule's tick")
    report = _jobs.batch({record["messageId"]: record["body"] for record in records}, deadline)
    _tell(report)
    return {"batchItemFailures": [{"itemIdentifier": message} for message in report.failed_messages]}


def _tell(report: Report) -> None:
    """Log a job's facts: never a message's body, nor anything OpenCost wrote."""
    level = _logger.warning if report.warnings else _logger.info
    level(report.job, extra={**report.facts, "warnings": list(report.warnings)})
    for name, value in report.counts.items():
        _metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)
    if report.counts:
        _metrics.flush_metrics()
