"""What is still to be done: PostgreSQL remembers it, whatever happens to queues and functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row, scalar_row

from costintel.cost.application import AppRef
from costintel.storage.connection import Database
from costintel.storage.text import clean_text, json_text

SYNC = "sync"
"""A finished sync until its settled figure is stored; the subject is the sync's id."""
HOUR = "hour"
"""An hour that failed or is to be confirmed; the subject is its start in RFC 3339."""
INSTALL = "install"
"""An Application without a measurement; the subject is its reference, as in the next two."""
CORRECTION = "correction"
"""An Application whose newest record the live list contradicts."""
PRUNE = "prune"
"""An Application that deploys to another cluster, and whose records and days are to go."""
_ERROR_LENGTH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """One thing to do, not before its time. `attempts` counts what failed since the last step that succeeded."""

    kind: str
    subject: str
    payload: dict[str, Any]
    not_before: datetime
    attempts: int
    last_error: str
    created_at: datetime


class Work:
    """The table `work`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def insert_syncs(self, cluster: str, payloads: Mapping[str, Mapping[str, Any]], now: datetime) -> set[str]:
        """Remember those syncs (id to payload) that are neither waiting nor recorded; return the ids that were new.

        One statement, however many there are. Raises InvalidInput naming the sync whose payload cannot be kept.
        """
        bodies = [json_text(f"sync {sync_id}", payload) for sync_id, payload in payloads.items()]
        inserted = self._database.fetch_all(
            scalar_row,
            """
            INSERT INTO work (cluster, kind, subject, payload, not_before, created_at)
            SELECT %(cluster)s, 'sync', new.id, new.payload, %(now)s, %(now)s
            FROM unnest(%(ids)s::text[], %(bodies)s::jsonb[]) AS new (id, payload)
            WHERE NOT EXISTS (SELECT FROM cost_actuals WHERE cluster = %(cluster)s AND id = new.id)
            -- In one order for everybody: two batches with the same syncs must not wait for each other in a circle.
            ORDER BY new.id
            ON CONFLICT (cluster, kind, subject) DO NOTHING
            RETURNING subject
            """,
            {"cluster": cluster, "now": now, "ids": list(payloads), "bodies": bodies},
        )
        return set(inserted)

    def due(self, cluster: str, kind: str, now: datetime, limit: int) -> list[WorkItem]:
        """Return what may be done at `now`, longest due first, then oldest."""
        return self._database.fetch_all(
            class_row(WorkItem),
            """
            SELECT kind, subject, payload, not_before, attempts, last_error, created_at FROM work
            WHERE cluster = %s AND kind = %s AND not_before <= %s
            ORDER BY not_before, created_at, subject LIMIT %s
            """,
            [cluster, kind, now, limit],
        )

    def all(self, cluster: str, kind: str) -> list[WorkItem]:
        """Return everything of a kind, in the order in which it becomes due."""
        return self._database.fetch_all(
            class_row(WorkItem),
            """
            SELECT kind, subject, payload, not_before, attempts, last_error, created_at FROM work
            WHERE cluster = %s AND kind = %s ORDER BY not_before, created_at, subject
            """,
            [cluster, kind],
        )

    def syncs_of(self, cluster: str, application: AppRef) -> list[WorkItem]:
        """Return the syncs of one Application that are not done yet; an index finds them."""
        return self._database.fetch_all(
            class_row(WorkItem),
            """
            SELECT kind, subject, payload, not_before, attempts, last_error, created_at FROM work
            WHERE cluster = %s AND kind = 'sync' AND payload #> '{sync,application}' = jsonb_build_array(%s::text, %s::text)
            ORDER BY not_before, created_at, subject
            """,
            [cluster, application.namespace, application.name],
        )

    def unrecorded_syncs(self, cluster: str) -> list[WorkItem]:
        """Return the syncs that wait and have no record yet, oldest first."""
        return self._database.fetch_all(
            class_row(WorkItem),
            """
            SELECT kind, subject, payload, not_before, attempts, last_error, created_at FROM work
            WHERE cluster = %(cluster)s AND kind = 'sync'
                AND NOT EXISTS (SELECT FROM cost_actuals WHERE cost_actuals.cluster = work.cluster AND id = work.subject)
            ORDER BY created_at, subject
            """,
            {"cluster": cluster},
        )

    def find(self, cluster: str, kind: str, subject: str) -> WorkItem | None:
        """Return one item, None when there is no such work."""
        return self._database.fetch_one(
            class_row(WorkItem),
            """
            SELECT kind, subject, payload, not_before, attempts, last_error, created_at FROM work
            WHERE cluster = %s AND kind = %s AND subject = %s
            """,
            [cluster, kind, subject],
        )

    def put(self, cluster: str, kind: str, subject: str, payload: Mapping[str, Any], not_before: datetime) -> None:
        """Make sure that the item exists with this payload and time. Of one that exists, attempts and error stay.

        `created_at` is the `not_before` it was first put with. Raises InvalidInput for a payload that cannot be kept.
        """
        self._database.execute(
            """
            INSERT INTO work (cluster, kind, subject, payload, not_before, created_at)
            VALUES (%(cluster)s, %(kind)s, %(subject)s, %(payload)s::jsonb, %(not_before)s, %(not_before)s)
            ON CONFLICT (cluster, kind, subject) DO UPDATE
                SET payload = EXCLUDED.payload, not_before = EXCLUDED.not_before
            """,
            _named(cluster, kind, subject, payload, not_before),
        )

    def put_many(
        self, cluster: str, kind: str, payloads: Mapping[str, Mapping[str, Any]], not_before: datetime
    ) -> None:
        """Do what `put` does for many items (subject to payload), in one statement.

        Raises InvalidInput naming the item whose payload cannot be kept.
        """
        self._database.execute(
            """
            INSERT INTO work (cluster, kind, subject, payload, not_before, created_at)
            SELECT %(cluster)s, %(kind)s, new.subject, new.payload, %(not_before)s, %(not_before)s
            FROM unnest(%(subjects)s::text[], %(bodies)s::jsonb[]) AS new (subject, payload) ORDER BY new.subject
            ON CONFLICT (cluster, kind, subject) DO UPDATE
                SET payload = EXCLUDED.payload, not_before = EXCLUDED.not_before
            """,
            _many(cluster, kind, payloads, not_before),
        )

    def insert_many(
        self, cluster: str, kind: str, payloads: Mapping[str, Mapping[str, Any]], not_before: datetime
    ) -> set[str]:
        """Remember those items (subject to payload) that are not remembered yet; return their subjects.

        One that exists stays as it is, its time and payload too. One statement, however many there are. Raises InvalidInput
        naming the item whose payload cannot be kept.
        """
        inserted = self._database.fetch_all(
            scalar_row,
            """
            INSERT INTO work (cluster, kind, subject, payload, not_before, created_at)
            SELECT %(cluster)s, %(kind)s, new.subject, new.payload, %(not_before)s, %(not_before)s
            FROM unnest(%(subjects)s::text[], %(bodies)s::jsonb[]) AS new (subject, payload) ORDER BY new.subject
            ON CONFLICT (cluster, kind, subject) DO NOTHING
            RETURNING subject
            """,
            _many(cluster, kind, payloads, not_before),
        )
        return set(inserted)

    def update_payload(
        self, cluster: str, kind: str, subject: str, payload: Mapping[str, Any], not_before: datetime
    ) -> None:
        """Note that a step of the item succeeded: new payload and time, no failed attempts. One that is gone stays gone."""
        self._database.execute(
            """
            UPDATE work SET payload = %(payload)s::jsonb, not_before = %(not_before)s, attempts = 0, last_error = ''
            WHERE cluster = %(cluster)s AND kind = %(kind)s AND subject = %(subject)s
            """,
            _named(cluster, kind, subject, payload, not_before),
        )

    def postpone(
        self, cluster: str, kind: str, subject: str, *, not_before: datetime, error: str, attempts: int
    ) -> None:
        """Note that a step of the item failed: when to try again, why, and how often it has failed by now."""
        self._database.execute(
            """
            UPDATE work SET not_before = %s, last_error = %s, attempts = %s
            WHERE cluster = %s AND kind = %s AND subject = %s
            """,
            [not_before, clean_text(error)[:_ERROR_LENGTH], attempts, cluster, kind, subject],
        )

    def rename(self, cluster: str, kind: str, subject: str, *, to: str, payload: Mapping[str, Any]) -> bool:
        """Give an item another subject, and a payload to match; its time, attempts and error stay. Return whether it had to.

        One that is gone stays gone. If there is an item of the new subject already, that one stays as it is and this one is
        forgotten. Raises InvalidInput for a payload that cannot be kept.
        """
        values = {"cluster": cluster, "kind": kind, "subject": subject, "to": to}
        body = json_text(f"{kind} {to}", payload)
        with self._database.transaction():
            renamed = self._database.execute(
                """
                INSERT INTO work (cluster, kind, subject, payload, not_before, attempts, last_error, created_at)
                SELECT cluster, kind, %(to)s::text, %(payload)s::jsonb, not_before, attempts, last_error, created_at FROM work
                WHERE cluster = %(cluster)s AND kind = %(kind)s AND subject = %(subject)s
                ON CONFLICT (cluster, kind, subject) DO NOTHING
                """,
                {**values, "payload": body},
            )
            self._database.execute(
                """
                DELETE FROM work
                WHERE cluster = %(cluster)s AND kind = %(kind)s AND subject = %(subject)s AND subject <> %(to)s
                """,
                values,
            )
        return renamed == 1

    def delete(self, cluster: str, kind: str, subjects: Sequence[str]) -> None:
        """Forget items that are done."""
        self._database.execute(
            "DELETE FROM work WHERE cluster = %s AND kind = %s AND subject = ANY(%s)",
            [cluster, kind, list(subjects)],
        )


def _named(cluster: str, kind: str, subject: str, payload: Mapping[str, Any], not_before: datetime) -> dict[str, Any]:
    body = json_text(f"{kind} {subject}", payload)
    return {"cluster": cluster, "kind": kind, "subject": subject, "payload": body, "not_before": not_before}


def _many(cluster: str, kind: str, payloads: Mapping[str, Mapping[str, Any]], not_before: datetime) -> dict[str, Any]:
    bodies = [json_text(f"{kind} {subject}", payload) for subject, payload in payloads.items()]
    return {
        "cluster": cluster,
        "kind": kind,
        "subjects": list(payloads),
        "bodies": bodies,
        "not_before": not_before,
    }
