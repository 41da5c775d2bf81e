"""The records of measured syncs."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import LiteralString

from psycopg.rows import args_row, dict_row, scalar_row

from costintel.cost.application import AppRef, Destination
from costintel.cost.sync import FigureDocument, Record, Sync
from costintel.storage.connection import Database
from costintel.storage.daily import Daily
from costintel.storage.record_rows import destination_values, record_of, record_values, sync_of, sync_values
from costintel.storage.text import json_text

_KEY = ("cluster", "id")
_SYNC_COLUMNS = (
    "application_namespace", "application_name", "project", "destination_server", "destination_name",
    "destination_namespace", "resources", "resources_omitted", "sync_started_at", "sync_finished_at", "finished_at_known",
    "revision", "revisions", "application_created_at", "sync_status", "health_status", "initiated_by", "images", "received_at",
)  # fmt: skip
_COLUMNS = (
    *_SYNC_COLUMNS, "namespaces", "measured_on", "found_by", "stage", "measured_at", "settles_at", "scope", "early", "settled",
    "first_current",
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


_WAITS_FOR: LiteralString = (
    "payload #> '{sync,application}' = jsonb_build_array(%(application_namespace)s::text, %(application_name)s::text)"
)
"""That a row of `work` is about a sync of the Application; an index has the same expression."""

# The statements are put together from the constants above and nothing else.
_SELECTED: LiteralString = ", ".join(_KEY + _COLUMNS)
_SELECT: LiteralString = f"SELECT {_SELECTED} FROM cost_actuals WHERE cluster = %(cluster)s"  # noqa: S608
_SELECT_SYNC: LiteralString = f"SELECT id, {', '.join(_SYNC_COLUMNS)} FROM cost_actuals WHERE cluster = %(cluster)s"  # noqa: S608
_PLACEHOLDERS: LiteralString = ", ".join(map(_placeholder, _KEY + _COLUMNS))
_OR_UPDATE: LiteralString = f"ON CONFLICT (cluster, id) DO UPDATE SET {', '.join(map(_update, _COLUMNS))}"
_SAVE: LiteralString = f"INSERT INTO cost_actuals ({_SELECTED}) VALUES ({_PLACEHOLDERS}) {_OR_UPDATE}"  # noqa: S608
_SAVE_FIRST: LiteralString = f"""
INSERT INTO cost_actuals ({_SELECTED}) SELECT {_PLACEHOLDERS}
WHERE NOT EXISTS (SELECT FROM cost_actuals WHERE cluster = %(cluster)s AND id <> %(id)s
        AND application_namespace = %(application_namespace)s AND application_name = %(application_name)s)
    AND NOT EXISTS (SELECT FROM work WHERE cluster = %(cluster)s AND kind = 'sync' AND {_WAITS_FOR})
{_OR_UPDATE} WHERE cost_actuals.measured_on = 'install'"""  # noqa: S608
_CORRECT: LiteralString = """
UPDATE cost_actuals SET
    first_current = CASE WHEN destination_namespace = %(destination_namespace)s
        AND resources IS NOT DISTINCT FROM %(resources)s::jsonb THEN first_current END,
    project = %(project)s, destination_server = %(destination_server)s, destination_name = %(destination_name)s,
    destination_namespace = %(destination_namespace)s, resources = %(resources)s::jsonb,
    resources_omitted = %(resources_omitted)s, namespaces = %(namespaces)s,
    application_created_at = %(application_created_at)s
WHERE cluster = %(cluster)s AND id = %(id)s"""
_NEWEST_FIRST: LiteralString = "(measured_on = 'sync') DESC, sync_finished_at DESC, measured_at DESC, id"
_NEWEST_OF_EACH: LiteralString = (
    f"SELECT DISTINCT ON (application_namespace, application_name) {_SELECTED} FROM cost_actuals"  # noqa: S608
    f" WHERE cluster = %(cluster)s ORDER BY application_namespace, application_name, {_NEWEST_FIRST}"
)
# The index on namespaces finds who ever touched them; the newest record of each decides whether it still does.
_ONES_TOUCHING: LiteralString = f"""
FROM (SELECT DISTINCT application_namespace, application_name FROM cost_actuals
    WHERE cluster = %(cluster)s AND namespaces && %(namespaces)s) AS once
CROSS JOIN LATERAL (
    SELECT * FROM cost_actuals WHERE cluster = %(cluster)s
        AND application_namespace = once.application_namespace AND application_name = once.application_name
    ORDER BY {_NEWEST_FIRST} LIMIT 1) AS newest
