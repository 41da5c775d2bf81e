"""Kill the measuring service at every step, let it go on, and compare what it arrives at with an undisturbed run.

A step is a statement that writes to PostgreSQL, or a question to OpenCost; the process dies before it, as by SIGKILL. Arguments:
the URL of an empty migrated database, and the scenario. Prints JSON: the number of steps, and those after which the end differs.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import psycopg

from costintel.argocd.message import sync_message
from costintel.collection.deadline import Deadline
from costintel.cost.window import Window
from costintel.measurement.assembly import Parts, assemble
from costintel.measurement.measuring import Measuring
from costintel.storage.connection import Database
from tests.collection.engine import NEWEST, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.measurement.syncs import FINISHED, SETTLES_AT, a_sync

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
KILLED = 9
TABLES = ("leases", "work", "collections", "collection_namespaces", "cost_actuals")
_COLUMNS = (
    "SELECT column_name FROM information_schema.columns"
    " WHERE table_schema = 'public' AND table_name = %s AND is_generated = 'NEVER'"
)
LIVES = [Life(end=FINISHED), Life(pod="web-7d9f6c5b4c-bbbbb", start=FINISHED, hourly_cost=0.08)]
STATE = (
    "SELECT window_start, kind, state, suspect, observed_start, asked_count, observed_spans FROM collections ORDER BY 1, 2",
    "SELECT window_start, kind, namespace, body FROM collection_namespaces JOIN collections ON id = collection ORDER BY 1, 2, 3",
    "SELECT id, stage, scope, early, settled, first_current FROM cost_actuals ORDER BY 1",
    "SELECT kind, subject, payload FROM work ORDER BY 1, 2",
)


class Steps:
    """Counts steps, and dies before the one it was told."""

    def __init__(self, kill_at: int = 0) -> None:
        self.taken = 0
        self._kill_at = kill_at

    def take(self, what: object = "") -> None:
        if str(what).lstrip().upper().startswith("SELECT"):
            return  # to die before a read is to die after the write before it
        self.taken += 1
        if self.taken == self._kill_at:
            os._exit(KILLED)


def measuring(url: str, steps: Steps) -> tuple[Measuring, Database]:
    """Put the service together with FakeOpenCost, every step of it counted."""

    class CountingCursor(psycopg.Cursor[Any]):
        def execute(self, *arguments: Any, **named: Any) -> Any:
            steps.take(arguments[0])
            return super().execute(*arguments, **named)

        def copy(self, *arguments: Any, **named: Any) -> Any:
            steps.take(arguments[0])
            return super().copy(*arguments, **named)

    opencost = FakeOpenCost(lives=LIVES, before=lambda _: steps.take())
    database = Database(lambda: psycopg.connect(url, autocommit=True, cursor_factory=CountingCursor))
    parts = Parts(
        cluster="local",
        cluster_id="made",
        basis_hours=720,
        lease_seconds=60,
        read_timeout_seconds=240,
        client=opencost,  # type: ignore[arg-type]  # answers as the client does
        database=database,
        lease_database=Database(lambda: psycopg.connect(url, autocommit=True)),
    )
    return assemble(parts), database


def receive_and_measure(service: Measuring, now: datetime) -> None:
    """Do the queue's batch, and then the tick."""
    received = service.receive({"message": sync_message(a_sync())}, now=now)
    service.measure(received.new, now=now, deadline=Deadline.after(300))
    service.tick(now=now, deadline=Deadline.after(300))


def tick(service: Measuring, now: datetime) -> None:
    service.tick(now=now, deadline=Deadline.after(300))


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What is there before, what is killed, and when that happens."""

    prepare: Callable[[Measuring], None]
    run: Callable[[Measuring, datetime], None]
    at: datetime


def prepare_early(service: Measuring) -> None:
    """Store all but the last two hours of the early window."""
    service.hours.ensure([NEWEST - n * HOUR for n in range(2, 24)], now=NOW - HOUR, deadline=Deadline.after(300))
    service.live.refresh(now=NOW - HOUR)


def prepare_settled(service: Measuring) -> None:
    """Measure a sync, and store all but the last two hours of its settled window."""
    receive_and_measure(service, NOW)
    window = Window(NEWEST + HOUR, SETTLES_AT - 10 * MINUTE)
    service.hours.ensure(window.clock_hours()[:-2], now=SETTLES_AT - 2 * HOUR, deadline=Deadline.after(300))


SCENARIOS = {
    "early": Scenario(prepare=prepare_early, run=receive_and_measure, at=NOW),
    "settled": Scenario(prepare=prepare_settled, run=tick, at=SETTLES_AT),
}


def in_a_child(url: str, scenario: Scenario, kill_at: int) -> bool:
    """Run the scenario in a process of its own; whether it was killed."""
    child = os.fork()
    if child == 0:
        service, _ = measuring(url, Steps(kill_at))
        scenario.run(service, scenario.at)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == KILLED


def recover(url: str, scenario: Scenario) -> None:
    """Let the lease run out, the message come again, and the ticks go on."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE leases SET expires_at = now()")
    service, database = measuring(url, Steps())
    scenario.run(service, scenario.at + 2 * MINUTE)
    tick(service, scenario.at + 12 * MINUTE)
    database.close()


def state(url: str) -> list[Any]:
    """Everything that was arrived at, without the moments at which it was."""
    with psycopg.connect(url) as connection:
        return [connection.execute(query.encode()).fetchall() for query in STATE]


def main(url: str, name: str) -> None:
    scenario = SCENARIOS[name]
    service, database = measuring(url, Steps())
    scenario.prepare(service)
    database.close()
    keep(url)
    steps = Steps()
    service, database = measuring(url, steps)
    scenario.run(service, scenario.at)
    database.close()
    recover(url, scenario)
    undisturbed = state(url)
    different = []
    for step in range(1, steps.taken + 1):
        restore(url)
        killed = in_a_child(url, scenario, step)
        recover(url, scenario)
        if not killed or state(url) != undisturbed:
            different.append(step)
    print(json.dumps({"steps": steps.taken, "records": len(undisturbed[2]), "different": different}))


def keep(url: str) -> None:
    """Remember the tables as they are."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA kept")
        for table in TABLES:
            connection.execute(f"CREATE TABLE kept.{table} AS SELECT * FROM {table}".encode())


def restore(url: str) -> None:
    """Put the tables back as they were kept."""
    with psycopg.connect(url) as connection:
        for table in TABLES:
            connection.execute(f"DELETE FROM {table}".encode())
        for table in TABLES:
            names = ", ".join(column for (column,) in connection.execute(_COLUMNS, [table]))
            restored = f"INSERT INTO {table} ({names}) OVERRIDING SYSTEM VALUE SELECT {names} FROM kept.{table}"
            connection.execute(restored.encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
