"""An Application object as the API server has it, cut down to what we need (argoproj.io/v1alpha1)."""

from sys import intern
from typing import Final

from costintel.argocd.resources import read_resources
from costintel.cluster.fields import created_at, member, members, moment, name_of, text, text_map, texts
from costintel.cost.application import AppRef, Destination
from costintel.cost.live import LiveApplication, LiveSync
from costintel.cost.ownership import Resource
from costintel.errors import InvalidInput

HISTORY_COUNT: Final = 50
"""Argo CD keeps ten by default (`revisionHistoryLimit`); what is older than these is left out."""
_COMPARED = frozenset({"Synced", "OutOfSync"})
_AUTOMATED = "automated"


def read_application(item: object) -> LiveApplication:
    """Return an Application; its `parent` is found only in the whole list.

    Raises InvalidInput for what no API server lets happen: no proper name, or no creation time. Whatever else is odd counts
    as not there, so that one tenant's object cannot stop the list.
    """
    return LiveApplication(
        application=_reference(item),
        project=text(item, "spec", "project") or "default",
        destination=_destination(item),
        created_at=created_at(item),
        labels=text_map(item, "metadata", "labels"),
        deleting=member(item, "metadata", "deletionTimestamp") is not None,
        resources=_resources(item),
        last_sync=_last_sync(item),
        history=_history(item),
        sync_status=intern(text(item, "status", "sync", "status")),
        health_status=intern(text(item, "status", "health", "status")),
        images=texts(item, "status", "summary", "images"),
        application_set=_owner(item, "ApplicationSet"),
    )


def _reference(item: object) -> AppRef:
    namespace, name = name_of(item)
    reference = AppRef.parse(f"{namespace}:{name}")
    if reference is None:
        raise InvalidInput("metadata", "a namespace (a DNS label) and a name (a DNS subdomain)")
    return reference


def _destination(item: object) -> Destination:
    server, name, namespace = (
        intern(text(item, "spec", "destination", field)) for field in ("server", "name", "namespace")
    )
    return Destination(server=server, name=name, namespace=namespace)


def _resources(item: object) -> tuple[Resource, ...] | None:
    """Return what it manages.

    An empty list is not stored. So a missing one is empty where Argo CD did compare, and not known where it did not yet, or
    could not.
    """
    listed = members(item, "status", "resources")
    if not listed:
        return () if text(item, "status", "sync", "status") in _COMPARED else None
    found = read_resources(listed)
    return None if found is None else tuple(map(_shared, found))


def _shared(resource: Resource) -> Resource:
    """Return an equal resource whose group, kind and namespace take their memory once for all."""
    return Resource(intern(resource.group), intern(resource.kind), intern(resource.namespace), resource.name)


def _last_sync(item: object) -> LiveSync | None:
    """Return the last operation if it was a sync that succeeded. A dry run claims success too, without changing anything."""
    state = member(item, "status", "operationState")
    sync = member(state, "operation", "sync")
    finished_at = moment(state, "finishedAt")
    is_real = isinstance(sync, dict) and member(sync, "dryRun") is not True
    if text(state, "phase") != "Succeeded" or not is_real or finished_at is None:
        return None
    return LiveSync(
        finished_at=finished_at,
        started_at=moment(state, "startedAt"),
        revision=text(state, "syncResult", "revision"),
        revisions=texts(state, "syncResult", "revisions"),
        initiated_by=_initiator(member(state, "operation")),
    )


def _history(item: object) -> tuple[LiveSync, ...]:
    """Return the syncs it remembers, oldest first. An entry's `deployedAt` is its sync's `finishedAt`."""
    entries = members(item, "status", "history")[-HISTORY_COUNT:]
    found = (_former_sync(entry) for entry in entries)
    return tuple(sorted((sync for sync in found if sync is not None), key=lambda sync: sync.finished_at))


def _former_sync(entry: object) -> LiveSync | None:
    finished_at = moment(entry, "deployedAt")
    if finished_at is None:
        return None
    return LiveSync(
        finished_at=finished_at,
        started_at=moment(entry, "deployStartedAt"),
        revision=text(entry, "revision"),
        revisions=texts(entry, "revisions"),
        initiated_by=_initiator(entry),
    )


def _initiator(operation: object) -> str:
    """Return the user who began it, `automated` for Argo CD itself, empty where it does not say."""
    user = text(operation, "initiatedBy", "username")
    return intern(user or (_AUTOMATED if member(operation, "initiatedBy", "automated") is True else ""))


def _owner(item: object, kind: str) -> str:
    """Return the name of the owner of that kind."""
    owners = (owner for owner in members(item, "metadata", "ownerReferences") if text(owner, "kind") == kind)
    return next((text(owner, "name") for owner in owners), "")
