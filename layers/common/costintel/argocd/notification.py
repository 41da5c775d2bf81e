"""What a notification of a sync asks for: a measurement, or nothing.

The payload is what the template in deploy/argocd/ renders; hand-written templates get as far as they can.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from costintel.argocd.destination import DestinationRules
from costintel.argocd.payload import (
    NO_VALUE,
    decisive_moment,
    decisive_text,
    has_no_value,
    read_object,
    shown_moment,
    shown_text,
    shown_texts,
)
from costintel.argocd.resources import is_namespace, read_resources
from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Ownership, Resource
from costintel.cost.sync import Sync, sync_id
from costintel.cost.window import is_plausible_finish
from costintel.errors import InvalidInput

ACCESS_APPLICATION = "access_application"
OTHER_CLUSTER = "other_cluster"
NOT_SUCCEEDED = "sync_not_succeeded"
NO_NAMESPACE = "no_namespace"
SKIP_REASONS = (ACCESS_APPLICATION, OTHER_CLUSTER, NOT_SUCCEEDED, NO_NAMESPACE)
"""Why a well-formed notification is not measured, in the order they are looked at."""

_REVISIONS_COUNT = 50


@dataclass(frozen=True, slots=True)
class Accepted:
    """The sync is to be measured."""

    sync: Sync


@dataclass(frozen=True, slots=True)
class Skipped:
    """Nothing is to be measured; `reason` is one of SKIP_REASONS."""

    application: AppRef
    reason: str


def parse_notification(
    body: bytes, *, now: datetime, cluster: str, rules: DestinationRules, access: AppRef | None
) -> Accepted | Skipped:
    """Decide on a notification that arrived at `now`.

    `cluster` is our name of the cluster; `access` the Application that is never measured. Raises InvalidInput naming the field
    that decides something and cannot be used, MalformedBody where the body is no JSON object.
    """
    document = read_object(body)
    application = _application(document)
    destination = _destination(document)
    if application == access:
        return Skipped(application, ACCESS_APPLICATION)
    if not rules.is_local(destination):
        return Skipped(application, OTHER_CLUSTER)
    if decisive_text(document, "syncResult") != "Succeeded":
        return Skipped(application, NOT_SUCCEEDED)
    if not is_namespace(destination.namespace):
        raise InvalidInput("namespace", "the name of a namespace (a DNS label)")
    resources = read_resources(document.get("resources"))
    if not destination.namespace and not Ownership(destination_namespace="", resources=resources).namespaces:
        return Skipped(application, NO_NAMESPACE)
    return Accepted(_sync(document, _Decided(application, destination, resources, now, cluster)))


@dataclass(frozen=True, slots=True)
class _Decided:
    application: AppRef
    destination: Destination
    resources: tuple[Resource, ...] | None
    now: datetime
    cluster: str


def _application(document: Mapping[str, Any]) -> AppRef:
    namespace = decisive_text(document, "applicationNamespace")
    name = decisive_text(document, "application")
    reference = AppRef.parse(f"{namespace}:{name}")
    if reference:
        return reference
    if AppRef.parse(f"{namespace}:any") is None:
        raise InvalidInput("applicationNamespace", "the namespace of the Application object (a DNS label)")
    raise InvalidInput("application", "the name of an Application (a DNS subdomain)")


def _destination(document: Mapping[str, Any]) -> Destination:
    return Destination(
        server=decisive_text(document, "destinationServer"),
        name=decisive_text(document, "destinationName"),
        namespace=decisive_text(document, "namespace"),
    )


def _sync(document: Mapping[str, Any], decided: _Decided) -> Sync:
    """Build the sync. Without a finish the hour of arrival stands in, so that repeats of it fold as far as they can.

    That is for older releases of our template. One that leaves `<no value>` behind is not ours, its repeats cannot be told from
    new syncs, and its author can mend it.
    """
    finished_at = decisive_moment(document, "syncFinishedAt")
    if finished_at is None and has_no_value(document):
        raise InvalidInput(
            "syncFinishedAt", f"an RFC 3339 time; the template leaves {NO_VALUE!r}, use that of deploy/argocd"
        )
    if finished_at is not None and not is_plausible_finish(finished_at, decided.now):
        raise InvalidInput("syncFinishedAt", "a time between 2014 and an hour from now")
    moment = finished_at or decided.now.replace(minute=0, second=0, microsecond=0)
    return Sync(
        id=sync_id(decided.cluster, decided.application, moment),
        application=decided.application,
        project=shown_text(document.get("project")) or "default",
        destination=decided.destination,
        resources=decided.resources,
        resources_omitted=False,
        finished_at=moment,
        finished_at_known=finished_at is not None,
        started_at=shown_moment(document, "syncStartedAt"),
        created_at=shown_moment(document, "createdAt"),
        revision=shown_text(document.get("revision")),
        revisions=shown_texts(document.get("revisions"))[:_REVISIONS_COUNT],
        sync_status=shown_text(document.get("syncStatus")),
        health_status=shown_text(document.get("healthStatus")),
        initiated_by=shown_text(document.get("initiatedBy")),
        images=shown_texts(document.get("images")),
        received_at=decided.now,
    )
