"""The syncs we know of, in short: what a live list is compared with, without what they list and cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import dict_row

from costintel.cost.application import AppRef, Destination
from costintel.storage.connection import Database

_RECORDED: LiteralString = """id, application_namespace, application_name, project, destination_server, destination_name,
        destination_namespace, resources IS NOT NULL AND NOT resources_omitted AS lists_resources,
        sync_finished_at AS finished_at, finished_at_known, revision, revisions, received_at,
        measured_on = 'install' AS is_install"""

# From one Application to the next, and of each the newest record, by the index: however many records there are.
_NEWEST: LiteralString = f"""
WITH RECURSIVE known AS (
    (SELECT application_namespace, application_name FROM cost_actuals WHERE cluster = %(cluster)s ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT following.* FROM known CROSS JOIN LATERAL (
        SELECT application_namespace, application_name FROM cost_actuals WHERE cluster = %(cluster)s
            AND (application_namespace, application_name) > (known.application_namespace, known.application_name)
        ORDER BY 1, 2 LIMIT 1) AS following)
SELECT newest.* FROM known CROSS JOIN LATERAL (
    SELECT {_RECORDED}
    FROM cost_actuals WHERE cluster = %(cluster)s
        AND application_namespace = known.application_namespace AND application_name = known.application_name
    ORDER BY (measured_on = 'sync') DESC, sync_finished_at DESC, measured_at DESC, id LIMIT 1) AS newest"""  # noqa: S608

_UNKNOWN_FINISH: LiteralString = f"""
SELECT {_RECORDED} FROM cost_actuals WHERE cluster = %(cluster)s AND NOT finished_at_known ORDER BY sync_finished_at, id"""  # noqa: S608

_WAITING: LiteralString = """
SELECT subject AS id, sync #>> '{application,0}' AS application_namespace, sync #>> '{application,1}' AS application_name,
    sync ->> 'project' AS project, sync #>> '{destination,0}' AS destination_server,
    sync #>> '{destination,1}' AS destination_name, sync #>> '{destination,2}' AS destination_namespace,
    jsonb_typeof(sync -> 'resources') = 'array' AND NOT (sync ->> 'resources_omitted')::boolean AS lists_resources,
    (sync ->> 'finished_at')::timestamptz AS finished_at, (sync ->> 'finished_at_known')::boolean AS finished_at_known,
    sync ->> 'revision' AS revision, sync -> 'revisions' AS revisions, (sync ->> 'received_at')::timestamptz AS received_at,
    false AS is_install
FROM (SELECT subject, payload -> 'sync' AS sync FROM work WHERE cluster = %(cluster)s AND kind = 'sync' OFFSET 0) AS waiting
ORDER BY finished_at, id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSync:
    """A sync that is recorded or waits.

    `lists_resources`: what its Application manages is known from it. `is_install`: no sync, but the record of an Application
    that had none yet.
    """

    id: str
    application: AppRef
    project: str
    destination: Destination
    lists_resources: bool
    finished_at: datetime
    finished_at_known: bool
    revision: str
    revisions: Sequence[str]
    received_at: datetime
    is_install: bool


class KnownSyncs:
    """The tables `cost_actuals` and `work`, read for all Applications."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest_recorded(self, cluster: str) -> list[KnownSync]:
        """Return the newest record of each Application, by namespace and name; an install's only where there is no sync's."""
        return self._all(_NEWEST, cluster)

    def waiting(self, cluster: str) -> list[KnownSync]:
        """Return the syncs that are not settled yet, oldest first; most of them have a record too."""
        return self._all(_WAITING, cluster)

    def with_unknown_finish(self, cluster: str) -> list[KnownSync]:
        """Return the recorded syncs whose notification left out when they finished, oldest first."""
        return self._all(_UNKNOWN_FINISH, cluster)

    def _all(self, query: LiteralString, cluster: str) -> list[KnownSync]:
        return [_known_sync(row) for row in self._database.fetch_all(dict_row, query, {"cluster": cluster})]


def _known_sync(row: dict[str, Any]) -> KnownSync:
    application = AppRef(row.pop("application_namespace"), row.pop("application_name"))
    destination = Destination(**{name: row.pop(f"destination_{name}") for name in ("server", "name", "namespace")})
    return KnownSync(application=application, destination=destination, **row)
