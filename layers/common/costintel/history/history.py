"""The hourly run: days, then series, then what is old; and what is told of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, TypeVar

from costintel.collection.days import Days, DaysOutcome, Patience
from costintel.collection.deadline import Deadline
from costintel.errors import StorageError
from costintel.history.retention import Pruned, Retention
from costintel.history.series import Series, SeriesOutcome
from costintel.history.turns import Turns
from costintel.storage.run_summaries import RunSummaries, RunSummary

JOB = "days"
_FOR_SERIES_SECONDS = 180.0
"""So much of a run is left for the series: else they would wait until every day is asked."""
_PATIENCE_SECONDS = 300.0
Outcome = TypeVar("Outcome", bound=DaysOutcome | SeriesOutcome | Pruned)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run did, skipped and why, and left: `summary` is a JSON object.

    `days` and `series` are None where nothing was done, or PostgreSQL stopped it; `parts_failed` counts the latter.
    """

    summary: Mapping[str, Any]
    days: DaysOutcome | None = None
    series: SeriesOutcome | None = None
    parts_failed: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class History:
    """The history of one cluster; `history_days` 0 switches it off."""

    cluster: str
    history_days: int
    days: Days
    series: Series
    retention: Retention
    turns: Turns
    summaries: RunSummaries
    clock: Callable[[], datetime]
    patience_seconds: float = _PATIENCE_SECONDS

    def run(self, *, deadline: Deadline) -> Report:
        """Do everything that is due and keep a summary of it. Raises StorageError when not even that can be kept."""
        started_at = self.clock()
        if self.history_days == 0:
            return Report(summary={"off": True})
        with self.turns.taken(deadline) as is_ours:
            if not is_ours:
                return Report(summary={"skipped": "another run is at it"})
            report = self._run(deadline)
        self.summaries.add(
            self.cluster,
            RunSummary(job=JOB, started_at=started_at, finished_at=self.clock(), summary=report.summary),
        )
        return report

    def _run(self, deadline: Deadline) -> Report:
        parts = _Parts()
        for_days = Deadline(lambda: deadline.remaining() - _FOR_SERIES_SECONDS)
        patience = Patience(seconds=self.patience_seconds)
        days = parts.done("days", lambda: self.days.run(deadline=for_days, patience=patience))
        series = parts.done("series", lambda: self.series.fold(now=self.clock(), deadline=deadline))
        warning = "" if series is None else series.warning
        applications_too = series is not None and not warning
        parts.done("pruned", lambda: self.retention.prune(now=self.clock(), applications_too=applications_too))
        errors = () if days is None else days.errors
        return Report(
            summary=parts.summary,
            days=days,
            series=series,
            parts_failed=len(parts.errors),
            warnings=(*parts.errors, *errors, *([warning] if warning else [])),
        )


@dataclass(slots=True)
class _Parts:
    """The parts of a run; one that PostgreSQL stops does not stop the next, which begins with a new connection."""

    summary: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def done(self, name: str, part: Callable[[], Outcome]) -> Outcome | None:
        """Do a part and put what came of it into the summary; None if it was stopped."""
        try:
            outcome = part()
        except StorageError as error:
            self.summary[name] = {"error": str(error)}
            self.errors.append(f"{name}: {error}")
            return None
        self.summary[name] = {one.name: _plain(getattr(outcome, one.name)) for one in fields(outcome)}
        return outcome


def _plain(value: object) -> object:
    """Return a value of an outcome as JSON has it."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    assert isinstance(value, tuple)
    return [str(one) for one in value]
