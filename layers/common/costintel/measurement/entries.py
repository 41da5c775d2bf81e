"""The catalogue's entries: what each Application costs, and what of it counts once in the cluster's sums."""

from collections.abc import Sequence
from dataclasses import dataclass

from costintel.cost.amounts import RESOURCES, Amounts
from costintel.cost.collection import LiveHeader
from costintel.cost.figure import Figure
from costintel.cost.projection import LEAST_HOURS, confidence, monthly
from costintel.cost.workload import Workload, WorkloadsCost
from costintel.measurement.subject import Subject, SubjectState

LIVE = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """How many hours of the window something was measured, 0 for none; `is_known` False when its age is a guess."""

    hours: float
    is_known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Amounts in millionths, rounded so that all of the cluster's together add up; costs in the order of the resources.

    `monthly` is None where there is too little to project from.
    """

    cost: tuple[int, ...]
    monthly: tuple[int, ...] | None
    idle: tuple[int, ...]
    idle_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An Application with its own cost, and what of it counts at it and nowhere else."""

    subject: Subject
    workloads: Sequence[Workload]
    own: WorkloadsCost
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
        return sum(self.own.sums[:6]) / self.age.hours if self.age.hours >= LEAST_HOURS else 0.0

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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnownedEntry:
    """What no Application owns in one namespace."""

    namespace: str
    age: Age
    counted: Counted


def _monthly(amounts: Amounts, hours: float, basis_hours: int) -> Amounts | None:
    parts = [monthly(part, hours, basis_hours=basis_hours) for part in amounts.parts()]
    known = [part for part in parts if part is not None]
    return Amounts(**dict(zip(RESOURCES, known, strict=True))) if len(known) == len(parts) else None
