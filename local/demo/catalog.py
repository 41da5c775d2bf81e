"""Which applications the page offers and the demo pushes: the demo cluster's, or a namespace of the real cluster each."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import psycopg

from local.demo.application import DemoApplication, DemoSync, demo_revision, sync_payload
from local.demo.cluster import demo_applications
from local.demo.live import after_sync, application_object
from local.demo.objects import Object

_SYNC_DURATION = timedelta(seconds=20)
_OFFERED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedApplication:
    """An Application one can look at and push a sync of. `namespace` is Argo CD's, `destination_namespace` the workload's."""

    namespace: str
    name: str
    project: str
    destination_namespace: str
    description: str


class CatalogError(Exception):
    """What is to be offered cannot be read now."""


class Catalog(Protocol):
    """Offers applications and writes their notifications."""

    def applications(self) -> list[OfferedApplication]:
        """Give the applications, those worth showing first. Raises CatalogError."""
        ...

    def notification(self, application: OfferedApplication, finished_at: datetime) -> bytes:
        """Write what Argo CD would post for a sync of it that finished then."""
        ...

    def synced(self, application: OfferedApplication, finished_at: datetime) -> dict[str, Any] | None:
        """Give its object as it is after that sync; None where the cluster is real and has its own."""
        ...


class ClusterCatalog:
    """Offers the demo cluster's applications as they are at `now`."""

    def __init__(self, now: datetime) -> None:
        """Lay the demo out."""
        self._applications = {(one.namespace, one.name): one for one in demo_applications(now)}
        self._objects: dict[tuple[str, str], Object] = {}

    def applications(self) -> list[OfferedApplication]:
        """Give one with resources, one without, then the others; those on other clusters last."""
        here = [one for one in self._applications.values() if not one.is_remote]
        first = [next(one for one in here if (one.resources is None) is bare) for bare in (False, True)]
        others = sorted(
            (one for one in self._applications.values() if one not in first),
            key=lambda one: (one.is_remote, one.namespace, one.name),
        )
        return [_offered(one) for one in (*first, *others)]

    def notification(self, application: OfferedApplication, finished_at: datetime) -> bytes:
        """Write the notification of a sync that took twenty seconds."""
        known = self._applications[(application.namespace, application.name)]
        sync = _sync(known, finished_at)
        return json.dumps(
            sync_payload(known, sync.finished_at - _SYNC_DURATION, sync.finished_at, sync.revision)
        ).encode()

    def synced(self, application: OfferedApplication, finished_at: datetime) -> dict[str, Any] | None:
        """Give its object after this sync and all before it."""
        key = (application.namespace, application.name)
        known = self._applications[key]
        before = self._objects.get(key) or application_object(known)
        sync = _sync(known, finished_at)
        self._objects[key] = after_sync(before, sync, started_at=sync.finished_at - _SYNC_DURATION)
        return self._objects[key]


class NamespaceCatalog:
    """Offers every namespace that the stored hours know as an application that owns the whole namespace.

    Asking the database instead of OpenCost: looking at the page must not cost the cluster anything.
    """

    def __init__(self, database_url: str) -> None:
        """Take the database that `measure` stores hours in."""
        self._database_url = database_url

    def applications(self) -> list[OfferedApplication]:
        """Give the namespaces, the costliest first; none before the first hour is stored. Raises CatalogError."""
        query = """
            SELECT namespace FROM collection_namespaces WHERE namespace NOT LIKE '\\_\\_%%'
            GROUP BY namespace ORDER BY sum(cpu_cost + ram_cost) DESC, namespace LIMIT %s
        """
        try:
            with psycopg.connect(self._database_url) as connection:
                names = [name for (name,) in connection.execute(query, [_OFFERED]).fetchall()]
        except psycopg.Error as error:
            raise CatalogError("the database does not answer") from error
        return [
            OfferedApplication(
                namespace="argocd",
                name=name,
                project="default",
                destination_namespace=name,
                description=f"everything in the namespace {name}",
            )
            for name in names
        ]

    def notification(self, application: OfferedApplication, finished_at: datetime) -> bytes:
        """Write a notification without resources, which means the whole namespace."""
        finished = finished_at.astimezone(UTC).replace(microsecond=0)
        payload: dict[str, Any] = {
            "schemaVersion": 1,
            "application": application.name,
            "applicationNamespace": application.namespace,
            "project": application.project,
            "namespace": application.destination_namespace,
            "destinationServer": "https://kubernetes.default.svc",
            "syncResult": "Succeeded",
            "syncStartedAt": _moment(finished - _SYNC_DURATION),
            "syncFinishedAt": _moment(finished),
        }
        return json.dumps(payload).encode()

    def synced(self, application: OfferedApplication, finished_at: datetime) -> dict[str, Any] | None:  # noqa: ARG002  as others
        """Give nothing: the cluster has its own."""
        return None


def _sync(application: DemoApplication, finished_at: datetime) -> DemoSync:
    finished = finished_at.astimezone(UTC).replace(microsecond=0)
    return DemoSync(revision=demo_revision(application.name, int(finished.timestamp())), finished_at=finished)


def _offered(application: DemoApplication) -> OfferedApplication:
    if application.is_remote:
        description = (
            f"deploys to {application.destination_server or application.destination_name}, which is not measured here"
        )
    elif application.resources is None:
        description = (
            f"its notifications carry no resources: the whole namespace {application.destination_namespace} counts"
        )
    else:
        kinds = sorted({resource.kind for resource in application.resources})
        description = f"{', '.join(kinds)} in {application.destination_namespace}"
    return OfferedApplication(
        namespace=application.namespace,
        name=application.name,
        project=application.project,
        destination_namespace=application.destination_namespace,
        description=description,
    )


def _moment(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")
