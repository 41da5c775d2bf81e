"""What `/applications` takes in the api function, against its bare SQL: `python -m bench.applications [APPLICATIONS] [CONTAINERS]`.

One process, one environment of the function, real tables. "first" is a request for which everything has to be read and divided
anew, as after a cold start; "after a list" follows a list in which one Application in a hundred changed; "kept" are the others.
"""

import gc
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from urllib.parse import parse_qsl

import psycopg

from api.app import Api, create_app
from costintel.argocd.tokens import TokenHashes
from costintel.config import Environment
from costintel.cost.application import AppRef, Destination
from costintel.cost.collection import LiveHeader
from costintel.cost.container import ContainerCost
from costintel.cost.live import ListOutcome, LiveApplication, LiveSync
from costintel.cost.ownership import Resource
from costintel.cost.sync import Record, Sync
from costintel.cost.window import HOUR, Window
from costintel.storage.collections import Collections
from costintel.storage.connecting import connect_url
from costintel.storage.connection import Database
from costintel.storage.live import LiveApplications
from costintel.storage.migrations import apply
from costintel.storage.records import Records
from costintel.wiring import build_api
from local.children import Children
from local.postgres import EmbeddedPostgres

APPLICATIONS = 10_000
CONTAINERS = 30_000
NAMESPACES = 500
REQUESTS = 200
_CLUSTER = "bench"
_NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
_IN_CLUSTER = "https://kubernetes.default.svc"
_TOKEN = "token-of-the-bench"  # noqa: S105 - its own
_QUERIES = (
    "",
    "by=project",
    "by=label:team",
    "by=applicationSet&limit=200",
    "project=project-7&order=name",
    "search=app-12&order=sync",
    "label=team%3Dteam-3&by=project",
    "offset=5000&order=idle",
)
# What any answer would have to read at least: the fold, the Applications, and who has a record.
_BARE = (
    "SELECT namespace, body::text FROM collections JOIN collection_namespaces ON collection = id WHERE kind = 'live'",
    "SELECT namespace, name, project, destination_namespace, resources::text, labels::text FROM applications",
    "SELECT DISTINCT application_namespace, application_name FROM cost_actuals",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """Seconds of one request: on the clock, and of the function's own CPU."""

    seconds: float
    cpu_seconds: float


def main() -> None:
    """Fill the tables, ask, and print what it took."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else APPLICATIONS
    containers = int(sys.argv[2]) if len(sys.argv) > 2 else CONTAINERS
    with _tables(count, containers) as url:
        bare = _measured(lambda: _bare_sql(url))
        with closing(Database(lambda: connect_url(url))) as database:
            first, after_list, kept = _requests(url, database, count)
    print(f"{count} Applications, {containers} containers in {NAMESPACES} namespaces")
    _print("bare SQL", [bare])
    _print("first", [first])
    _print("after a list", [after_list])
    _print(f"kept ({len(kept)} requests)", kept)
    everything = (first, after_list, *kept)
    cpu = statistics.quantiles([one.cpu_seconds for one in everything], n=20)[-1]
    ratio = statistics.quantiles([one.seconds for one in everything], n=20)[-1] / bare.seconds
    print(f"p95 of all {cpu * 1000:.0f} ms CPU (bar: 100), {ratio:.2f} x bare SQL (bar: 3)")


def _requests(url: str, database: Database, count: int) -> tuple[Took, Took, list[Took]]:
    """Ask as the browser does; between the requests one list arrives."""
    now = _Now()
    services = build_api(
        Environment({"DATABASE_URL": url, "CLUSTER_NAME": _CLUSTER, "CLUSTER_SCOPE_APP": "argocd:platform"})
    )
    with closing(services.database):
        api = create_app(services, tokens=TokenHashes.parse(sha256(_TOKEN.encode()).hexdigest()), now=now)
        gc.freeze()
        first = _measured(lambda: _ask(api, ""))
        kept = [_measured(partial(_ask, api, _QUERIES[number % len(_QUERIES)])) for number in range(REQUESTS)]
        now.minutes = 5
        _store_list(database, count, at=_NOON + timedelta(minutes=20), changed=100)
        after_list = _measured(lambda: _ask(api, ""))
    return first, after_list, kept


class _Now:
    """A clock that stands still until it is moved."""

    minutes = 0

    def __call__(self) -> datetime:
        return _NOON + timedelta(minutes=16 + self.minutes)


def _ask(api: Api, query: str) -> None:
    event = {
        "version": "2.0",
        "rawPath": "/api/cost-analysis/applications",
        "queryStringParameters": dict(parse_qsl(query)),
        "headers": {
            "authorization": f"Bearer {_TOKEN}",
            "argocd-application-name": "argocd:platform",
            "accept-encoding": "gzip",
        },
        "requestContext": {"http": {"method": "GET"}},
    }
    outcome = api.answer(event)
    if outcome.answer["statusCode"] != 200:
        raise RuntimeError(f"{query}: answered {outcome.answer}")


def _measured(act: Callable[[], None]) -> Took:
    started, cpu = time.perf_counter(), time.process_time()
    act()
    return Took(seconds=time.perf_counter() - started, cpu_seconds=time.process_time() - cpu)


def _bare_sql(url: str) -> None:
    with psycopg.connect(url) as connection:
        for query in _BARE:
            connection.execute(query.encode()).fetchall()


def _print(name: str, took: list[Took]) -> None:
    seconds = sorted(one.seconds for one in took)
    cpu = sorted(one.cpu_seconds for one in took)
    worst = seconds[int(len(seconds) * 0.95)], cpu[int(len(cpu) * 0.95)]
    print(
        f"{name:22} median {statistics.median(seconds) * 1000:6.0f} ms {statistics.median(cpu) * 1000:6.0f} ms CPU,"
        f" p95 {worst[0] * 1000:6.0f} ms {worst[1] * 1000:6.0f} ms CPU"
    )


@contextmanager
def _tables(count: int, containers: int) -> Iterator[str]:
    """Run a PostgreSQL with a fold, a list and a record of every Application; give its URL."""
    with Children() as children:
        server = EmbeddedPostgres(children)
        server.start()
        url = server.create_database("bench")
        apply(url)
        with closing(Database(lambda: connect_url(url))) as database:
            _store_fold(database, count, containers)
            _store_list(database, count, at=_NOON + timedelta(minutes=15))
            for number in range(count):
                Records(database).save(_record(_application(number)))
            database.execute("ANALYZE")
        yield url
        server.close()


def _store_fold(database: Database, count: int, containers: int) -> None:
    numbers = random.Random(1)  # noqa: S311 - figures, not secrets
    namespaces: dict[str, list[ContainerCost]] = {}
    for number in range(containers):
        row = _container(number, number * count // containers, numbers)
        namespaces.setdefault(row.namespace, []).append(row)
    observed = tuple(Window(_NOON - back * HOUR, _NOON - (back - 1) * HOUR) for back in range(24, 0, -1))
    header = LiveHeader(
        window=Window(_NOON - 24 * HOUR, _NOON), observed=observed, folded_at=_NOON + timedelta(minutes=11)
    )
    Collections(database).store_live(_CLUSTER, header, namespaces.items())


def _container(number: int, application: int, numbers: random.Random) -> ContainerCost:
    cpu, ram = numbers.random() * 2, numbers.random() / 2
    return ContainerCost(
        namespace=f"namespace-{application % NAMESPACES}",
        pod=f"app-{application}-7d9f8c6b5d-{number:05d}",
        container="main",
        node=f"node-{number % 200}.eu-west-1.compute.internal",
        controller_kind="deployment",
        controller=f"app-{application}",
        start=int(_NOON.timestamp()) - 86400,
        end=int(_NOON.timestamp()),
        running_hours=24.0,
        cpu_cost=cpu,
        ram_cost=ram,
        gpu_cost=0.0,
        storage_cost=ram / 7,
        network_cost=0.0,
        load_balancer_cost=0.0,
        cpu_core_hours=cpu * 30,
        ram_byte_hours=ram * 1e11,
        gpu_hours=0.0,
        cpu_core_hours_requested=cpu * 30,
        ram_byte_hours_requested=ram * 1e11,
        cpu_core_hours_used=cpu * 12.34,
        ram_byte_hours_used=ram * 0.4e11,
        idle_cpu_cost=cpu / 3,
        idle_ram_cost=ram / 2,
        idle_complete=True,
    )


def _application(number: int) -> LiveApplication:
    namespace = f"namespace-{number % NAMESPACES}"
    finished_at = _NOON - timedelta(hours=number % 700)
    syncs = tuple(_live_sync(finished_at - timedelta(days=back)) for back in range(10, -1, -1))
    return LiveApplication(
        application=AppRef("argocd", f"app-{number}"),
        project=f"project-{number % 40}",
        destination=Destination(server=_IN_CLUSTER, namespace=namespace),
        created_at=_NOON - timedelta(days=100 + number % 200),
        labels={"team": f"team-{number % 30}", "app.kubernetes.io/part-of": f"product-{number % 9}"},
        deleting=False,
        resources=(
            Resource("apps", "Deployment", namespace, f"app-{number}"),
            Resource("batch", "CronJob", namespace, f"app-{number}-nightly"),
            Resource("argoproj.io", "Rollout", namespace, f"app-{number}-canary"),
        ),
        last_sync=syncs[-1],
        history=syncs,
        sync_status="Synced",
        health_status="Healthy",
        images=(f"registry.example.com/app-{number}:1.2.3",),
        application_set=f"set-{number % 100}" if number % 3 else "",
    )


def _live_sync(finished_at: datetime) -> LiveSync:
    return LiveSync(
        finished_at=finished_at, started_at=None, revision="9f1c2d3" * 5, revisions=(), initiated_by="automated"
    )


def _store_list(database: Database, count: int, *, at: datetime, changed: int = 0) -> None:
    """Store a list; `changed`: every so many Applications have another health."""
    listed = (_application(number) for number in range(count))
    items = tuple(
        replace(one, health_status="Degraded") if changed and number % changed == 0 else one
        for number, one in enumerate(listed)
    )
    LiveApplications(database).replace(_CLUSTER, ListOutcome(items=items, complete=True, listed_at=at))


def _record(live: LiveApplication) -> Record:
    last = live.last_sync
    assert last is not None
    sync = Sync(
        id=str(live.application),
        application=live.application,
        project=live.project,
        destination=live.destination,
        resources=live.resources,
        resources_omitted=False,
        finished_at=last.finished_at,
        finished_at_known=True,
        started_at=None,
        created_at=live.created_at,
        revision=last.revision,
        revisions=(),
        sync_status="Synced",
        health_status="Healthy",
        initiated_by="automated",
        images=live.images,
        received_at=last.finished_at,
    )
    return Record(
        sync=sync,
        cluster=_CLUSTER,
        measured_on="sync",
        found_by="webhook",
        scope="application",
        measured_at=last.finished_at,
        settles_at=None,
        early={"cost": {"total": 1.5}, "monthly": {"total": 45.0}},
        settled=None,
        is_settled=False,
    )


if __name__ == "__main__":
    main()
