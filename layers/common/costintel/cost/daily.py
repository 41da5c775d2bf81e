"""An Application's cost day by day."""

from dataclasses import dataclass
from datetime import date, datetime

from costintel.cost.amounts import Amounts
from costintel.cost.application import AppRef
from costintel.cost.figure import Idle


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyCost:
    """What an Application cost on a UTC day, in one scope.

    `*_requested` and `*_used` are core-hours and byte-hours of rows with a request and measured usage. `measured_hours` are
    the observed hours in which it could have run; `complete`: the day itself was. `source` is `hours` or `day`.
    """

    application: AppRef
    scope: str
    day: date
    deployment_namespace: str
    cost: Amounts
    idle: Idle
    cpu_core_hours_requested: float
    ram_byte_hours_requested: float
    cpu_core_hours_used: float
    ram_byte_hours_used: float
    measured_hours: float
    complete: bool
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyProgress:
    """Which days an Application's series covers in one scope: `folded_from` to `folded_until`, both included.

    A day without cost leaves no row in the series, so that the rows alone do not tell. `ownership` is a digest of what the
    series was folded with: with another one it is to be folded again.
    """

    application: AppRef
    scope: str
    ownership: str
    folded_from: date
    folded_until: date
    updated_at: datetime
