"""Kill the hourly run at many steps, let it go on, and compare what it arrives at with an undisturbed run.

A step is a statement that writes to PostgreSQL, or a question to OpenCost; the process dies before it, as by SIGKILL. Arguments:
the URL of an empty migrated database, and at how many steps to kill. Prints JSON: the number of steps, the calls of the
undisturbed run, and the steps after which the end differs.
"""

import json
import os
import sys
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

import psycopg

from costintel.argocd.destination import DestinationRules
from costintel.collection.deadline import Deadline
from costintel.cost.window import Window
from costintel.history.assembly import Parts, assemble
from costintel.history.history import History
from costintel.history.series_assembly import SeriesParts
from costintel.opencost.client import OpenCostClient
from costintel.storage.connection import Database
from tests.collection.engine import CLUSTER, HOUR, NOW, engine
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.history_engine import DAY, HistoryEngine, midnight
from tests.measure.killing_program import KILLED, Steps
from tests.measurement.syncs import deployment

LAST = NOW.date() - DAY
BLIND = midnight(LAST) + 7 * HOUR
LIVES = (
    Life(hourly_cost=0.5),
    Life(pod="api-1", controller="api", start=midnight(LAST - DAY)),
    Life(namespace="other"),
)
COLUMNS = (
    "SELECT column_name FROM information_schema.columns"
    " WHERE table_schema = 'public' AND table_name = %s AND is_generated = 'NEVER'"
)
TABLES = (
    "leases",
    "work",
    "collections",
    "collection_namespaces",
    "cost_actuals",
    "cost_daily",
    "cost_daily_progress",
    "run_summaries",
)
STATE = (
    """SELECT window_start, state, source, asked_count, healed, observed_spans, totals, assets FROM collections
    WHERE kind = 'day' ORDER BY 1""",
    """SELECT window_start, namespace, body FROM collection_namespaces JOIN collections ON id = collection
    WHERE kind = 'day' ORDER BY 1, 2""",
    "SELECT * FROM cost_daily ORDER BY application_name, scope, day",
    "SELECT application_name, scope, ownership, folded_from, folded_until FROM cost_daily_progress ORDER BY 1, 2",
    "SELECT kind, subject, payload FROM work ORDER BY 1, 2",
)


def prepare(url: str) -> None:
    """Store yesterday's hours, one of them blind, and two Applications; older days are to be asked."""
    opencost = FakeOpenCost(lives=LIVES, blind={BLIND})
    with engine(url, opencost) as made:
        history = HistoryEngine(engine=made, client=opencost)
        hours = [midnight(LAST) + number * HOUR for number in range(36)]
        for now in (NOW - HOUR / 4, NOW):
            made.ensure(*hours, now=now)
        history.record("shop", finished_at=midnight(LAST) - 9 * DAY)
        history.record("shop", finished_at=midnight(LAST) + HOUR, resources=(deployment("web"), deployment("api")))
        history.record("all", finished_at=midnight(LAST), resources=None)


def history_at(url: str, now: datetime, steps: Steps) -> tuple[History, Database, FakeOpenCost]:
    """Put the hourly run together with FakeOpenCost, every step of it counted."""

    class CountingCursor(psycopg.Cursor[Any]):
        def execute(self, *arguments: Any, **named: Any) -> Any:
            steps.take(arguments[0])
            return super().execute(*arguments, **named)

        def copy(self, *arguments: Any, **named: Any) -> Any:
            steps.take(arguments[0])
            return super().copy(*arguments, **named)

    opencost = FakeOpenCost(lives=LIVES, blind={BLIND}, before=lambda _: steps.take())
    database = Database(lambda: psycopg.connect(url, autocommit=True, cursor_factory=CountingCursor))
    series = SeriesParts(
        cluster=CLUSTER, history_days=4, destinations=DestinationRules(), access=None, database=database
    )
    parts = Parts(
        series=series,
        cluster_id="made",
        lease_seconds=60,
        read_timeout_seconds=240,
        client=cast("OpenCostClient", opencost),
        lease_database=Database(lambda: psycopg.connect(url, autocommit=True)),
        clock=lambda: now,
    )
    return replace(assemble(parts), patience_seconds=0), database, opencost


def run(url: str, now: datetime, steps: Steps) -> list[Window]:
    """Do one hourly run; return what it asked."""
    history, database, opencost = history_at(url, now, steps)
    history.run(deadline=Deadline.after(900))
    database.close()
    return opencost.calls


def recover(url: str) -> None:
    """Let the leases run out and an hour pass, which the tick asks for."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE leases SET expires_at = now()")
    with engine(url, FakeOpenCost(lives=LIVES, blind={BLIND})) as ticking:
        ticking.ask_due(NOW + HOUR)
    run(url, NOW + HOUR, Steps())


def in_a_child(url: str, kill_at: int) -> bool:
    """Do the run in a process of its own; whether it was killed."""
    child = os.fork()
    if child == 0:
        run(url, NOW, Steps(kill_at))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == KILLED


def state(url: str) -> list[Any]:
    """Everything that was arrived at, without the moments at which it was."""
    with psycopg.connect(url) as connection:
        return [connection.execute(query.encode()).fetchall() for query in STATE]


def keep(url: str) -> None:
    """Remember the tables as they are."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA kept")
        for table in TABLES:
            connection.execute(f"CREATE TABLE kept.{table} AS SELECT * FROM {table}".encode())


def restore(url: str) -> None:
    """Put the tables back as they were kept."""
    with psycopg.connect(url) as connection:
        connection.execute(f"TRUNCATE {', '.join(TABLES)}".encode())
        for table in TABLES:
            names = ", ".join(column for (column,) in connection.execute(COLUMNS, [table]))
            restored = f"INSERT INTO {table} ({names}) OVERRIDING SYSTEM VALUE SELECT {names} FROM kept.{table}"
            connection.execute(restored.encode())


def main(url: str, points: int) -> None:
    prepare(url)
    keep(url)
    steps = Steps()
    calls = run(url, NOW, steps)
    recover(url)
    undisturbed = state(url)
    different, killed = [], 0
    for number in range(points):
        kill_at = 1 + number * (steps.taken - 1) // (points - 1)
        restore(url)
        killed += in_a_child(url, kill_at)
        recover(url)
        if state(url) != undisturbed:
            different.append(kill_at)
    told = {
        "steps": steps.taken,
        "calls": len(calls),
        "killed": killed,
        "rows": len(undisturbed[2]),
        "work": undisturbed[4],
        "different": different,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
