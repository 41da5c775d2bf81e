"""The jobs of `history`, and what is told of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from costintel.collection.deadline import Deadline
from costintel.cost.application import AppRef
from costintel.errors import InvalidInput, StorageError
from costintel.history.history import History
from costintel.history.history import Report as Run
from costintel.history.refolding import Refolding


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is logged of a job, and counted: a metric is there when it is not zero."""

    job: str
    facts: Mapping[str, Any]
    counts: Mapping[str, int]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Jobs:
    """Runs the jobs; a failure of PostgreSQL is told, not raised: the next run goes on where this one stopped."""

    history: History
    refolding: Refolding

    def days(self, deadline: Deadline) -> Report:
        """Do the hourly run."""
        try:
            report = self.history.run(deadline=deadline)
        except StorageError as error:
            return _stopped("days", error)
        return Report(job="days", facts=report.summary, counts=_counts(report), warnings=report.warnings)

    def refold(self, applications: Collection[AppRef] | None, deadline: Deadline) -> Report:
        """Have series folded anew, and begin with it."""
        try:
            begun = self.refolding.begin(applications)
            outcome = self.refolding.go_on(deadline=deadline)
        except StorageError as error:
            return _stopped("refold", error)
        facts = {"series": begun, "days": 0, "rows": 0, "waiting": None}
        if outcome is not None:
            facts |= {"days": outcome.days, "rows": outcome.rows, "waiting": outcome.waiting}
        return Report(job="refold", facts=facts, counts={})


def applications_of(event: Mapping[str, Any]) -> list[AppRef] | None:
    """Return the Applications an event names, None for all. Raises InvalidInput naming the place of what is none."""
    if "applications" not in event:
        return None
    listed = event["applications"]
    if not isinstance(listed, list) or not listed:
        raise InvalidInput("applications", "a list of namespace:name")
    return [_application(text, index) for index, text in enumerate(listed)]


def _application(text: object, index: int) -> AppRef:
    application = AppRef.parse(text) if isinstance(text, str) else None
    if application is None:
        raise InvalidInput(f"applications[{index}]", "namespace:name")
    return application


def _counts(run: Run) -> dict[str, int]:
    days, series = run.days, run.series
    counts = {
        "DaysStored": 0 if days is None else len(days.folded) + len(days.asked),
        "DaysFailed": 0 if days is None else len(days.failed),
        "SeriesRowsChanged": 0 if series is None else series.rows,
        "JobsStopped": run.parts_failed,
    }
    return {name: count for name, count in counts.items() if count}


def _stopped(job: str, error: StorageError) -> Report:
    return Report(job=job, facts={"error": str(error)}, counts={"JobsStopped": 1}, warnings=(str(error),))
