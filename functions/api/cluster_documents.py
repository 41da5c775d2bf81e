"""The shapes of the answers about the installation and about the whole cluster."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from api.documents import Amounts, ApplicationName, DestinationName, Document, FigureSummary, IdleAmounts, Span
from costintel.argocd.gate import GateReason
from costintel.measurement.selection import RollUpBy
from costintel.measurement.subject import SubjectState


class GateDocument(Document):
    """The Application to name for the routes about the whole cluster; null when they are closed."""

    application: Annotated[str | None, Field(description="namespace:name")]
    project: Annotated[str | None, Field(description="Its AppProject, null where it is not known")]
    reason: GateReason


class ListDocument(Document):
    """How the newest list of a kind of object went."""

    kind: Literal["applications", "namespaces", "vpas", "hpas"]
    is_complete: bool
    listed_at: AwareDatetime
    last_complete_at: Annotated[AwareDatetime | None, Field(description="Of the list that is in use")]


class KubernetesDocument(Document):
    """What is known of the cluster itself."""

    is_configured: Annotated[bool, Field(description="Something was ever listed, or tried to be")]
    lists: list[ListDocument]


class FeatureOff(Document):
    """Something that does not work here."""

    feature: Literal["cluster_pages", "install", "reconciliation", "recommendations"]
    reason: Annotated[str, Field(description="`never_listed`, `list_failed`, or the gate's reason")]


class ConfigAnswer(Document):
    """What this installation has switched on."""

    version: str
    cluster: str
    currency: Annotated[str, Field(description="ISO 4217")]
    month_hours: int
    gate: GateDocument
    kubernetes: KubernetesDocument
    off: list[FeatureOff]


class CountedAmounts(Document):
    """What counts here and nowhere else, rounded so that all of the cluster's together add up."""

    cost: Amounts
    monthly: Annotated[Amounts | None, Field(description="null when there is too little data")]
    idle: IdleAmounts


class CountedSum(Document):
    """Several of them added up."""

    count: Annotated[int, Field(ge=0)]
    cost: Amounts
    monthly: Amounts
    monthly_complete: Annotated[bool, Field(description="false: some could not be projected and are left out")]
    idle: IdleAmounts


class UnownedNamespace(CountedAmounts):
    """What no application owns in a namespace."""

    namespace: str


class UnownedSum(CountedSum):
    """What no application owns."""

    namespaces: Annotated[list[UnownedNamespace], Field(description="The dearest 500")]


class RollUpGroup(CountedSum):
    """Applications that share something."""

    name: Annotated[str | None, Field(description="null for those that lack it")]


class RollUpDocument(Document):
    """The selected applications added up."""

    by: RollUpBy
    label: Annotated[str | None, Field(description="The label's key")]
    count: Annotated[int, Field(ge=0, description="Groups, listed or not")]
    groups: Annotated[list[RollUpGroup], Field(description="The dearest 500")]


class LastSyncDocument(Document):
    """The last successful sync."""

    finished_at: AwareDatetime
    revision: str
    revisions: list[str]


class ListedApplication(Document):
    """An application among all."""

    application: ApplicationName
    project: str
    destination: DestinationName
    application_set: str | None
    parent: Annotated[ApplicationName | None, Field(description="The app of apps that manages it")]
    custom_resources: Annotated[list[str], Field(description="group/Kind of objects whose pods cannot be told apart")]
    scope: Literal["application", "namespace"]
    state: SubjectState
    created_at: AwareDatetime | None
    sync: LastSyncDocument | None
    pods: Annotated[int, Field(ge=0, description="How many of its pods ran")]
    current: Annotated[FigureSummary | None, Field(description="As in its own answer, without its pods")]
    counted: CountedAmounts


class ApplicationsAnswer(Document):
    """Every application with its current cost."""

    currency: Annotated[str, Field(description="ISO 4217")]
    stale: Annotated[bool, Field(description="The newest stored hour is over three hours old")]
    window: Annotated[Span | None, Field(description="null before the first stored hours")]
    basis_hours: int
    source: Literal["live"]
    count: Annotated[int, Field(ge=0, description="Applications that meet every condition")]
    next_offset: Annotated[int | None, Field(description="Of the next page; null on the last one")]
    applications: list[ListedApplication]
    selected: Annotated[CountedSum, Field(description="All that meet every condition, on this page or not")]
    owned: Annotated[CountedSum, Field(description="All applications")]
    unowned: UnownedSum
    total: Annotated[CountedSum, Field(description="The whole cluster: owned and unowned")]
    roll_up: RollUpDocument | None
    label_keys: Annotated[list[str], Field(description="Labels that any application has, at most 200")]
