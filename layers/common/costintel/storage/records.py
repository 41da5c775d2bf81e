"""The records of measured syncs."""

from collections.abc import Iterable, Sequence
from typing import Any, LiteralString

from psycopg.rows import dict_row

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Ownership, Resource
from costintel.cost.sync import FigureDocument, Record, Sync
from costintel.storage.connection import Database
from costintel.storage.text import clean_text, json_text

_KEY = ("cluster", "id")
_COLUMNS = (
    "application_namespace", "application_name", "project", "destination_server", "destination_name",
    "destination_namespace", "resources", "resources_omitted", "namespaces", "measured_on", "found_by", "stage",
    "sync_started_at", "sync_finished_at", "finished_at_known", "revision", "revisions", "application_created_at",
    "sync_status", "health_status", "initiated_by", "images", "received_at", "measured_at", "settles_at", "scope", "early",
    "settled", "first_current",
)  # fmt: skip
_JSON = frozenset({"resources", "early", "settled", "first_current"})
_NEVER_LOST = frozenset({"early", "settled", "first_current", "settles_at"})


def _placeholder(column: str) -> str:
    return f"%({column})s::jsonb" if column in _JSON else f"%({column})s"


def _update(column: str) -> str:
    if column in _NEVER_LOST:
        return f"{column} = coalesce(EXCLUDED.{column}, cost_actuals.{column})"
    if column == "stage":
        return "stage = CASE WHEN cost_actuals.stage = 'settled' THEN 'settled' ELSE EXCLUDED.stage END"
    return f"{column} = EXCLUDED.{column}"


# The statements are put together from the constants above and nothing else.
_SELECTED: LiteralString = ", ".join(_KEY + _COLUMNS)
_SELECT: LiteralString = f"SELECT {_SELECTED} FROM cost_actuals WHERE cluster = %(cluster)s"  # noqa: S608
_SAVE: LiteralString = (
    f"INSERT INTO cost_actuals ({_SELECTED}) VALUES ({', '.join(map(_placeholder, _KEY + _COLUMNS))})"  # noqa: S608
    f" ON CONFLICT (cluster, id) DO UPDATE SET {', '.join(map(_update, _COLUMNS))}"
)
_NEWEST_FIRST: LiteralString = "(measured_on = 'sync') DESC, sync_finished_at DESC, measured_at DESC, id"
_NEWEST_OF_EACH: LiteralString = (
    f"SELECT DISTINCT ON (application_namespace, application_name) {_SELECTED} FROM cost_actuals"  # noqa: S608
    f" WHERE cluster = %(cluster)s ORDER BY application_namespace, application_name, {_NEWEST_FIRST}"
)
# The index on namespaces finds who ever touched them; the newest record of each decides whether it still does.
_NEWEST_TOUCHING: LiteralString = f"""
WITH once AS (SELECT DISTINCT application_namespace, application_name FROM cost_actuals
    WHERE cluster = %(cluster)s AND namespaces && %(namespaces)s)
SELECT newest.* FROM once CROSS JOIN LATERAL (
    SELECT {_SELECTED} FROM cost_actuals WHERE cluster = %(cluster)s
        AND application_namespace = once.application_namespace AND application_name = once.application_name
    ORDER BY {_NEWEST_FIRST} LIMIT 1) AS newest
WHERE newest.namespaces && %(namespaces)s
ORDER BY newest.application_namespace, newest.application_name"""  # noqa: S608


class Records:
    """The table `cost_actuals`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, cluster: str, sync_id: str) -> Record | None:
        """Return the record of a sync."""
        return self._one(f"{_SELECT} AND id = %(id)s", cluster=cluster, id=sync_id)

    def save(self, record: Record) -> None:
        """Keep a record, in place of a former one of the same sync.

        What was measured once stays: an early, settled or first current figure that `record` lacks, and that it is settled.
        Raises InvalidInput naming the field for a figure or resources that cannot be kept (NaN, infinity, NUL).
        """
        self._database.execute(_SAVE, _values(record))

    def latest(self, cluster: str, application: AppRef) -> Record | None:
        """Return the record of the newest sync: the one that finished last, whenever it was measured; else the install's."""
        return self._one(
            f"{_SELECT} AND application_namespace = %(namespace)s AND application_name = %(name)s"
            f" ORDER BY {_NEWEST_FIRST} LIMIT 1",
            cluster=cluster,
            namespace=application.namespace,
            name=application.name,
        )

    def earliest_with_destination(self, cluster: str, application: AppRef, destination: Destination) -> Record | None:
        """Return the record of the oldest sync of the Application to this very destination."""
        return self._one(
            f"{_SELECT} AND application_namespace = %(namespace)s AND application_name = %(name)s"
            " AND destination_server = %(destination_server)s AND destination_name = %(destination_name)s"
            " AND destination_namespace = %(destination_namespace)s ORDER BY sync_finished_at, id LIMIT 1",
            cluster=cluster,
            namespace=application.namespace,
            name=application.name,
            **_destination_values(destination),
        )

    def latest_of_all(self, cluster: str, namespaces: Sequence[str] | None) -> list[Record]:
        """Return the newest record of each Application whose pods may be in one of `namespaces`; of all of them for None."""
        query = _NEWEST_OF_EACH if namespaces is None else _NEWEST_TOUCHING
        parameters = {"cluster": cluster, "namespaces": list(namespaces or ())}
        return [_record(row) for row in self._database.fetch_all(dict_row, query, parameters)]

    def save_first_current(self, cluster: str, sync_id: str, document: FigureDocument) -> bool:
        """Give a record its first current figure; False when there is no such record."""
        body = json_text("first current figure", dict(document))
        statement = "UPDATE cost_actuals SET first_current = %s::jsonb WHERE cluster = %s AND id = %s"
        return self._database.execute(statement, [body, cluster, sync_id]) == 1

    def _one(self, query: LiteralString, **parameters: str) -> Record | None:
        row = self._database.fetch_one(dict_row, query, parameters)
        return None if row is None else _record(row)


def _values(record: Record) -> dict[str, Any]:
    sync = record.sync
    ownership = Ownership(destination_namespace=sync.destination.namespace, resources=sync.resources)
    return {
        "cluster": record.cluster,
        "id": sync.id,
        "application_namespace": sync.application.namespace,
        "application_name": sync.application.name,
        "project": clean_text(sync.project),
        **_destination_values(sync.destination),
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
        **_measurement_values(record),
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


def _destination_values(destination: Destination) -> dict[str, str]:
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


def _record(row: dict[str, Any]) -> Record:
    return Record(
        sync=_sync(row),
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


def _sync(row: dict[str, Any]) -> Sync:
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
