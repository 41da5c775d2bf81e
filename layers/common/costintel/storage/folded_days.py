"""A day of many series at once, and from when to when each series has cost."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from psycopg.rows import tuple_row

from costintel.cost.application import AppRef
from costintel.cost.daily import DailyCost
from costintel.storage.connection import Database
from costintel.storage.daily import Daily

SeriesKey = tuple[AppRef, str]
"""An Application and a scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedDay:
    """What a day was folded into: rows of the series that cost something, and the series that did not."""

    day: date
    rows: Sequence[DailyCost]
    without: Collection[SeriesKey]


class FoldedDays:
    """The table `cost_daily`, day by day."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._daily = Daily(database)

    def store(self, cluster: str, folded: FoldedDay) -> int:
        """Keep a day of series: rows are written where they are new or differ, and removed where there is no cost any more.

        All of it, or nothing. Returns how many rows changed. Raises InvalidInput for numbers that cannot be kept.
        """
        with self._database.transaction():
            written = self._daily.store(cluster, folded.rows)
            removed = self._database.execute(
                """
                DELETE FROM cost_daily USING unnest(%s::text[], %s::text[], %s::text[]) AS gone (namespace, name, scope)
                WHERE cluster = %s AND day = %s AND application_namespace = gone.namespace
                    AND application_name = gone.name AND cost_daily.scope = gone.scope
                """,
                [
                    [application.namespace for application, _ in folded.without],
                    [application.name for application, _ in folded.without],
                    [scope for _, scope in folded.without],
                    cluster,
                    folded.day,
                ],
            )
        return written + removed

    def bounds(self, cluster: str, keys: Collection[SeriesKey]) -> dict[SeriesKey, tuple[date, date]]:
        """Return the oldest and the newest day with cost of those of `keys` that have one."""
        found = self._database.fetch_all(
            tuple_row,
            """
            SELECT namespace, name, wanted.scope, oldest, newest
            FROM unnest(%(namespaces)s::text[], %(names)s::text[], %(scopes)s::text[]) AS wanted (namespace, name, scope)
            CROSS JOIN LATERAL (SELECT min(day) AS oldest, max(day) AS newest FROM cost_daily
                WHERE cluster = %(cluster)s AND application_namespace = wanted.namespace
                    AND application_name = wanted.name AND cost_daily.scope = wanted.scope) AS bounds
            WHERE oldest IS NOT NULL
            """,
            {
                "cluster": cluster,
                "namespaces": [application.namespace for application, _ in keys],
                "names": [application.name for application, _ in keys],
                "scopes": [scope for _, scope in keys],
            },
        )
        return {(AppRef(namespace, name), scope): (first, last) for namespace, name, scope, first, last in found}
