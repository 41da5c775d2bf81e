"""What the records say of Applications over time: what each listed when, and which records nobody needs any more."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from psycopg.rows import args_row, dict_row, tuple_row

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.storage.connection import Database

# From one Application to the next by the index, however many records there are.
_KNOWN: LiteralString = """
WITH RECURSIVE known AS (
    (SELECT application_namespace AS namespace, application_name AS name FROM cost_actuals
        WHERE cluster = %(cluster)s ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT following.* FROM known CROSS JOIN LATERAL (
        SELECT application_namespace, application_name FROM cost_actuals WHERE cluster = %(cluster)s
            AND (application_namespace, application_name) > (known.namespace, known.name) ORDER BY 1, 2 LIMIT 1) AS following)"""
_OF: LiteralString = "cluster = %(cluster)s AND application_namespace = {0}.namespace AND application_name = {0}.name"

_NAMED: LiteralString = """
WITH known AS (SELECT * FROM unnest(%(namespaces)s::text[], %(names)s::text[]) AS named (namespace, name))"""

_APPLICATIONS: LiteralString = f"""
SELECT known.namespace, known.name, destination_server, destination_name, destination_namespace, is_whole, created_at,
    first_recorded_at, live.destination, coalesce(live.labels ? %(access_label)s, false) AS is_access
FROM known
CROSS JOIN LATERAL (
    SELECT destination_server, destination_name, destination_namespace, resources IS NULL AS is_whole,
        application_created_at AS created_at
    FROM cost_actuals WHERE {_OF.format("known")}
    ORDER BY (measured_on = 'sync') DESC, sync_finished_at DESC, measured_at DESC, id LIMIT 1) AS newest
CROSS JOIN LATERAL (
    SELECT min(sync_finished_at) AS first_recorded_at FROM cost_actuals WHERE {_OF.format("known")}) AS first
LEFT JOIN LATERAL (
    SELECT labels, ARRAY[destination_server, destination_name, destination_namespace] AS destination FROM applications
    WHERE cluster = %(cluster)s AND namespace = known.namespace AND name = known.name) AS live ON true
ORDER BY known.namespace COLLATE "C", known.name COLLATE "C\""""  # noqa: S608  constants

_MARKS: LiteralString = f"""
SELECT wanted.namespace, wanted.name, concat_ws(' ', earlier, chosen.id,
    md5(concat_ws(' ', destination_namespace, application_created_at, resources::text)))
FROM unnest(%(namespaces)s::text[], %(names)s::text[], %(moments)s::timestamptz[]) AS wanted (namespace, name, before)
CROSS JOIN LATERAL (
    SELECT count(*) AS earlier FROM cost_actuals WHERE {_OF.format("wanted")} AND sync_finished_at < wanted.before) AS counted
CROSS JOIN LATERAL (SELECT coalesce(
    (SELECT id FROM cost_actuals WHERE {_OF.format("wanted")} AND sync_finished_at < wanted.before
        ORDER BY sync_finished_at DESC, id DESC LIMIT 1),
    (SELECT id FROM cost_actuals WHERE {_OF.format("wanted")} ORDER BY sync_finished_at, id LIMIT 1)) AS id) AS chosen
JOIN cost_actuals ON cost_actuals.cluster = %(cluster)s AND cost_actuals.id = chosen.id"""  # noqa: S608  constants

_LISTED: LiteralString = f"""
SELECT wanted.namespace, wanted.name, listed.*
FROM unnest(%(namespaces)s::text[], %(names)s::text[], %(moments)s::timestamptz[], %(whole)s::boolean[])
    AS wanted (namespace, name, since, is_whole)
CROSS JOIN LATERAL (
    SELECT max(sync_finished_at) AS moment FROM cost_actuals
    WHERE {_OF.format("wanted")} AND (resources IS NULL) = wanted.is_whole AND sync_finished_at < wanted.since) AS last
CROSS JOIN LATERAL (
    SELECT sync_finished_at AS finished_at, destination_namespace, resources FROM cost_actuals
    WHERE {_OF.format("wanted")} AND (resources IS NULL) = wanted.is_whole
        AND sync_finished_at >= coalesce(last.moment, '-infinity')
    ORDER BY sync_finished_at, id) AS listed"""  # noqa: S608  constants

# Of what is old the first record (since when it is known) and the last (what it listed when the history begins) stay.
_PRUNE: LiteralString = """
DELETE FROM cost_actuals AS old WHERE cluster = %(cluster)s AND sync_finished_at < %(before)s
    AND EXISTS (SELECT FROM cost_actuals WHERE cluster = %(cluster)s
        AND application_namespace = old.application_namespace AND application_name = old.application_name
        AND (sync_finished_at, id) < (old.sync_finished_at, old.id))
    AND EXISTS (SELECT FROM cost_actuals WHERE cluster = %(cluster)s
        AND application_namespace = old.application_namespace AND application_name = old.application_name
        AND (sync_finished_at, id) > (old.sync_finished_at, old.id) AND sync_finished_at < %(before)s)"""

_VANISHED: LiteralString = f"""{_KNOWN}
SELECT known.namespace, known.name FROM known
WHERE NOT EXISTS (SELECT FROM cost_actuals WHERE {_OF.format("known")} AND sync_finished_at >= %(before)s)
    AND NOT EXISTS (SELECT FROM cost_daily WHERE {_OF.format("known")})
    AND NOT EXISTS (SELECT FROM applications WHERE cluster = %(cluster)s
        AND namespace = known.namespace AND name = known.name)"""  # noqa: S608  constants

_FORGOTTEN: LiteralString = """
SELECT DISTINCT application_namespace, application_name FROM cost_daily_progress AS progress
WHERE cluster = %(cluster)s AND NOT EXISTS (SELECT FROM cost_actuals WHERE cluster = %(cluster)s
    AND application_namespace = progress.application_namespace AND application_name = progress.application_name)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedApplication:
    """An Application that has a record: what its newest record says, and what the last complete list has of it.

    `is_whole`: its list is not known, so its whole namespace counts. `live_destination` is None when the list does not have it.
    """

    application: AppRef
    destination: Destination
    is_whole: bool
    created_at: datetime | None
    first_recorded_at: datetime
    live_destination: Destination | None
    is_access: bool

    @property
    def scope(self) -> str:
        """`application` or `namespace`."""
        return "namespace" if self.is_whole else "application"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedThen:
    """What a record says an Application listed, from its sync's end on. `resources` None: its whole namespace."""

    application: AppRef
    finished_at: datetime
    destination_namespace: str
    resources: tuple[Resource, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """Whose lists are wanted: those of one scope, from the one that held at `moment` on."""

    moment: datetime
    is_whole: bool


class RecordHistory:
    """The table `cost_actuals` over time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def applications(
        self, cluster: str, *, access_label: str, named: Collection[AppRef] | None = None
    ) -> list[RecordedApplication]:
        """Return every Application that has a record, or those of `named`, by namespace and name."""
        parameters: dict[str, Any] = {"cluster": cluster, "access_label": access_label}
        if named is None:
            rows = self._database.fetch_all(dict_row, _KNOWN + _APPLICATIONS, parameters)
        else:
            parameters |= {"namespaces": [one.namespace for one in named], "names": [one.name for one in named]}
            rows = self._database.fetch_all(dict_row, _NAMED + _APPLICATIONS, parameters)
        return [_application(row) for row in rows]

    def marks(self, cluster: str, before: Mapping[AppRef, datetime]) -> dict[AppRef, str]:
        """Return for each Application a text that changes when its records from before that moment do.

        It tells how many there are, and what the last of them lists; without any, what the first later one does.
        """
        found = self._database.fetch_all(tuple_row, _MARKS, {"cluster": cluster, **_arrays(before)})
        return {AppRef(namespace, name): mark for namespace, name, mark in found}

    def listed(self, cluster: str, wanted: Mapping[AppRef, Since]) -> Iterator[ListedThen]:
        """Yield what each of these Applications listed when, oldest first (see Database.stream)."""
        parameters = {
            "cluster": cluster,
            **_arrays({application: since.moment for application, since in wanted.items()}),
            "whole": [since.is_whole for since in wanted.values()],
        }
        return map(_listed, self._database.stream(dict_row, _LISTED, parameters))

    def touching(self, cluster: str, namespaces: Collection[str]) -> set[AppRef]:
        """Return the Applications that ever listed something in one of `namespaces`."""
        query = """
            SELECT DISTINCT application_namespace, application_name FROM cost_actuals
            WHERE cluster = %s AND namespaces && %s"""
        return set(self._database.fetch_all(args_row(AppRef), query, [cluster, list(namespaces)]))

    def prune(self, cluster: str, before: datetime) -> int:
        """Forget records of syncs that finished before `before`, but of each Application the first and the last of them."""
        return self._database.execute(_PRUNE, {"cluster": cluster, "before": before})

    def vanished(self, cluster: str, before: datetime) -> list[AppRef]:
        """Return the Applications without a sync since `before`, without a day of cost, and in no list."""
        parameters = {"cluster": cluster, "before": before}
        return self._database.fetch_all(args_row(AppRef), _VANISHED, parameters)

    def forgotten(self, cluster: str) -> list[AppRef]:
        """Return the Applications that have a series and no record any more."""
        return self._database.fetch_all(args_row(AppRef), _FORGOTTEN, {"cluster": cluster})


def _arrays(moments: Mapping[AppRef, datetime]) -> dict[str, Any]:
    return {
        "namespaces": [application.namespace for application in moments],
        "names": [application.name for application in moments],
        "moments": list(moments.values()),
    }


def _application(row: dict[str, Any]) -> RecordedApplication:
    live = row["destination"]
    return RecordedApplication(
        application=AppRef(row["namespace"], row["name"]),
        destination=Destination(
            server=row["destination_server"], name=row["destination_name"], namespace=row["destination_namespace"]
        ),
        is_whole=row["is_whole"],
        created_at=row["created_at"],
        first_recorded_at=row["first_recorded_at"],
        live_destination=None if live is None else Destination(server=live[0], name=live[1], namespace=live[2]),
        is_access=row["is_access"],
    )


def _listed(row: dict[str, Any]) -> ListedThen:
    resources = row["resources"]
    return ListedThen(
        application=AppRef(row["namespace"], row["name"]),
        finished_at=row["finished_at"],
        destination_namespace=row["destination_namespace"],
        resources=None if resources is None else tuple(Resource(*resource) for resource in resources),
    )