WHERE newest.namespaces && %(namespaces)s
ORDER BY newest.application_namespace, newest.application_name"""  # noqa: S608
_NEWEST_TOUCHING: LiteralString = f"SELECT {', '.join(f'newest.{name}' for name in _KEY + _COLUMNS)} {_ONES_TOUCHING}"
_SYNCS_TOUCHING: LiteralString = (
    f"SELECT {', '.join(f'newest.{name}' for name in ('id', *_SYNC_COLUMNS))} {_ONES_TOUCHING}"
)


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
        self._database.execute(_SAVE, record_values(record))

    def save_first(self, record: Record) -> bool:
        """Keep an install's record if its Application has no other record and no sync of it waits; return whether it is kept.

        An install measured again (of the same id) replaces the former. Raises what `save` raises. A sync that comes at the
        very same moment is no harm: it is the newer record, whatever order they are stored in.
        """
        return self._database.execute(_SAVE_FIRST, record_values(record)) == 1

    def ids(self, cluster: str, candidates: Sequence[str]) -> set[str]:
        """Return those of the sync ids `candidates` that have a record."""
        query = "SELECT id FROM cost_actuals WHERE cluster = %s AND id = ANY(%s)"
        return set(self._database.fetch_all(scalar_row, query, [cluster, list(candidates)]))

    def applications_with_records(self, cluster: str) -> set[AppRef]:
        """Return the Applications that have a record, whatever it says."""
        query = "SELECT DISTINCT application_namespace, application_name FROM cost_actuals WHERE cluster = %s"
        return set(self._database.fetch_all(args_row(AppRef), query, [cluster]))

    def syncs(self, cluster: str) -> Iterator[Sync]:
        """Yield the sync of every record, without its figures, by Application and oldest first (see Database.stream)."""
        order = " ORDER BY application_namespace, application_name, sync_finished_at, id"
        return map(sync_of, self._database.stream(dict_row, _SELECT_SYNC + order, {"cluster": cluster}))

    def syncs_with_unknown_finish(self, cluster: str) -> list[Sync]:
        """Return the syncs whose notification left out when they finished, oldest first."""
        query = f"{_SELECT_SYNC} AND NOT finished_at_known ORDER BY sync_finished_at, id"
        return [sync_of(row) for row in self._database.fetch_all(dict_row, query, {"cluster": cluster})]

    def adopt_id(self, cluster: str, old_id: str, new_id: str, *, finished_at: datetime) -> bool:
        """Give the record of a sync whose finish was not known the id, and the finish, that the live list tells.

        If the sync has a record by its real id too, that one stays and this one is removed. False when there is nothing to
        do: no such record, or its finish is known.
        """
        values = {"cluster": cluster, "old": old_id, "new": new_id, "finished_at": finished_at}
        with self._database.transaction():
            adopted = self._database.execute(
                """
                UPDATE cost_actuals SET id = %(new)s, sync_finished_at = %(finished_at)s, finished_at_known = true
                WHERE cluster = %(cluster)s AND id = %(old)s AND NOT finished_at_known
                    AND NOT EXISTS (SELECT FROM cost_actuals WHERE cluster = %(cluster)s AND id = %(new)s)
                """,
                values,
            )
            removed = self._database.execute(
                "DELETE FROM cost_actuals WHERE cluster = %(cluster)s AND id = %(old)s AND NOT finished_at_known",
                values,
            )
        return adopted + removed > 0

    def correct(self, cluster: str, sync: Sync) -> bool:
        """Give a record the project, destination, resources and creation that `sync`, of the same id, has; False without one.

        Its figures stay; only a first current one goes when it was made of other resources. Raises what `save` raises.
        """
        return self._database.execute(_CORRECT, {"cluster": cluster, **sync_values(sync)}) == 1

    def delete_measurements(self, cluster: str, application: AppRef) -> int:
        """Delete what was measured of an Application: its records, its days, and syncs that wait for their figures.

        All of it, or nothing. Estimates stay. Returns how many records there were.
        """
        values = {
            "cluster": cluster,
            "application_namespace": application.namespace,
            "application_name": application.name,
        }
        with self._database.transaction():
            self._database.execute(
                f"DELETE FROM work WHERE cluster = %(cluster)s AND kind = 'sync' AND {_WAITS_FOR}",  # noqa: S608
                values,
            )
            Daily(self._database).delete(cluster, application)
            return self._database.execute(
                """
                DELETE FROM cost_actuals WHERE cluster = %(cluster)s
                    AND application_namespace = %(application_namespace)s AND application_name = %(application_name)s
                """,
                values,
            )

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
            **destination_values(destination),
        )

    def latest_of_all(self, cluster: str, namespaces: Sequence[str] | None) -> list[Record]:
        """Return the newest record of each Application whose pods may be in one of `namespaces`; of all of them for None."""
        query = _NEWEST_OF_EACH if namespaces is None else _NEWEST_TOUCHING
        parameters = {"cluster": cluster, "namespaces": list(namespaces or ())}
        return [record_of(row) for row in self._database.fetch_all(dict_row, query, parameters)]

    def newest_syncs(self, cluster: str, namespaces: Sequence[str]) -> list[Sync]:
        """Return what `latest_of_all` returns without the figures, which are most of a record."""
        parameters = {"cluster": cluster, "namespaces": list(namespaces)}
        return [sync_of(row) for row in self._database.fetch_all(dict_row, _SYNCS_TOUCHING, parameters)]

    def save_first_current(self, cluster: str, sync_id: str, document: FigureDocument) -> bool:
        """Give a record its first current figure; False when there is no such record."""
        body = json_text("first current figure", dict(document))
        statement = "UPDATE cost_actuals SET first_current = %s::jsonb WHERE cluster = %s AND id = %s"
        return self._database.execute(statement, [body, cluster, sync_id]) == 1

    def _one(self, query: LiteralString, **parameters: str) -> Record | None:
        row = self._database.fetch_one(dict_row, query, parameters)
        return None if row is None else record_of(row)
