"""The two jobs of `measure`, and what is told of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from costintel.collection.deadline import Deadline
from costintel.errors import StorageError
from costintel.measurement.measuring import Measuring, Outcome

_FOREIGN = "OpenCost's containers are all of other clusters: is CLUSTER_ID its id of this one?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is logged of a job, and counted: a metric is there when it is not zero."""

    job: str
    facts: Mapping[str, Any]
    counts: Mapping[str, int]
    warnings: tuple[str, ...] = ()
    failed_messages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Jobs:
    """Runs a batch or a tick; a failure of PostgreSQL is told, not raised: everything stays remembered and is tried again."""

    measuring: Measuring
    now: Callable[[], datetime] = field(kw_only=True)

    def tick(self, deadline: Deadline) -> Report:
        """Do everything that is due."""
        try:
            outcome = self.measuring.tick(now=self.now(), deadline=deadline)
        except StorageError as error:
            return _stopped("tick", {}, error)
        return _done("tick", {}, outcome)

    def batch(self, bodies: Mapping[str, str], deadline: Deadline) -> Report:
        """Remember the syncs of a batch (message id to body), then measure the new ones as far as that can be done now.

        Only a message that is not remembered has failed; whatever happens afterwards is the tick's to make good.
        """
        now = self.now()
        received = self.measuring.receive(bodies, now=now)
        failed = tuple(received.failed)
        facts = {"messages": len(bodies), "syncs_new": len(received.new), "messages_failed": len(failed)}
        reasons = tuple(sorted(set(received.failed.values())))
        if not received.new:
            return Report(job="batch", facts=facts, counts=_counts(facts), warnings=reasons, failed_messages=failed)
        try:
            outcome = self.measuring.measure(received.new, now=now, deadline=deadline)
        except Exception as error:  # noqa: BLE001  the messages are remembered: failing them would only bring them again
            return _stopped("batch", facts, error, warnings=reasons, failed_messages=failed)
        return _done("batch", facts, outcome, warnings=reasons, failed_messages=failed)


def _done(job: str, facts: Mapping[str, Any], outcome: Outcome, **rest: tuple[str, ...]) -> Report:
    hours, syncs = outcome.hours, outcome.syncs
    told = {
        **facts,
        "hours_stored": len(hours.asked),
        "hours_failed": len(hours.failed),
        "hours_left": len(hours.left),
        "figures": syncs.measured + outcome.first_currents + outcome.installed.measured,
        "syncs_waiting": syncs.waiting,
        "syncs_done": syncs.done,
        "syncs_failed": syncs.failed,
        "installs_done": outcome.installed.measured,
        "installs_waiting": outcome.installed.waiting,
        "corrections": outcome.corrections,
        "applications_pruned": outcome.pruned_applications,
        "hours_pruned": outcome.pruned_hours,
    }
    errors = sorted(syncs.errors | outcome.installed.errors)
    warnings = (*rest.pop("warnings", ()), *errors, *((_FOREIGN,) if hours.foreign else ()))
    return Report(job=job, facts=told, counts=_counts(told), warnings=warnings, **rest)


def _stopped(job: str, facts: Mapping[str, Any], error: Exception, **rest: tuple[str, ...]) -> Report:
    """Tell of a job that was cut short; only our own errors' texts are safe to log."""
    reason = str(error) if isinstance(error, StorageError) else type(error).__name__
    warnings = (*rest.pop("warnings", ()), reason)
    return Report(job=job, facts=facts, counts={**_counts(facts), "JobsStopped": 1}, warnings=warnings, **rest)


_METRICS = {
    "syncs_new": "SyncsReceived",
    "messages_failed": "MessagesFailed",
    "hours_stored": "HoursStored",
    "hours_failed": "HoursFailed",
    "figures": "FiguresMeasured",
    "syncs_failed": "SyncsFailed",
}


def _counts(facts: Mapping[str, int]) -> dict[str, int]:
    return {name: facts[fact] for fact, name in _METRICS.items() if facts.get(fact)}
