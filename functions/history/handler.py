"""Entry point: the schedule's event every hour, and the operator's wish to have series folded anew."""

import os
from collections.abc import Mapping
from typing import Any, Protocol

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from costintel.collection.deadline import Deadline
from costintel.config import Environment
from costintel.errors import InvalidInput
from costintel.wiring import build_history, build_refolding
from history.jobs import Jobs, Report, applications_of

_logger = Logger()
_metrics = Metrics(namespace=os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or "CostIntel", service="history")
_environment = Environment(os.environ)
_jobs = Jobs(build_history(_environment), build_refolding(_environment))


class Context(Protocol):
    """What of Lambda's context is used."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the invocation is cut off."""
        ...


def handler(event: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Do the hourly run, or have series folded anew; log what came of it, count it, and answer with a summary.

    `{"source": "costintel.schedule", "job": "days"}` is the run. `{"source": "costintel.operator", "job": "refold"}` folds all
    series anew from the stored days, or those of `"applications": ["namespace:name", …]`; what it has no time for is done by
    the next runs. Raises InvalidInput for any other event.
    """
    deadline = Deadline(lambda: context.get_remaining_time_in_millis() / 1000)
    called = (event.get("source"), event.get("job"))
    if called == ("costintel.schedule", "days"):
        return _told(_jobs.days(deadline))
    if called == ("costintel.operator", "refold"):
        return _told(_jobs.refold(applications_of(event), deadline))
    raise InvalidInput("event", "the schedule's days job, or the operator's refold")


def _told(report: Report) -> dict[str, Any]:
    """Log a job's facts, count what is worth it, and return the facts: never anything OpenCost wrote."""
    level = _logger.warning if report.warnings else _logger.info
    level(report.job, extra={"summary": dict(report.facts), "warnings": list(report.warnings)})
    for name, value in report.counts.items():
        _metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)
    if report.counts:
        _metrics.flush_metrics()
    return dict(report.facts)
