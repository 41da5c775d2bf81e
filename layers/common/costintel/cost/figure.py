"""The one shape in which costs leave the service: a window's cost, its projection, and what of it is idle."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from math import fsum

from costintel.cost.amounts import RESOURCES, Amounts
from costintel.cost.container import ContainerCost
from costintel.cost.idle import efficiency
from costintel.cost.projection import Confidence, confidence, measured_hours, monthly
from costintel.cost.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Workload idle of a window. `complete` False: some usage was not measured, the amounts are "at least"."""

    cpu: float
    ram: float
    complete: bool

    @property
    def total(self) -> float:
        """CPU and memory together."""
        return self.cpu + self.ram


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """Used / requested over rows with a request and measured usage; None without any."""

    cpu: float | None
    ram: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodFigure:
    """A pod's share of a figure."""

    namespace: str
    pod: str
    controller_kind: str
    controller: str
    cost: Amounts
    idle: Idle
    containers: tuple[ContainerCost, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What something cost in `window`, from the hours of it that were measured.

    `monthly` is None when there is too little data. `source` says what it was folded from: live (the newest 24 hours),
    hours, day or trailing_hour. `basis_hours` is the length of the month of the projection.
    """

    window: Window
    measured_hours: float
    basis_hours: int
    confidence: Confidence
    scope: str
    source: str
    cost: Amounts
    monthly: Amounts | None
    idle: Idle
    efficiency: Efficiency
    pods: tuple[PodFigure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTerms:
    """What a figure states beside its amounts."""

    window: Window
    basis_hours: int
    scope: str
    source: str


def figure(
    containers: Sequence[ContainerCost], observed: Sequence[Window], *, known_since: datetime | None, terms: FigureTerms
) -> Figure | None:
    """Build the figure of `containers` over the good hours whose observed spans are `observed`.

    Measured hours count from `known_since` (records, creation times, earlier hours; None when nobody knows), or from the first
    own row where that is earlier: what ran existed. Without either the thing is unknown and, like a window without a measured
    hour, gives None. Unmounted volumes never determine the hours.
    """
    first_row = min((datetime.fromtimestamp(row.start, UTC) for row in containers if row.running), default=None)
    since = min((moment for moment in (known_since, first_row) if moment is not None), default=None)
    hours = 0.0 if since is None else measured_hours(observed, since)
    if hours <= 0:
        return None
    cost = Amounts.sum(row.amounts for row in containers)
    return Figure(
        window=terms.window,
        measured_hours=hours,
        basis_hours=terms.basis_hours,
        confidence=confidence(hours, age_known=known_since is not None),
        scope=terms.scope,
        source=terms.source,
        cost=cost,
        monthly=_monthly(cost, hours, terms.basis_hours),
        idle=idle_of(containers),
        efficiency=efficiency_of(containers),
        pods=_pods(containers),
    )


def _monthly(cost: Amounts, hours: float, basis_hours: int) -> Amounts | None:
    parts = [monthly(part, hours, basis_hours=basis_hours) for part in cost.parts()]
    known = [part for part in parts if part is not None]
    return Amounts(**dict(zip(RESOURCES, known, strict=True))) if len(known) == len(parts) else None


def idle_of(rows: Sequence[ContainerCost]) -> Idle:
    """Return the workload idle of `rows` together."""
    return Idle(
        cpu=fsum(row.idle_cpu_cost for row in rows),
        ram=fsum(row.idle_ram_cost for row in rows),
        complete=all(row.idle_complete for row in rows),
    )


def efficiency_of(rows: Sequence[ContainerCost]) -> Efficiency:
    """Return used / requested of `rows` together."""
    return Efficiency(
        cpu=efficiency(
            fsum(row.cpu_core_hours_used for row in rows), fsum(row.cpu_core_hours_requested for row in rows)
        ),
        ram=efficiency(
            fsum(row.ram_byte_hours_used for row in rows), fsum(row.ram_byte_hours_requested for row in rows)
        ),
    )


def _pods(containers: Sequence[ContainerCost]) -> tuple[PodFigure, ...]:
    ordered = sorted(containers, key=lambda row: row[:3])
    return tuple(_pod(list(rows)) for _, rows in groupby(ordered, key=lambda row: row[:2]))


def _pod(rows: list[ContainerCost]) -> PodFigure:
    named = next((row for row in rows if row.controller), rows[0])
    return PodFigure(
        namespace=named.namespace,
        pod=named.pod,
        controller_kind=named.controller_kind,
        controller=named.controller,
        cost=Amounts.sum(row.amounts for row in rows),
        idle=idle_of(rows),
        containers=tuple(rows),
    )
