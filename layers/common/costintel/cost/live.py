"""What the cluster says lives in it now: Applications, namespaces and autoscalers, each list with its time and completeness."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Generic, TypeVar

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOutcome(Generic[Item]):
    """What came of listing one kind of object.

    `complete` False: the list failed or was cut off, `items` is empty and `error` says why in one line; nothing may be
    concluded from what is not in it. `listed_at` is when it was begun, which is the moment a complete list shows.
    """

    items: tuple[Item, ...]
    complete: bool
    listed_at: datetime
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSync:
    """A successful sync as the Application itself remembers it; several sources have `revisions` and an empty `revision`."""

    finished_at: datetime
    started_at: datetime | None
    revision: str
    revisions: tuple[str, ...]
    initiated_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveApplication:
    """An Application as it is now.

    `resources` None: Argo CD has not compared it yet, or could not; a list, even an empty one, is what it manages, without
    kinds that can never own pods. `last_sync` is its last operation if that was a successful sync and no dry run; `history`
    what it remembers of former ones (at most ten by default), oldest first, the last one often among them. `parent` is the
    Application that manages this one's object (app of apps), `application_set` the ApplicationSet that made it.
    """

    application: AppRef
    project: str
    destination: Destination
    created_at: datetime
    labels: Mapping[str, str]
    deleting: bool
    resources: tuple[Resource, ...] | None
    last_sync: LiveSync | None
    history: tuple[LiveSync, ...]
    sync_status: str
    health_status: str
    images: tuple[str, ...]
    application_set: str
    parent: AppRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveNamespace:
    """A namespace that exists."""

    name: str
    created_at: datetime
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRef:
    """The workload an autoscaler looks after, in the autoscaler's namespace; `api_version` may be empty."""

    api_version: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerAmounts:
    """An amount of each resource for one container; None where none is given, or none that can be read."""

    cpu_cores: Decimal | None = None
    ram_bytes: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VpaRecommendation:
    """What a VerticalPodAutoscaler recommends for one container; `uncapped` is the target without the policy's bounds."""

    container: str
    target: ContainerAmounts
    lower: ContainerAmounts
    upper: ContainerAmounts
    uncapped: ContainerAmounts


@dataclass(frozen=True, slots=True, kw_only=True)
class VpaPolicy:
    """Bounds for one container, or for all (`*`). `is_off`: it is left alone. `resources` None: both are controlled."""

    container: str
    is_off: bool
    resources: tuple[str, ...] | None
    controlled_values: str
    least: ContainerAmounts
    most: ContainerAmounts


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveVpa:
    """A VerticalPodAutoscaler. `conditions` are those that hold, such as RecommendationProvided or LowConfidence."""

    namespace: str
    name: str
    created_at: datetime
    target: WorkloadRef
    update_mode: str
    policies: tuple[VpaPolicy, ...]
    recommendations: tuple[VpaRecommendation, ...]
    conditions: tuple[str, ...]

    @property
    def is_managed(self) -> bool:
        """Whether it changes requests itself: every mode but `Off` does, also one that is missing or unknown."""
        return self.update_mode != "Off"


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaTarget:
    """What a HorizontalPodAutoscaler keeps a resource at. `container` is empty when it looks at whole pods.

    `percent` is of the request; None when the target is an absolute amount, which a changed request does not move.
    """

    resource: str
    container: str
    percent: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveHpa:
    """A HorizontalPodAutoscaler; `targets` are only those for CPU and memory. Replicas are None where they are not known."""

    namespace: str
    name: str
    created_at: datetime
    target: WorkloadRef
    min_replicas: int | None
    max_replicas: int | None
    current_replicas: int | None
    targets: tuple[HpaTarget, ...]
