"""The series of each Application's days."""

from collections.abc import Iterable
from datetime import date
from typing import Any, LiteralString

from psycopg.rows import dict_row

from costintel.cost.amounts import RESOURCES, Amounts
from costintel.cost.application import AppRef
from costintel.cost.daily import DailyCost, DailyProgress
from costintel.cost.figure import Idle
from costintel.storage.batches import Columns, upsert_statement, write_rows
from costintel.storage.connection import Database
from costintel.storage.text import json_text

_APPLICATION: Columns = {"cluster": "text", "application_namespace": "text", "application_name": "text"}
_SUMS: tuple[LiteralString, ...] = (
    "cpu_core_hours_requested",
    "ram_byte_hours_requested",
    "cpu_core_hours_used",
    "ram_byte_hours_used",
    "measured_hours",
)
_NUMBERS: tuple[LiteralString, ...] = (
    *(f"{name}_cost" for name in RESOURCES),
    "idle_cpu_cost",
    "idle_ram_cost",
    *_SUMS,
)
_KEY: Columns = {**_APPLICATION, "scope": "text", "day": "date"}
_VALUES: Columns = {
    "deployment_namespace": "text",
    **dict.fromkeys(_NUMBERS, "numeric"),
    "idle_complete": "boolean",
    "complete": "boolean",
    "source": "text",
}
_STORE = upsert_statement("cost_daily", key=_KEY, values=_VALUES)
_PROGRESS_KEY: Columns = {**_APPLICATION, "scope": "text"}
_PROGRESS_VALUES: Columns = {
    "ownership": "text",
    "folded_from": "date",
    "folded_until": "date",
    "updated_at": "timestamptz",
}
_SAVE_PROGRESS = upsert_statement("cost_daily_progress", key=_PROGRESS_KEY, values=_PROGRESS_VALUES)
_SELECT: LiteralString = (
    "SELECT application_namespace, application_name, scope, day, deployment_namespace, idle_complete, complete, source, "  # noqa: S608
    # As floats they are again the very numbers they were stored from.
    + ", ".join(f"{name}::float8" for name in _NUMBERS)
    + " FROM cost_daily WHERE cluster = %(cluster)s"
)
_SELECT_PROGRESS: LiteralString = """
SELECT application_namespace, application_name, scope, ownership, folded_from, folded_until, updated_at
FROM cost_daily_progress WHERE cluster = %(cluster)s"""
_OF_APPLICATION: LiteralString = " AND application_namespace = %(namespace)s AND application_name = %(name)s"
_AT_ONCE = 20_000
"""Rows deleted by one statement, so that shortening the history does not run into a timeout."""


