"""What OpenCost answered, hour by hour, the fold of the newest 24 hours, and closed days."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, LiteralString

from psycopg.rows import dict_row, scalar_row, tuple_row

from costintel.cost.allocation import Allocation
from costintel.cost.collection import HourHeader, LiveHeader, StoredHour
from costintel.cost.container import ContainerCost
from costintel.cost.day import DayHeader, StoredDay, day_window
from costintel.cost.hour import HourState
from costintel.cost.window import Window
from costintel.storage.batches import batches
from costintel.storage.bodies import COLUMNS, StoredRow, allocations, container_costs, fold_row, hour_row
from costintel.storage.connection import Connection, Database
from costintel.storage.headers import (
    PUT_DAY,
    PUT_HOUR,
    PUT_LIVE,
    SELECT_DAY,
    SELECT_HOUR,
    day_header,
    day_values,
    hour_header,
    hour_values,
    live_header,
    live_values,
)
from costintel.storage.leases import Lease, require_lease

_COPY: LiteralString = f"COPY collection_namespaces (collection, {COLUMNS}) FROM STDIN"
_DAYS_AT_ONCE = 10
"""Days deleted by one statement, so that shortening the history does not run into a timeout."""

_ADD_UP: LiteralString = """
UPDATE collections SET totals = sums.totals
FROM (SELECT jsonb_build_object(
        'cpu', coalesce(sum(cpu_cost), 0), 'ram', coalesce(sum(ram_cost), 0), 'gpu', coalesce(sum(gpu_cost), 0),
        'storage', coalesce(sum(storage_cost), 0), 'network', coalesce(sum(network_cost), 0),
        'load_balancer', coalesce(sum(load_balancer_cost), 0)) AS totals
    FROM collection_namespaces WHERE collection = %(id)s) AS sums
WHERE id = %(id)s"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFold:
    """The fold of the newest 24 hours for some namespaces, containers by namespace, pod and container."""

    header: LiveHeader
    containers: list[ContainerCost]


