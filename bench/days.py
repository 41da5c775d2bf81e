"""What days and series take: `python -m bench.days [APPLICATIONS NAMESPACES DAYS]`, by default 1000 200 60.

A made OpenCost in a process of its own serves so many days and nothing before them. The hourly run is measured in another:
calls, its own CPU time and peak memory; every application-day is compared with a straightforward calculation; then everything
is folded anew. At the end stand the sizes of what is stored.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import psycopg

from bench.listing import peak_mib, program_environment
from bench.made_opencost import MadeCluster
from costintel.argocd.destination import DestinationRules
from costintel.collection.deadline import Deadline
from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.cost.sync import Record, Sync, sync_id
from costintel.cost.window import Window
from costintel.history.assembly import Parts, assemble
from costintel.history.series_assembly import SeriesParts, assemble_refolding
from costintel.measurement import assembly as measuring
from costintel.opencost.answer import WindowAnswer
from costintel.opencost.client import OpenCostClient
from costintel.storage.connecting import connect_url
from costintel.storage.connection import Database
from costintel.storage.migrations import apply
from costintel.storage.records import Records
from local.children import Children
from local.postgres import EmbeddedPostgres

CLUSTER = "local"
NOW = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)
_ROOT = Path(__file__).resolve().parent.parent
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What a process took: wall clock and CPU of its work, peak memory of all of it."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


class _Counting(OpenCostClient):
    """Counts the windows it is asked for."""

    calls = 0

    def answer(self, window: Window, *, cluster_id: str) -> WindowAnswer:
        """Count, and ask."""
        self.calls += 1
        return super().answer(window, cluster_id=cluster_id)


def main() -> int:
    """Measure, compare, print; return 1 if an application-day is wrong or a call too many was made."""
    numbers = [int(text) for text in sys.argv[1:4]] or [1000, 200, 60]
    made = MadeCluster(applications=numbers[0], namespaces=numbers[1], days=numbers[2], last=NOW.date() - _DAY)
    with Children() as children, _database(children) as url, _opencost(made) as opencost:
        _record(url, made)
        _ask_hours(url, opencost)
        print(
            f"{made.applications} Applications, {made.namespaces} namespaces, {made.days} days, {made.containers} containers"
        )
        first, told = _measured("run", url, opencost)
        _print_effort("days and series", first, f"{told['calls']} calls ({made.days} + the empty tail of 30)")
        again, again_told = _measured("run", url, opencost)
        _print_effort("nothing to do", again, f"{again_told['calls']} calls")
        refold, refold_told = _measured("refold", url, opencost)
        _print_effort("all series anew", refold, f"{refold_told['rows']} rows changed")
        wrong = _compare(url, made)
        print(f"{made.applications * made.days} application-days, {wrong} differ by more than 1e-6")
        _print_sizes(url, made)
    return int(bool(wrong) or told["calls"] != made.days + 30 or again_told["calls"] or refold_told["rows"])


def one_side(side: str, url: str, opencost: str) -> None:
    """Do the hourly run or a refold, and print what it took and came to."""
    client = _Counting(opencost)
    series = SeriesParts(
        cluster=CLUSTER, history_days=400, destinations=DestinationRules(), access=None, database=_connected(url)
    )
    started, cpu = time.perf_counter(), time.process_time()
    if side == "run":
        history = assemble(_parts(series, client, url))
        facts = replace(history, patience_seconds=0).run(deadline=Deadline.after(3600)).summary
        told = {"calls": client.calls, "rows": facts["series"]["rows"], "waiting": facts["series"]["waiting"]}
    else:
        refolding = assemble_refolding(series, clock=lambda: NOW)
        refolding.begin(None)
        outcome = refolding.go_on(deadline=Deadline.after(3600))
        assert outcome is not None
        told = {"calls": client.calls, "rows": outcome.rows, "waiting": outcome.waiting}
    effort = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - cpu,
        "peak_mib": peak_mib(),
    }
    print(json.dumps({"effort": effort, "told": told}))


def _parts(series: SeriesParts, client: OpenCostClient, url: str) -> Parts:
    return Parts(
        series=series,
        cluster_id="made",
        lease_seconds=60,
        read_timeout_seconds=240,
        client=client,
        lease_database=_connected(url),
        clock=lambda: NOW,
    )


def _measured(side: str, url: str, opencost: str) -> tuple[Effort, dict[str, int]]:
    program = f"from bench.days import one_side; one_side({side!r}, {url!r}, {opencost!r})"
    done = subprocess.run(  # noqa: S603  our own interpreter and code
        [sys.executable, "-c", program],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
        env=program_environment(),
    )
    found = json.loads(done.stdout)
    return Effort(**found["effort"]), found["told"]


def _print_effort(name: str, effort: Effort, note: str) -> None:
    print(
        f"{name:18} {effort.seconds:7.1f} s {effort.cpu_seconds:7.1f} s CPU {effort.peak_mib:6.0f} MiB peak   {note}",
        flush=True,
    )


def _record(url: str, made: MadeCluster) -> None:
    """Keep two records of each Application: the second lists one workload more."""
    database = _connected(url)
    records = Records(database)
    with database.transaction():
        for number in range(made.applications):
            for finished_at, workloads in ((made.begin - 30 * _DAY, 1), (made.second_sync, 2)):
                records.save(_a_record(number, made, finished_at, workloads))
    database.close()


def _a_record(number: int, made: MadeCluster, finished_at: datetime, workloads: int) -> Record:
    application = AppRef("argocd", made.name(number))
    names = [made.workload(number, part) for part in range(workloads)]
    sync = Sync(
        id=sync_id(CLUSTER, application, finished_at),
        application=application,
        project="default",
        destination=Destination(server="https://kubernetes.default.svc", namespace=made.namespace(number)),
        resources=tuple(Resource("apps", "Deployment", "", name) for name in names),
        resources_omitted=False,
        finished_at=finished_at,
        finished_at_known=True,
        started_at=None,
        created_at=None,
        revision="9f1c2d3",
        revisions=(),
        sync_status="Synced",
        health_status="Healthy",
        initiated_by="",
        images=(),
        received_at=finished_at,
    )
    return Record(
        sync=sync,
        cluster=CLUSTER,
        measured_on="sync",
        found_by="webhook",
        scope="application",
        measured_at=finished_at,
        settles_at=None,
        early=None,
        settled=None,
        is_settled=True,
    )


def _ask_hours(url: str, opencost: str) -> None:
    """Let the tick ask for the newest 24 hours, as after a deployment."""
    database, leases = _connected(url), _connected(url)
    parts = measuring.Parts(
        cluster=CLUSTER,
        cluster_id="made",
        basis_hours=720,
        lease_seconds=60,
        read_timeout_seconds=240,
        client=OpenCostClient(opencost),
        database=database,
        lease_database=leases,
    )
    measuring.assemble(parts).tick(now=NOW, deadline=Deadline.after(900))
    database.close()
    leases.close()


def _compare(url: str, made: MadeCluster) -> int:
    """Return how many application-days differ from a straightforward calculation, or are missing or too many."""
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT application_name, day, (cpu_cost + ram_cost)::float8, idle_cpu_cost::float8 FROM cost_daily"
        ).fetchall()
    found: dict[tuple[str, date], tuple[float, float]] = {(name, day): (cost, idle) for name, day, cost, idle in rows}
    wrong = abs(len(found) - made.applications * made.days)
    for number in range(made.applications):
        for day in made.all_days():
            cost, idle = found.get((made.name(number), day), (-1.0, -1.0))
            expected, expected_idle = made.expected(number, day)
            wrong += abs(cost - expected) > 1e-6 or abs(idle - expected_idle) > 1e-6
    return wrong


def _print_sizes(url: str, made: MadeCluster) -> None:
    """Print what is stored, and what one of each takes."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
        sizes = {
            table: _number(connection, "SELECT pg_total_relation_size(%s::regclass)", table)
            for table in ("collection_namespaces", "collections", "cost_daily", "cost_actuals")
        }
        kinds: dict[str, int] = dict(
            connection.execute(
                "SELECT kind, sum(pg_column_size(collection_namespaces.*)) FROM collections"
                " JOIN collection_namespaces ON collection = id GROUP BY kind"
            ).fetchall()
        )
    total = float(sum(kinds.values()))
    scale = sizes["collection_namespaces"] / total
    day = float(kinds["day"]) * scale / made.days / made.containers
    hour = float(kinds["hour"]) * scale / 24 / made.containers
    row = sizes["cost_daily"] / (made.applications * made.days)
    record = sizes["cost_actuals"] / (2 * made.applications)
    print(f"stored             {sum(sizes.values()) / 1e6:7.1f} MB; indexes included, bytes each:")
    print(f"    {day:.0f} a container and day, {hour:.0f} a container and hour")
    print(f"    {row:.0f} an application-day, {record:.0f} a record without figures")


def _number(connection: psycopg.Connection[tuple[int]], query: str, parameter: str) -> int:
    row = connection.execute(query.encode(), [parameter]).fetchone()
    assert row is not None
    return int(row[0])


@contextmanager
def _database(children: Children) -> Iterator[str]:
    server = EmbeddedPostgres(children)
    server.start()
    try:
        url = server.create_database("bench_days")
        apply(url)
        yield url
    finally:
        server.close()


@contextmanager
def _opencost(made: MadeCluster) -> Iterator[str]:
    """Run the made OpenCost and give its URL."""
    program = f"from bench.made_opencost import serve_described; serve_described({made.described()!r})"
    with subprocess.Popen(  # noqa: S603  our own interpreter and code
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=_ROOT, env=program_environment()
    ) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def _connected(url: str) -> Database:
    return Database(lambda: connect_url(url))


if __name__ == "__main__":
    sys.exit(main())
