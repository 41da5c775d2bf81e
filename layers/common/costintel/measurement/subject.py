"""An Application as the catalogue sees it: what it is now, what it owns, and how far its newest sync is measured."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource


class SubjectState(StrEnum):
    """How far the costs of an Application are known."""

    MEASURED = "measured"
    RECEIVED = "received"
    """Its newest sync waits to be measured."""
    NOT_MEASURED = "not_measured"
    """No sync of it is known, or it deploys nowhere."""
    OTHER_CLUSTER = "other_cluster"
    """It deploys to another cluster: nothing of it is measured here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSync:
    """The last successful sync that anybody told of."""

    finished_at: datetime
    revision: str
    revisions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One Application.

    `created_at` is None where nobody says; `first_recorded_at` is when its oldest recorded sync to this destination finished,
    looked up only then. `state` is what records and waiting syncs say; `has_record`: the newest sync has one.
    """

    application: AppRef
    project: str
    destination: Destination
    resources: tuple[Resource, ...] | None
    created_at: datetime | None
    first_recorded_at: datetime | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    application_set: str = ""
    parent: AppRef | None = None
    last_sync: LastSync | None = None
    state: SubjectState = SubjectState.NOT_MEASURED
    has_record: bool = False
    is_here: bool = True
    """Whether it deploys to this cluster, into a namespace that can exist."""

    def claims(self) -> Iterator[tuple[str, str, str]]:
        """Yield (namespace, kind in lower case, name) of each listed resource that could own pods, as an Ownership does."""
        default = self.destination.namespace
        for resource in self.resources or ():
            namespace = resource.namespace or default
            if namespace:
                yield namespace, resource.kind.lower(), resource.name

    @property
    def scope(self) -> str:
        """`application` or `namespace`."""
        return "namespace" if self.resources is None else "application"

    @property
    def seniority(self) -> tuple[float, str, str]:
        """What decides between two that list the same workload: the smaller, i.e. older one owns it."""
        since = self.created_at or self.first_recorded_at or (self.last_sync.finished_at if self.last_sync else None)
        age = float("inf") if since is None else since.timestamp()
        return (age, self.application.namespace, self.application.name)