class Collections:
    """The tables `collections` and `collection_namespaces`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def store_hour(self, lease: Lease, stored: StoredHour) -> None:
        """Keep an hour as it was answered, in place of a former answer; all of it, or nothing.

        Raises LeaseLost when somebody else has the lease by then, InvalidInput for numbers and text that cannot be kept.
        """
        with self._database.transaction() as connection:
            collection = self._put(connection, PUT_HOUR, hour_values(stored))
            rows = (hour_row(namespace, rows) for namespace, rows in stored.rows_by_namespace.items())
            _copy(connection, collection, rows)
            connection.execute(_ADD_UP, {"id": collection})
            # Last, because until the commit nobody else gets the lease and its own thread cannot renew it.
            require_lease(self._database, lease)

    def headers(self, cluster: str, window: Window) -> list[HourHeader]:
        """Return the stored hours that lie whole in `window`, oldest first."""
        rows = self._database.fetch_all(
            dict_row,
            SELECT_HOUR + " AND window_start >= %(start)s AND window_end <= %(end)s ORDER BY window_start",
            {"cluster": cluster, "start": window.start, "end": window.end},
        )
        return [hour_header(row) for row in rows]

    def nearest_before(self, cluster: str, start: datetime) -> HourHeader | None:
        """Return the newest good hour that starts before `start`."""
        row = self._database.fetch_one(
            dict_row,
            SELECT_HOUR + " AND state = 'good' AND window_start < %(start)s ORDER BY window_start DESC LIMIT 1",
            {"cluster": cluster, "start": start},
        )
        return None if row is None else hour_header(row)

    def set_states(self, cluster: str, states: Mapping[datetime, tuple[HourState, bool]]) -> None:
        """Change state and suspicion of stored hours, by their starts."""
        self._database.execute(
            """
            UPDATE collections SET state = new.state, suspect = new.suspect
            FROM unnest(%s::timestamptz[], %s::text[], %s::boolean[]) AS new (start, state, suspect)
            WHERE cluster = %s AND kind = 'hour' AND window_start = new.start
            """,
            [
                list(states),
                [state.value for state, _ in states.values()],
                [suspect for _, suspect in states.values()],
                cluster,
            ],
        )

    def namespace_rows(
        self, cluster: str, window: Window, namespaces: Sequence[str] | None
    ) -> Iterator[tuple[datetime, str, list[Allocation]]]:
        """Yield (hour, namespace, allocations) of the stored hours in `window`, by namespace, then by hour.

        `namespaces` None means all of them. Streamed: a few rows are in memory at a time (see Database.stream).
        """
        rows = self._database.stream(
            tuple_row,
            """
            SELECT window_start, namespace, body::text FROM collections JOIN collection_namespaces ON collection = id
            WHERE kind = 'hour' AND cluster = %(cluster)s AND window_start >= %(start)s AND window_end <= %(end)s
                AND (%(namespaces)s::text[] IS NULL OR namespace = ANY(%(namespaces)s))
            ORDER BY namespace COLLATE "C", window_start
            """,
            {
                "cluster": cluster,
                "start": window.start,
                "end": window.end,
                "namespaces": None if namespaces is None else list(namespaces),
            },
        )
        # As text until its turn comes: parsed, the largest namespaces would take many times the room.
        for start, namespace, body in rows:
            yield start, namespace, allocations(namespace, json.loads(body))

    def namespaces_with_cost_before(self, cluster: str, namespaces: Sequence[str], moment: datetime) -> set[str]:
        """Return those of `namespaces` in which a container ran in a stored hour or day that ended at or before `moment`."""
        found = self._database.fetch_all(
            scalar_row,
            """
            SELECT name FROM unnest(%(namespaces)s::text[]) AS name WHERE EXISTS (
                SELECT FROM collections JOIN collection_namespaces ON collection = id
                WHERE kind IN ('hour', 'day') AND cluster = %(cluster)s AND window_end <= %(moment)s
                    AND namespace = name AND collection_namespaces.running_rows > 0)
            """,
            {"cluster": cluster, "namespaces": list(namespaces), "moment": moment},
        )
        return set(found)

    def store_live(
        self, cluster: str, live: LiveHeader, namespaces: Iterable[tuple[str, Sequence[ContainerCost]]]
    ) -> None:
        """Put this fold of the newest 24 hours in the place of the one before, at once; an older window changes nothing.

        `namespaces` is read piece by piece and may come from `namespace_rows`, begun in here.
        """
        with self._database.transaction() as connection:
            if self._newer_live(connection, cluster, live.window.end):
                return
            collection = self._put(connection, PUT_LIVE, live_values(cluster, live))
            connection.execute(
                "DELETE FROM collections WHERE kind = 'live' AND cluster = %s AND id <> %s", [cluster, collection]
            )
            _copy(connection, collection, (fold_row(namespace, rows) for namespace, rows in namespaces))
            connection.execute(_ADD_UP, {"id": collection})

    def live(self, cluster: str) -> LiveHeader | None:
        """Return the header of the newest fold, None before the first."""
        row = self._database.fetch_one(
            dict_row,
            """
            SELECT window_start, window_end, observed_spans, asked_at FROM collections
            WHERE kind = 'live' AND cluster = %s ORDER BY window_end DESC LIMIT 1
            """,
            [cluster],
        )
        return None if row is None else live_header(row)

    def live_fold(self, cluster: str, namespaces: Sequence[str]) -> LiveFold | None:
        """Return the newest fold's header and its containers of `namespaces`, all of the same fold; None before the first."""
        rows = self._database.fetch_all(
            dict_row,
            """
            SELECT window_start, window_end, observed_spans, asked_at, namespace, body
            FROM (SELECT * FROM collections WHERE kind = 'live' AND cluster = %s ORDER BY window_end DESC LIMIT 1) AS live
            LEFT JOIN collection_namespaces ON collection = id AND namespace = ANY(%s)
            ORDER BY namespace COLLATE "C"
            """,
            [cluster, list(namespaces)],
        )
        if not rows:
            return None
        found = [row for row in rows if row["namespace"] is not None]
        containers = [one for row in found for one in container_costs(row["namespace"], row["body"])]
        return LiveFold(header=live_header(rows[0]), containers=containers)

    def live_namespaces(self, cluster: str, namespaces: Sequence[str]) -> list[ContainerCost]:
        """Return the containers of `namespaces` in the newest fold, by namespace, pod and container."""
        fold = self.live_fold(cluster, namespaces)
        return [] if fold is None else fold.containers

    def prune_hours(self, cluster: str, *, asked_before: datetime, needed_from: datetime | None) -> int:
        """Forget hours asked before that moment, but none that ends after `needed_from`; return how many."""
        return self._database.execute(
            """
            DELETE FROM collections WHERE kind = 'hour' AND cluster = %(cluster)s AND asked_at < %(asked_before)s
                AND (%(needed_from)s::timestamptz IS NULL OR window_end <= %(needed_from)s)
            """,
            {"cluster": cluster, "asked_before": asked_before, "needed_from": needed_from},
        )

    def store_day(self, lease: Lease, stored: StoredDay) -> None:
        """Keep a closed day, in place of what was kept of it; all of it, or nothing.

        The day's namespaces may come from `namespace_rows`, begun in here. Raises LeaseLost when somebody else has the lease by
        then, InvalidInput for numbers and text that cannot be kept.
        """
        with self._database.transaction() as connection:
            collection = self._put(connection, PUT_DAY, day_values(stored))
            _copy(connection, collection, (fold_row(namespace, rows) for namespace, rows in stored.namespaces))
            connection.execute(_ADD_UP, {"id": collection})
            require_lease(self._database, lease)

    def day_headers(self, cluster: str, first: date, last: date) -> list[DayHeader]:
        """Return the stored days from `first` to `last`, both included, oldest first."""
        rows = self._database.fetch_all(
            dict_row,
            SELECT_DAY + " AND window_start BETWEEN %(first)s AND %(last)s ORDER BY window_start",
            {"cluster": cluster, "first": day_window(first).start, "last": day_window(last).start},
        )
        return [day_header(row) for row in rows]

    def day_rows(
        self, cluster: str, days: Sequence[date], namespaces: Sequence[str] | None
    ) -> Iterator[tuple[date, str, list[ContainerCost]]]:
        """Yield (day, namespace, containers) of those of `days` that are stored, day by day, oldest first.

        The namespaces of a day come in any order, each once; `namespaces` None means all of them. Streamed: a few rows are in
        memory at a time (see Database.stream).
        """
        rows = self._database.stream(
            tuple_row,
            """
            SELECT window_start, namespace, body::text
            FROM (SELECT id, window_start FROM collections
                WHERE kind = 'day' AND cluster = %(cluster)s AND window_start = ANY(%(starts)s)
                ORDER BY window_start) AS day
            -- Day after day by the index: sorting the containers of all of them would take their room on disk.
            CROSS JOIN LATERAL (SELECT namespace, body FROM collection_namespaces
                WHERE collection = day.id AND (%(namespaces)s::text[] IS NULL OR namespace = ANY(%(namespaces)s))
                OFFSET 0) AS kept
            ORDER BY window_start
            """,
            {
                "cluster": cluster,
                "starts": [day_window(day).start for day in days],
                "namespaces": None if namespaces is None else list(namespaces),
            },
        )
        for start, namespace, body in rows:
            yield start.astimezone(UTC).date(), namespace, container_costs(namespace, json.loads(body))

    def prune_days(self, cluster: str, before: date) -> int:
        """Forget the days before `before`; return how many."""
        deleted = 0
        while count := self._database.execute(
            """
            DELETE FROM collections WHERE id IN (
                SELECT id FROM collections WHERE kind = 'day' AND cluster = %s AND window_start < %s LIMIT %s)
            """,
            [cluster, day_window(before).start, _DAYS_AT_ONCE],
        ):
            deleted += count
        return deleted

    def _put(self, connection: Connection, statement: LiteralString, values: Mapping[str, Any]) -> int:
        """Write a header and empty the collection; return its id."""
        row = connection.execute(statement, values).fetchone()
        assert row is not None
        connection.execute("DELETE FROM collection_namespaces WHERE collection = %s", [row[0]])
        return int(row[0])

    def _newer_live(self, connection: Connection, cluster: str, end: datetime) -> bool:
        # FOR UPDATE: whoever folds at the same time waits here until this fold is in place.
        rows = connection.execute(
            "SELECT window_end FROM collections WHERE kind = 'live' AND cluster = %s FOR UPDATE", [cluster]
        ).fetchall()
        return any(row[0] > end for row in rows)


def _copy(connection: Connection, collection: int, rows: Iterator[StoredRow]) -> None:
    # In pieces, because the rows may come from a stream of the same connection, which cannot be read during a COPY.
    for batch in batches(rows, characters=lambda row: len(row[-1])):
        with connection.cursor().copy(_COPY) as copy:
            for row in batch:
                copy.write_row((collection, *row))
