"""Make the catalogue's Applications of what the last complete list has and of the syncs that were heard of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from costintel.argocd.destination import DestinationRules
from costintel.argocd.resources import is_namespace
from costintel.cost.application import AppRef, Destination
from costintel.measurement.subject import Entries, LastSync, Subject, SubjectState
from costintel.storage.roster import Deployed, ListedApplication, Name


class Heard(NamedTuple):
    """The newest sync of an Application that a notification or the list told of. `received_at` is in seconds.

    `state` says how far it is measured, `has_record` whether at all. `last` is None for an install, which is no sync. `news` is
    what it said of the Application; None where the list knows better.
    """

    received_at: float
    state: SubjectState
    has_record: bool
    last: LastSync | None
    news: Deployed | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Everything that is known of the Applications.

    `listed_at` is when the last complete list was begun, None if there never was one: then whatever was heard of exists.
    `first_recorded` is looked up where nobody says when an Application was created.
    """

    listed: Mapping[Name, ListedApplication]
    listed_at: datetime | None
    heard: Mapping[Name, Heard]
    first_recorded: Mapping[Name, datetime]


class _Place(NamedTuple):
    """Where an Application deploys what."""

    project: str
    destination: Destination
    resources: Entries | None
    created_at: float | None


@dataclass(frozen=True, kw_only=True)
class SubjectRules:
    """What decides where an Application belongs; `access` is the access Application, which costs nothing and is left out."""

    destinations: DestinationRules
    access: AppRef | None
    _local: dict[tuple[str, str], bool] = field(default_factory=dict)
    _known: dict[tuple[str, str, str], Destination] = field(default_factory=dict)

    def subjects(self, told: Told) -> list[Subject]:
        """Return the Applications that exist, by namespace and name.

        What a notification said counts until a list that was begun later; one that is missing from such a list is gone.
        """
        return list(self._subjects(told))

    def _subjects(self, told: Told) -> Iterator[Subject]:
        access = None if self.access is None else (self.access.namespace, self.access.name)
        since = float("-inf") if told.listed_at is None else told.listed_at.timestamp()
        for name in sorted({*told.listed, *told.heard}):
            live, heard = told.listed.get(name), told.heard.get(name)
            news = heard.news if heard is not None and heard.received_at > since else None
            if (live is not None or news is not None) and name != access:
                yield self._subject(name, live, heard, self._place(live, news), told.first_recorded.get(name))

    def _subject(
        self,
        name: Name,
        live: ListedApplication | None,
        heard: Heard | None,
        place: _Place,
        first_recorded_at: datetime | None,
    ) -> Subject:
        is_local = self._is_local(place.destination)
        return Subject(
            application=AppRef(*name),
            project=place.project,
            destination=place.destination,
            resources=place.resources,
            created_at=None if place.created_at is None else datetime.fromtimestamp(place.created_at, UTC),
            first_recorded_at=first_recorded_at,
            labels={} if live is None else live.labels,
            application_set="" if live is None else live.application_set,
            parent=_parent(live),
            last_sync=_last_sync(live, heard),
            state=_state(heard) if is_local else SubjectState.OTHER_CLUSTER,
            has_record=heard is not None and heard.has_record,
            is_here=is_local and _has_namespace(place),
        )

    def _place(self, live: ListedApplication | None, news: Deployed | None) -> _Place:
        """Return where an Application deploys what: news go before the list, whose creation time is the better one."""
        told = news if news is not None else live
        assert told is not None
        resources = live.resources if live is not None and (news is None or news.resources_omitted) else told.resources
        created_at = told.created_at if live is None else live.created_at
        return _Place(told.project, self._destination(told), resources, created_at)

    def _destination(self, told: ListedApplication | Deployed) -> Destination:
        """Return the destination, one object for all that are equal."""
        key = (told.destination_server, told.destination_name, told.destination_namespace)
        if key not in self._known:
            server, name, namespace = key
            self._known[key] = Destination(server=server, name=name, namespace=namespace)
        return self._known[key]

    def _is_local(self, destination: Destination) -> bool:
        key = (destination.server, destination.name)
        if key not in self._local:
            self._local[key] = self.destinations.is_local(destination)
        return self._local[key]


def _has_namespace(place: _Place) -> bool:
    """Whether it deploys into a namespace that can exist; as the webhook and the list decide."""
    if place.destination.namespace:
        return is_namespace(place.destination.namespace)
    return any(namespace for _, _, namespace, _ in place.resources or ())


def _state(heard: Heard | None) -> SubjectState:
    return SubjectState.NOT_MEASURED if heard is None else heard.state


def _parent(live: ListedApplication | None) -> AppRef | None:
    if live is None or live.parent_namespace is None or live.parent_name is None:
        return None
    return AppRef(live.parent_namespace, live.parent_name)


def _last_sync(live: ListedApplication | None, heard: Heard | None) -> LastSync | None:
    """Return the newest of the syncs that anybody told of."""
    own = None if live is None or live.last_sync is None else _told(*live.last_sync[:4])
    if heard is None or heard.last is None:
        return own
    return heard.last if own is None or heard.last.finished_at > own.finished_at else own


def _told(finished_at: str, _started_at: str | None, revision: str, revisions: Sequence[str]) -> LastSync:
    return LastSync(datetime.fromisoformat(finished_at), revision, revisions)
