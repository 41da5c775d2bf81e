"""How the list of each kind of live object went: when, whether it was complete, and since when there has been one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row, scalar_row

from costintel.cost.live import ListOutcome
from costintel.storage.connection import Database
from costintel.storage.text import clean_text

APPLICATIONS = "applications"
NAMESPACES = "namespaces"
VPAS = "vpas"
HPAS = "hpas"
_ERROR_LENGTH = 500

_NOTE = """
INSERT INTO live_lists (cluster, kind, listed_at, complete, error, last_complete_at, first_complete_at)
VALUES (%(cluster)s, %(kind)s, %(listed_at)s, %(complete)s, %(error)s, %(complete_at)s, %(complete_at)s)
ON CONFLICT (cluster, kind) DO UPDATE SET
    listed_at = EXCLUDED.listed_at, complete = EXCLUDED.complete, error = EXCLUDED.error,
    last_complete_at = coalesce(EXCLUDED.last_complete_at, live_lists.last_complete_at),
    first_complete_at = coalesce(live_lists.first_complete_at, EXCLUDED.first_complete_at)
    WHERE live_lists.listed_at <= EXCLUDED.listed_at
RETURNING true"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveListStatus:
    """The newest list of a kind. `complete` False: it failed, `error` says why, and what is stored is that of `last_complete_at`.

    `first_complete_at` is the first complete list ever; both are None before it.
    """

    kind: str
    listed_at: datetime
    complete: bool
    error: str
    last_complete_at: datetime | None
    first_complete_at: datetime | None


class LiveLists:
    """The table `live_lists`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def status(self, cluster: str, kind: str) -> LiveListStatus | None:
        """Return how the newest list of a kind went, None when it was never asked for."""
        return self._database.fetch_one(
            class_row(LiveListStatus),
            """
            SELECT kind, listed_at, complete, error, last_complete_at, first_complete_at FROM live_lists
            WHERE cluster = %s AND kind = %s
            """,
            [cluster, kind],
        )

    def all(self, cluster: str) -> dict[str, LiveListStatus]:
        """Return how the newest list of each kind went that was ever asked for, by kind."""
        found = self._database.fetch_all(
            class_row(LiveListStatus),
            """
            SELECT kind, listed_at, complete, error, last_complete_at, first_complete_at FROM live_lists
            WHERE cluster = %s ORDER BY kind
            """,
            [cluster],
        )
        return {status.kind: status for status in found}


def note_outcome(database: Database, cluster: str, kind: str, outcome: ListOutcome[Any]) -> bool:
    """Note how a list went; False, and nothing noted, when a newer one was noted already.

    Inside a transaction whoever has another list of that kind waits here until the transaction's end.
    """
    values = {
        "cluster": cluster,
        "kind": kind,
        "listed_at": outcome.listed_at,
        "complete": outcome.complete,
        "error": clean_text(outcome.error)[:_ERROR_LENGTH],
        "complete_at": outcome.listed_at if outcome.complete else None,
    }
    return database.fetch_one(scalar_row, _NOTE, values) is not None
