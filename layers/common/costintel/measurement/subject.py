"""An Application as the catalogue sees it: what it is now, what it owns, and how far its newest sync is measured."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Ownership, Resource

Entries = Sequence[Sequence[str]]
"""Listed resources, each [group, kind, namespace, name]: as they are stored, because a cluster has tens of thousands."""


class SubjectState(StrEnum):
    """How far the costs of an Application are known."""

    MEASURED = "measured"
    RECEIVED = "received"
    """Its newest sync waits to be measured."""
    NOT_MEASURED = "not_measured"
    """No sync of it is known, or it deploys nowhere."""
    OTHER_CLUSTER = "other_cluster"
    """It deploys to another cluster: nothing of it is measured here."""


class LastSync(NamedTuple):
    """The last successful sync that anybody told of."""

    finished_at: datetime
    revision: str
    revisions: Sequence[str]


class Subject(NamedTuple):
    """One Application.

    `created_at` is None where nobody says; `first_recorded_at` is when its oldest recorded sync to this destination finished,
    looked up only then. `state` is what records and waiting syncs say; `has_record`: the newest sync has one. `is_here`: it
    deploys to this cluster, into a namespace that can exist.
    """

    application: AppRef
    project: str
    destination: Destination
    resources: Entries | None
    created_at: datetime | None
    first_recorded_at: datetime | None
    labels: Mapping[str, str]
    application_set: str
    parent: AppRef | None
    last_sync: LastSync | None
    state: SubjectState
    has_record: bool
    is_here: bool

    def claims(self) -> Iterator[tuple[str, str, str]]:
        """Yield (namespace, kind in lower case, name) of each listed resource that could own pods, as an Ownership does."""
        default = self.destination.namespace
        for _, kind, namespace, name in self.resources or ():
            if namespace or default:
                yield namespace or default, kind.lower(), name

    @property
    def scope(self) -> str:
        """`application` or `namespace`."""
        return "namespace" if self.resources is None else "application"

    def custom_kinds(self) -> tuple[str, ...]:
        """Return `group/Kind` of listed objects whose pods, if any, an operator makes and therefore cannot be told apart."""
        listed = tuple(Resource(*entry) for entry in self.resources or ())
        return Ownership(destination_namespace=self.destination.namespace, resources=listed).custom_kinds()

    @property
    def seniority(self) -> tuple[float, str, str]:
        """What decides between two that list the same workload: the smaller, i.e. older one owns it."""
        since = self.created_at or self.first_recorded_at or (self.last_sync.finished_at if self.last_sync else None)
        age = float("inf") if since is None else since.timestamp()
        return (age, self.application.namespace, self.application.name)
