"""Entry point: the schedule's event every five minutes."""

import os
from collections.abc import Mapping
from typing import Any, Protocol

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from costintel.collection.deadline import Deadline
from costintel.config import Environment
from costintel.errors import InvalidInput
from costintel.wiring import build_exporter
from exporter.jobs import Jobs, Report

_logger = Logger()
_metrics = Metrics(namespace=os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "CostIntel", service="exporter")
_jobs = Jobs(build_exporter(Environment(os.environ)))


class Context(Protocol):
    """What of Lambda's context is used."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the invocation is cut off."""
        ...


def handler(event: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Bring the tables of live objects up to date, log what came of it and count it; answers with an empty object.

    Raises InvalidInput for any other event than the schedule's.
    """
    if event.get("source") != "costintel.schedule" or event.get("job") != "live":
        raise InvalidInput("event", "the schedule's live job")
    _tell(_jobs.live(Deadline(lambda: context.get_remaining_time_in_millis() / 1000)))
    return {}


def _tell(report: Report) -> None:
    """Log the job's facts: never a token, nor anything the API server or OpenCost wrote."""
    level = _logger.warning if report.warnings else _logger.info
    level("live", extra={**report.facts, "warnings": list(report.warnings)})
    for name, value in report.counts.items():
        _metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)
    if report.counts:
        _metrics.flush_metrics()
