"""The shapes of the answers, for the OpenAPI document and the tests. Requests are answered without this module."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from costintel.argocd.gate import GateReason

Money = Annotated[float, Field(description="In the answer's currency, up to 6 decimals")]
Hours = Annotated[float, Field(ge=0)]
Ratio = Annotated[float, Field(ge=0)] | None


class Document(BaseModel):
    """A JSON object with exactly these members."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True)


class Span(Document):
    """From `start` up to, and without, `end`."""

    start: AwareDatetime
    end: AwareDatetime


class Amounts(Document):
    """Cost per resource; the parts add up to the total."""

    cpu: Money
    ram: Money
    gpu: Money
    storage: Money
    network: Money
    load_balancer: Money
    total: Money


class IdleAmounts(Document):
    """Cost of what was requested and not used. Not complete: some usage was not measured, the amounts are "at least"."""

    cpu: Money
    ram: Money
    total: Money
    complete: bool


class Efficiency(Document):
    """Used divided by requested, not capped; null without a request or without measured usage."""

    cpu: Ratio
    ram: Ratio


class Container(Document):
    """A container's share of its pod."""

    container: str
    cost: Amounts
    idle: IdleAmounts
    efficiency: Efficiency
    running_hours: Hours
    cpu_core_hours: Hours
    ram_byte_hours: Hours
    gpu_hours: Hours


class Pod(Document):
    """A pod's share of the figure."""

    namespace: str
    pod: str
    controller_kind: str
    controller: str
    cost: Amounts
    idle: IdleAmounts
    containers: list[Container]


class PodsTotal(Document):
    """All pods together, those that are not listed included; `count` is of those that ran."""

    count: Annotated[int, Field(ge=0)]
    cost: Amounts
    idle: IdleAmounts


class FigureSummary(Document):
    """A figure without its pods."""

    window: Span
    measured_hours: Annotated[float, Field(gt=0, description="Hours in which it was observed and could have run")]
    basis_hours: Annotated[int, Field(description="Hours of the month it is projected to: 720 or 730")]
    confidence: Literal["full", "partial", "too_little_data"]
    scope: Literal["application", "namespace"]
    source: Literal["live", "hours", "day", "trailing_hour"]
    cost: Amounts
    monthly: Annotated[Amounts | None, Field(description="null when there is too little data")]
    idle: IdleAmounts
    efficiency: Efficiency


class Figure(FigureSummary):
    """What was measured in a window, and what it comes to in a month."""

    pods: Annotated[
        list[Pod], Field(description="At most the 500 dearest; none in namespace scope: they may be others'")
    ]
    pods_total: PodsTotal


class ApplicationName(Document):
    """The Application's identity."""

    namespace: str
    name: str


class DestinationName(Document):
    """Where it deploys; server or name may be empty."""

    server: str
    name: str
    namespace: str


class Contested(Document):
    """A workload that another, older Application lists too; its cost counts there."""

    kind: str
    namespace: str
    name: str
    owner: Annotated[str, Field(description="namespace:name of the Application it counts for")]


class SyncAttributes(Document):
    """What Argo CD said about the sync; times are null when it did not say."""

    revision: str
    revisions: list[str]
    started_at: AwareDatetime | None
    finished_at: AwareDatetime | None
    initiated_by: str
    sync_status: str
    health_status: str


class RecordDocument(Document):
    """The last measurement by a sync."""

    id: str
    measured_on: Literal["sync", "install"]
    found_by: Literal["webhook", "reconciliation", "install"]
    sync: SyncAttributes
    early: Annotated[Figure | None, Field(description="The 24 hours before the sync")]
    settled: Annotated[Figure | None, Field(description="The 24 hours after it")]
    settles_at: Annotated[AwareDatetime | None, Field(description="When the hours after it are in")]
    is_settled: bool


class ActualAnswer(Document):
    """What an application costs."""

    application: ApplicationName
    project: str
    destination: DestinationName
    custom_resources: Annotated[list[str], Field(description="group/Kind of objects whose pods cannot be told apart")]
    resources_omitted: Annotated[
        bool, Field(description="The list of resources was too long to carry: namespace scope")
    ]
    scope: Literal["application", "namespace"]
    currency: Annotated[str, Field(description="ISO 4217")]
    state: Annotated[
        Literal["received", "measured"], Field(description="received: the newest sync waits to be measured")
    ]
    stale: Annotated[bool, Field(description="The newest stored hour is over three hours old")]
    measured_at: Annotated[AwareDatetime, Field(description="When the sync was, or will be, measured")]
    current: Annotated[Figure | None, Field(description="The newest 24 stored hours")]
    contested: list[Contested]
    record: RecordDocument


class State(Document):
    """A probe's answer."""

    status: Literal["ok", "ready"]


class Position(Document):
    """A place in the body, counted from 1."""

    line: int
    column: int


class ProblemDocument(Document):
    """RFC 9457; its type is the default, about:blank."""

    title: str
    status: int
    code: Annotated[str, Field(description="Stable; see the list of codes in docs/api.md")]
    detail: str
    field: Annotated[str, Field(description="Of the notification, where one is to blame")] = ""
    position: Annotated[Position | None, Field(description="In the notification's body, where it is known")] = None
    fields: Annotated[list[str], Field(description="Query parameters that are not as documented")] = []
    reason: Annotated[GateReason | None, Field(description="Why the gate is closed, with `gate_off`")] = None


class Queued(Document):
    """The sync will be measured."""

    status: Literal["queued"]
    id: Annotated[str, Field(description="The same for every notification of this sync")]


class Skipped(Document):
    """The notification is understood, and nothing is to be measured."""

    status: Literal["skipped"]
    reason: str
