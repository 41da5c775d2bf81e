"""The job of `exporter`, and what is told of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from costintel.collection.deadline import Deadline
from costintel.errors import CostIntelError
from costintel.measurement.live_state import LiveState, Refreshed


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is logged of a run, and counted: a metric is there when it is not zero."""

    facts: Mapping[str, Any]
    counts: Mapping[str, int]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Jobs:
    """Runs the job; a failure on the way is told, not raised: the next run does it all again."""

    live_state: LiveState

    def live(self, deadline: Deadline) -> Report:
        """List everything once."""
        try:
            refreshed = self.live_state.refresh(deadline)
        except CostIntelError as error:
            return Report(facts={}, counts={"JobsStopped": 1}, warnings=(str(error),))
        return Report(facts=refreshed.summary, counts=_counts(refreshed), warnings=refreshed.warnings)


def _counts(refreshed: Refreshed) -> dict[str, int]:
    findings = refreshed.findings
    counts = {
        "ListsFailed": sum(not one.complete for one in refreshed.lists.values()),
        "SyncsReconciled": 0 if findings is None else findings.missed,
        "RecordsCorrected": 0 if findings is None else findings.corrections,
        "OpenCostUnreachable": int(not refreshed.opencost.reachable),
    }
    return {name: value for name, value in counts.items() if value}
