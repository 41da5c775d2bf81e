"""Every Application at once: what the last complete list has, and the newest sync that is recorded or waits.

Read as one JSON text each and as tuples: there are ten thousand of them, and they are read while somebody waits.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from psycopg.rows import scalar_row, tuple_row
from pydantic_core import from_json

from costintel.storage.connection import Database
from costintel.storage.work import Work, WorkItem

Name = tuple[str, str]
"""An Application's namespace and name."""

# The last operation, else the newest entry of the history: whatever it remembers of its last successful sync.
_LISTED: LiteralString = """
SELECT json_agg(json_build_array(namespace, name, project, destination_server, destination_name, destination_namespace,
    extract(epoch FROM created_at), labels, resources, coalesce(last_sync, history -> -1), application_set,
    parent_namespace, parent_name))::text
FROM applications WHERE cluster = %(cluster)s"""

# From one Application to the next, and of each the newest record, by the index: however many records there are.
_NEWEST: LiteralString = """
WITH RECURSIVE known AS (
    (SELECT application_namespace, application_name FROM cost_actuals WHERE cluster = %(cluster)s ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT following.* FROM known CROSS JOIN LATERAL (
        SELECT application_namespace, application_name FROM cost_actuals WHERE cluster = %(cluster)s
            AND (application_namespace, application_name) > (known.application_namespace, known.application_name)
        ORDER BY 1, 2 LIMIT 1) AS following)
SELECT json_agg(json_build_array(newest.application_namespace, newest.application_name, id, measured_on,
    extract(epoch FROM sync_finished_at), extract(epoch FROM received_at), revision, revisions,
    stage = 'settled' OR num_nonnulls(early, settled, first_current) > 0))::text
FROM known CROSS JOIN LATERAL (
    SELECT * FROM cost_actuals WHERE cluster = %(cluster)s
        AND application_namespace = known.application_namespace AND application_name = known.application_name
    ORDER BY (measured_on = 'sync') DESC, sync_finished_at DESC, measured_at DESC, id LIMIT 1) AS newest"""

_DEPLOYED: LiteralString = """
SELECT json_agg(json_build_array(id, project, destination_server, destination_name, destination_namespace, resources,
    resources_omitted, extract(epoch FROM application_created_at)))::text
FROM cost_actuals WHERE cluster = %(cluster)s AND id = ANY(%(ids)s)"""

_FIRST: LiteralString = """
SELECT application_namespace, application_name, min(earlier.sync_finished_at)
FROM cost_actuals JOIN cost_actuals AS earlier USING (cluster, application_namespace, application_name, destination_server,
    destination_name, destination_namespace)
WHERE cluster = %(cluster)s AND cost_actuals.id = ANY(%(ids)s)
GROUP BY application_namespace, application_name"""


class ListedApplication(NamedTuple):
    """An Application of the last complete list. Times are in seconds; resources are [group, kind, namespace, name].

    `last_sync` is [finished, started or None, revision, revisions, initiator], times in RFC 3339; None for none.
    """

    namespace: str
    name: str
    project: str
    destination_server: str
    destination_name: str
    destination_namespace: str
    created_at: float
    labels: Mapping[str, str]
    resources: Sequence[Sequence[str]] | None
    last_sync: Sequence[Any] | None
    application_set: str
    parent_namespace: str | None
    parent_name: str | None


class NewestRecord(NamedTuple):
    """The newest record of an Application, without its figures and what it lists. Times are in seconds.

    `is_measured`: it has a figure, or will get none.
    """

    namespace: str
    name: str
    id: str
    measured_on: str
    finished_at: float
    received_at: float
    revision: str
    revisions: Sequence[str]
    is_measured: bool


class Deployed(NamedTuple):
    """What the sync `id` said of its Application. `created_at` is in seconds, None where it did not say."""

    id: str
    project: str
    destination_server: str
    destination_name: str
    destination_namespace: str
    resources: Sequence[Sequence[str]] | None
    resources_omitted: bool
    created_at: float | None


class Roster:
    """The tables `applications`, `cost_actuals` and `work`, read for all Applications."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def listed(self, cluster: str) -> list[ListedApplication]:
        """Return the Applications of the last complete list, in any order."""
        return [ListedApplication._make(row) for row in self._rows(_LISTED, cluster)]

    def newest_records(self, cluster: str) -> list[NewestRecord]:
        """Return the newest record of each Application that has one, in any order."""
        return [NewestRecord._make(row) for row in self._rows(_NEWEST, cluster)]

    def waiting_syncs(self, cluster: str) -> list[WorkItem]:
        """Return the syncs that wait and have no record yet, oldest first."""
        return Work(self._database).unrecorded_syncs(cluster)

    def deployed(self, cluster: str, ids: Sequence[str]) -> list[Deployed]:
        """Return what the syncs of these records said of their Applications, in any order."""
        return [Deployed._make(row) for row in self._rows(_DEPLOYED, cluster, ids=list(ids))]

    def first_recorded(self, cluster: str, ids: Sequence[str]) -> dict[Name, datetime]:
        """Return when the oldest recorded sync to the same destination as each of these records finished."""
        parameters = {"cluster": cluster, "ids": list(ids)}
        found = self._database.fetch_all(tuple_row, _FIRST, parameters)
        return {(namespace, name): moment for namespace, name, moment in found}

    def _rows(self, query: LiteralString, cluster: str, **parameters: list[str]) -> list[list[Any]]:
        text = self._database.fetch_one(scalar_row, query, {"cluster": cluster, **parameters})
        return [] if text is None else from_json(text)