class Daily:
    """The tables `cost_daily` and `cost_daily_progress`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def store(self, cluster: str, rows: Iterable[DailyCost]) -> int:
        """Keep rows, in place of former ones of the same Application, scope and day; return how many were new or different.

        Those that are not are not written. Every batch is kept on its own: call it inside a transaction to have all or none.
        Raises InvalidInput naming Application and day for numbers that cannot be kept.
        """
        return write_rows(self._database, _STORE, (_row(cluster, row) for row in rows))

    def series(self, cluster: str, application: AppRef, scope: str, first: date, last: date) -> list[DailyCost]:
        """Return the days from `first` to `last`, both included, that have a row, oldest first."""
        rows = self._database.fetch_all(
            dict_row,
            f"{_SELECT}{_OF_APPLICATION} AND scope = %(scope)s AND day BETWEEN %(first)s AND %(last)s ORDER BY day",
            {**_named(cluster, application), "scope": scope, "first": first, "last": last},
        )
        return [_daily_cost(row) for row in rows]

    def delete_before(self, cluster: str, day: date) -> int:
        """Forget the days before `day` of every Application; return how many rows that were."""
        deleted = 0
        while count := self._database.execute(
            """
            DELETE FROM cost_daily WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM cost_daily WHERE cluster = %s AND day < %s LIMIT %s))
            """,
            [cluster, day, _AT_ONCE],
        ):
            deleted += count
        return deleted

    def delete(self, cluster: str, application: AppRef, scope: str | None = None) -> int:
        """Forget an Application's series and its progress, in one scope or in both; return how many rows that were."""
        values = {**_named(cluster, application), "scope": scope}
        condition = f" WHERE cluster = %(cluster)s{_OF_APPLICATION} AND coalesce(scope = %(scope)s::text, true)"
        with self._database.transaction():
            self._database.execute(f"DELETE FROM cost_daily_progress{condition}", values)  # noqa: S608
            return self._database.execute(f"DELETE FROM cost_daily{condition}", values)  # noqa: S608

    def progress(self, cluster: str, application: AppRef, scope: str) -> DailyProgress | None:
        """Return which days the series covers, None when it was never folded in this scope."""
        row = self._database.fetch_one(
            dict_row,
            f"{_SELECT_PROGRESS}{_OF_APPLICATION} AND scope = %(scope)s",
            {**_named(cluster, application), "scope": scope},
        )
        return None if row is None else _progress(row)

    def all_progress(self, cluster: str) -> list[DailyProgress]:
        """Return which days every series covers, by Application and scope."""
        query = f"{_SELECT_PROGRESS} ORDER BY application_namespace, application_name, scope"
        return [_progress(row) for row in self._database.fetch_all(dict_row, query, {"cluster": cluster})]

    def save_progress(self, cluster: str, covered: Iterable[DailyProgress]) -> None:
        """Keep which days series cover, in place of what was kept of the same Application and scope."""
        write_rows(self._database, _SAVE_PROGRESS, (_progress_row(cluster, one) for one in covered))


def _named(cluster: str, application: AppRef) -> dict[str, Any]:
    return {"cluster": cluster, "namespace": application.namespace, "name": application.name}


def _row(cluster: str, one: DailyCost) -> str:
    costs = {f"{name}_cost": part for name, part in zip(RESOURCES, one.cost.parts(), strict=True)}
    values = {
        "cluster": cluster,
        "application_namespace": one.application.namespace,
        "application_name": one.application.name,
        "scope": one.scope,
        "day": one.day.isoformat(),
        "deployment_namespace": one.deployment_namespace,
        **costs,
        "idle_cpu_cost": one.idle.cpu,
        "idle_ram_cost": one.idle.ram,
        "idle_complete": one.idle.complete,
        **{name: getattr(one, name) for name in _SUMS},
        "complete": one.complete,
        "source": one.source,
    }
    return json_text(f"{one.application} on {one.day}", values)


def _daily_cost(row: dict[str, Any]) -> DailyCost:
    return DailyCost(
        application=AppRef(row["application_namespace"], row["application_name"]),
        scope=row["scope"],
        day=row["day"],
        deployment_namespace=row["deployment_namespace"],
        cost=Amounts(**{name: row[f"{name}_cost"] for name in RESOURCES}),
        idle=Idle(cpu=row["idle_cpu_cost"], ram=row["idle_ram_cost"], complete=row["idle_complete"]),
        **{name: row[name] for name in _SUMS},
        complete=row["complete"],
        source=row["source"],
    )


def _progress_row(cluster: str, one: DailyProgress) -> str:
    values = {
        "cluster": cluster,
        "application_namespace": one.application.namespace,
        "application_name": one.application.name,
        "scope": one.scope,
        "ownership": one.ownership,
        "folded_from": one.folded_from.isoformat(),
        "folded_until": one.folded_until.isoformat(),
        "updated_at": one.updated_at.isoformat(),
    }
    return json_text(f"progress of {one.application}", values)


def _progress(row: dict[str, Any]) -> DailyProgress:
    application = AppRef(row.pop("application_namespace"), row.pop("application_name"))
    return DailyProgress(application=application, **row)
