"""The shapes of the answers about one application over time."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from api.documents import (
    Amounts,
    ApplicationName,
    Document,
    Efficiency,
    FigureSummary,
    Hours,
    IdleAmounts,
    Money,
    Span,
)
from costintel.cost.anomaly import AnomalyState

Scope = Literal["application", "namespace"]


class DayDocument(Document):
    """One UTC day."""

    day: date
    state: Literal["complete", "incomplete", "provisional", "gap", "before_history", "absent", "pending"]
    source: Annotated[Literal["hours", "day"] | None, Field(description="null without a figure")]
    measured_hours: Hours | None
    cost: Annotated[Amounts | None, Field(description="null where it is unknown, or the application did not exist")]
    idle: IdleAmounts | None
    efficiency: Efficiency


class DailyAnswer(Document):
    """What an application cost day by day, oldest first."""

    application: ApplicationName
    currency: Annotated[str, Field(description="ISO 4217")]
    scope: Scope
    first: Annotated[date, Field(alias="from")]
    last: Annotated[date, Field(alias="to")]
    days: list[DayDocument]


class SyncOfPoint(Document):
    """A sync of a chain, or an install, which has no time."""

    id: str
    revision: str
    revisions: list[str]
    finished_at: AwareDatetime | None
    initiated_by: str


class ChangeParts(Document):
    """A difference of monthly costs by cause; the parts add up to it."""

    replicas: Money
    size: Money
    price: Money
    added: Money
    removed: Money
    storage: Money
    network: Money
    load_balancer: Money


class ControllerChange(Document):
    """What changed at one controller."""

    namespace: str
    kind: Annotated[str, Field(description="In lower case; `pod` for a pod without controller")]
    name: str
    total: Money
    parts: ChangeParts


class Change(Document):
    """The difference of two figures' monthly costs."""

    against: Literal["early", "settled", "same_hours"]
    before: Span
    after: Span
    basis_hours: int
    total: Money
    parts: Annotated[ChangeParts | None, Field(description="null where not every pod is known")]
    controllers: Annotated[list[ControllerChange], Field(description="The ten that changed most")]


class PointDocument(Document):
    """A sync, a chain of syncs, or an install."""

    id: Annotated[str, Field(description="Of the newest sync")]
    measured_on: Literal["sync", "install"]
    sync_count: Annotated[int, Field(ge=1)]
    syncs: Annotated[list[SyncOfPoint], Field(description="Oldest first, at most the newest 50")]
    scope: Scope
    scope_changed: Annotated[bool, Field(description="The point before has another scope: not to be compared")]
    early: Annotated[FigureSummary | None, Field(description="The 24 hours before the first sync")]
    settled: Annotated[FigureSummary | None, Field(description="The 24 hours after the newest one")]
    settles_at: AwareDatetime | None
    is_settled: bool
    change: Change | None
    no_change: Annotated[
        Literal["install", "not_settled", "not_measured", "scope_changed", "no_baseline"] | None,
        Field(description="Why `change` is null"),
    ]
    provisional: Annotated[Change | None, Field(description="From the third hour until it is settled")]


class TrendAnswer(Document):
    """What an application's syncs changed, oldest first."""

    application: ApplicationName
    currency: Annotated[str, Field(description="ISO 4217")]
    scope: Scope
    count: Annotated[int, Field(ge=1, description="All points there are")]
    next_offset: Annotated[int | None, Field(description="Of the points before these; null when there are none")]
    points: list[PointDocument]


class MonthToDate(Document):
    """What the month has cost so far."""

    cost: Annotated[Amounts | None, Field(description="null while no hour of it is measured")]
    measured_hours: Hours
    complete_days: int
    is_complete: Annotated[bool, Field(description='false: something is missing, the cost is "at least"')]


class ForecastDocument(Document):
    """What the month will have cost, with its 80 % band."""

    total: Money
    low: Money
    high: Money
    daily_mean: Money
    days_used: Annotated[int, Field(ge=3, le=7)]
    estimated_days: Annotated[float, Field(ge=0)]


class Rate(Document):
    """A month at the rate of a window."""

    window: Span
    measured_hours: Hours
    basis_hours: int
    monthly: Amounts


class AnomalyDocument(Document):
    """The last complete day beside those before it."""

    day: Annotated[date | None, Field(description="null without a complete day")]
    state: AnomalyState
    cost: Money | None
    baseline: Annotated[Money | None, Field(description="Median of the days before it")]
    baseline_days: Annotated[int, Field(ge=0, le=28)]
    score: float | None
    revision: Annotated[str | None, Field(description="Of the sync that explains it")]


class MonthAnswer(Document):
    """An application's calendar month."""

    application: ApplicationName
    currency: Annotated[str, Field(description="ISO 4217")]
    scope: Scope
    month: Span
    to_date: MonthToDate
    forecast: ForecastDocument | None
    no_forecast: Annotated[Literal["not_enough_days", "ended"] | None, Field(description="Why `forecast` is null")]
    day_rate: Annotated[Rate | None, Field(description="Of the newest 24 stored hours")]
    week_rate: Annotated[Rate | None, Field(description="Of the newest seven complete days, once there are seven")]
    anomaly: AnomalyDocument
