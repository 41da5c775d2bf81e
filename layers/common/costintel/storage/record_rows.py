"""How a record becomes a row of `cost_actuals` and is made of one again."""

from collections.abc import Iterable
from typing import Any

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Ownership, Resource
from costintel.cost.sync import FigureDocument, Record, Sync
from costintel.storage.text import clean_text, json_text


def record_values(record: Record) -> dict[str, Any]:
    """Return the columns of a record. Raises InvalidInput naming the figure, or `resources`, that cannot be kept."""
    return {"cluster": record.cluster, **sync_values(record.sync), **_measurement_values(record)}


def sync_values(sync: Sync) -> dict[str, Any]:
    """Return the columns of a record's sync. Raises InvalidInput naming `resources` when they cannot be kept."""
    ownership = Ownership(destination_namespace=sync.destination.namespace, resources=sync.resources)
    return {
        "id": sync.id,
        "application_namespace": sync.application.namespace,
        "application_name": sync.application.name,
        "project": clean_text(sync.project),
        **destination_values(sync.destination),
        "resources": None if sync.resources is None else json_text("resources", _resource_lists(sync.resources)),
        "resources_omitted": sync.resources_omitted,
        "namespaces": _clean(ownership.namespaces),
        "sync_started_at": sync.started_at,
        "sync_finished_at": sync.finished_at,
        "finished_at_known": sync.finished_at_known,
        "revision": clean_text(sync.revision),
        "revisions": _clean(sync.revisions),
        "application_created_at": sync.created_at,
        "sync_status": clean_text(sync.sync_status),
        "health_status": clean_text(sync.health_status),
        "initiated_by": clean_text(sync.initiated_by),
        "images": _clean(sync.images),
        "received_at": sync.received_at,
    }


def _measurement_values(record: Record) -> dict[str, Any]:
    return {
        "measured_on": record.measured_on,
        "found_by": record.found_by,
        "stage": "settled" if record.is_settled else "early",
        "measured_at": record.measured_at,
        "settles_at": record.settles_at,
        "scope": record.scope,
        "early": _figure("early", record.early),
        "settled": _figure("settled", record.settled),
        "first_current": _figure("first current figure", record.first_current),
    }


def destination_values(destination: Destination) -> dict[str, str]:
    """Return the columns of a destination."""
    return {
        "destination_server": clean_text(destination.server),
        "destination_name": clean_text(destination.name),
        "destination_namespace": clean_text(destination.namespace),
    }


def _figure(field: str, document: FigureDocument | None) -> str | None:
    return None if document is None else json_text(field, dict(document))


def _resource_lists(resources: Iterable[Resource]) -> list[list[str]]:
    return [[one.group, one.kind, one.namespace, one.name] for one in resources]


def _clean(texts: Iterable[str]) -> list[str]:
    return [clean_text(text) for text in texts]


def record_of(row: dict[str, Any]) -> Record:
    """Make a record of a row with all its columns."""
    return Record(
        sync=sync_of(row),
        cluster=row["cluster"],
        measured_on=row["measured_on"],
        found_by=row["found_by"],
        scope=row["scope"],
        measured_at=row["measured_at"],
        settles_at=row["settles_at"],
        early=row["early"],
        settled=row["settled"],
        is_settled=row["stage"] == "settled",
        first_current=row["first_current"],
    )


def sync_of(row: dict[str, Any]) -> Sync:
    """Make a sync of a row with its columns."""
    resources = row["resources"]
    return Sync(
        id=row["id"],
        application=AppRef(row["application_namespace"], row["application_name"]),
        project=row["project"],
        destination=Destination(
            server=row["destination_server"], name=row["destination_name"], namespace=row["destination_namespace"]
        ),
        resources=None if resources is None else tuple(Resource(*resource) for resource in resources),
        resources_omitted=row["resources_omitted"],
        finished_at=row["sync_finished_at"],
        finished_at_known=row["finished_at_known"],
        started_at=row["sync_started_at"],
        created_at=row["application_created_at"],
        revision=row["revision"],
        revisions=tuple(row["revisions"]),
        sync_status=row["sync_status"],
        health_status=row["health_status"],
        initiated_by=row["initiated_by"],
        images=tuple(row["images"]),
        received_at=row["received_at"],
    )
