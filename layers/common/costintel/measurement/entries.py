"""The catalogue's entries: what each Application costs, and what of it counts once in the cluster's sums."""

from collections.abc import Sequence
from typing import NamedTuple

from costintel.cost.amounts import RESOURCES, Amounts
from costintel.cost.collection import LiveHeader
from costintel.cost.figure import Figure
from costintel.cost.projection import LEAST_HOURS, confidence, monthly
from costintel.cost.workload import Workload, WorkloadCost
from costintel.measurement.subject import Subject, SubjectState
from costintel.measurement.sums import Counted

LIVE = "live"


class Age(NamedTuple):
    """How many hours of the window something was measured, 0 for none; `is_known` False when its age is a guess."""

    hours: float
    is_known: bool


class Entry(NamedTuple):
    """An Application with its own cost, all resources together `cost`, and what of it counts at it and nowhere else."""

    subject: Subject
    workloads: Sequence[Workload]
    own: WorkloadCost
    cost: float
    age: Age
    counted: Counted

    @property
    def state(self) -> SubjectState:
        """How far its costs are known: a record that still has no figure has been measured once there is a current one."""
        subject = self.subject
        is_recorded = subject.state is SubjectState.RECEIVED and subject.has_record
        return SubjectState.MEASURED if is_recorded and self.age.hours > 0 else subject.state

    @property
    def pods(self) -> int:
        """How many of its pods ran."""
        return len(frozenset[str]().union(*(workload.pods for workload in self.workloads)))

    @property
    def hourly_cost(self) -> float:
        """What a measured hour costs, to sort by; 0 where nothing can be projected."""
        return self.cost / self.age.hours if self.age.hours >= LEAST_HOURS else 0.0

    def figure(self, header: LiveHeader, basis_hours: int) -> Figure | None:
        """Return its current figure without its pods, None when no hour of it was measured."""
        hours = self.age.hours
        if hours <= 0:
            return None
        return Figure(
            window=header.window,
            measured_hours=hours,
            basis_hours=basis_hours,
            confidence=confidence(hours, age_known=self.age.is_known),
            scope=self.subject.scope,
            source=LIVE,
            cost=self.own.amounts,
            monthly=_monthly(self.own.amounts, hours, basis_hours),
            idle=self.own.idle,
            efficiency=self.own.efficiency,
            pods=(),
        )


class UnownedEntry(NamedTuple):
    """What no Application owns in one namespace."""

    namespace: str
    age: Age
    counted: Counted


def _monthly(amounts: Amounts, hours: float, basis_hours: int) -> Amounts | None:
    parts = [monthly(part, hours, basis_hours=basis_hours) for part in amounts.parts()]
    known = [part for part in parts if part is not None]
    return Amounts(**dict(zip(RESOURCES, known, strict=True))) if len(known) == len(parts) else None
