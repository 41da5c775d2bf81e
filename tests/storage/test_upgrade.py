"""Databases of former releases, as their dumps keep them, under the newest schema."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from costintel.cost.application import AppRef
from costintel.cost.container import container_cost
from costintel.cost.hour import HourState
from costintel.cost.window import HOUR
from costintel.storage.collections import Collections
from costintel.storage.connecting import connect_url
from costintel.storage.connection import Database
from costintel.storage.daily import Daily
from costintel.storage.leases import Leases
from costintel.storage.live import LiveApplications, LiveHpas, LiveNamespaces, LiveVpas
from costintel.storage.live_lists import APPLICATIONS, HPAS, NAMESPACES, VPAS, LiveLists
from costintel.storage.migrations import apply, read_migrations
from costintel.storage.opencost_status import OpenCostChecks
from costintel.storage.records import Records
from costintel.storage.roles import API, prepare_roles
from costintel.storage.run_summaries import RunSummaries
from costintel.storage.work import HOUR as HOUR_WORK
from costintel.storage.work import INSTALL, SYNC, Work, WorkItem
from local.postgres import EmbeddedPostgres
from tests.storage.examples import (
    CLUSTER,
    NOON,
    SHOP,
    allocation,
    container,
    figure,
    header,
    live_header,
    record,
    stored_hour,
    sync,
    volume,
)
from tests.storage.live_examples import (
    CHECK,
    RUN,
    THURSDAY,
    application,
    bare_application,
    daily_cost,
    day_header,
    hpa,
    namespace,
    progress,
    vpa,
)
from tests.storage.test_collections import EVER

DUMPS = sorted((Path(__file__).parent / "dumps").glob("*.sql"))
NEWEST = len(read_migrations())
BANK = AppRef("argocd", "bank")


@pytest.fixture(scope="module", params=DUMPS, ids=lambda path: path.stem)
def dump(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture(scope="module")
def version(dump: Path) -> int:
    """Give the schema that the dump has."""
    return int(dump.stem)


@pytest.fixture(scope="module")
def upgraded_url(dump: Path, postgres_server: EmbeddedPostgres) -> Iterator[str]:
    """Load a dump into an empty database and apply the migrations."""
    url = postgres_server.create_database("upgraded")
    with psycopg.connect(url, autocommit=True) as connection:
        prepare_roles(connection)
        connection.execute(dump.read_bytes())
    assert apply(url) == NEWEST
    yield url
    postgres_server.drop_database("upgraded")


@pytest.fixture
def upgraded(upgraded_url: str) -> Iterator[Database]:
    database = Database(lambda: connect_url(upgraded_url))
    yield database
    database.close()


def test_every_schema_has_a_dump() -> None:
    """Every schema has one so far, and none is from the future."""
    assert [int(path.stem) for path in DUMPS] == list(range(1, NEWEST + 1))


def test_applying_again_changes_nothing(upgraded_url: str) -> None:
    """The dump counts as migrated: nothing is applied twice."""
    assert apply(upgraded_url) == NEWEST


def test_hours_are_still_there(upgraded: Database) -> None:
    """A gap with a volume only, and a good hour with two namespaces."""
    collections = Collections(upgraded)
    gap, good = NOON - 2 * HOUR, NOON - HOUR

    assert collections.headers(CLUSTER, EVER) == [
        header(gap, state=HourState.GAP, observed=None, running_rows=0, row_count=1, starts_late=False),
        header(good),
    ]
    assert list(collections.namespace_rows(CLUSTER, EVER, None)) == [
        (good, "bank", [allocation("bank", start=good)]),
        (gap, "shop", [volume(start=gap)]),
        (good, "shop", [allocation(start=good, cpu_core_hours_used=None), volume(start=good)]),
    ]


def test_the_fold_is_still_there(upgraded: Database) -> None:
    """With its header and its containers."""
    fold = Collections(upgraded).live_fold(CLUSTER, ["bank", "shop"])

    assert fold is not None
    assert fold.header == live_header()
    assert fold.containers == [
        container("bank"),
        container(cpu_core_hours_used=None),
        container_cost(volume()),
    ]


def test_records_are_still_there(upgraded: Database) -> None:
    """A settled one, and one in namespace scope with a first current figure only."""
    records = Records(upgraded)
    young = sync(
        "b" * 32, finished_at=NOON + HOUR, resources=None, started_at=None, created_at=None, revisions=(), images=()
    )

    assert records.latest_of_all(CLUSTER, ["shop"]) == [
        record(young, scope="namespace", first_current=figure(0.25, None))
    ]
    assert records.find(CLUSTER, "a" * 32) == record(early=figure(), settled=figure(13.0), is_settled=True)


def test_work_is_still_there(upgraded: Database) -> None:
    """A sync that waits, and an hour that failed twice."""
    work = Work(upgraded)

    assert [item.subject for item in work.due(CLUSTER, SYNC, NOON, 10)] == ["b" * 32]
    assert work.all(CLUSTER, HOUR_WORK) == [
        WorkItem(
            kind=HOUR_WORK,
            subject="2026-11-30T09:00:00Z",
            payload={},
            not_before=NOON + timedelta(minutes=20),
            attempts=2,
            last_error="OpenCost did not answer in 240 s",
            created_at=NOON + timedelta(minutes=10),
        )
    ]


def test_the_live_lists_are_still_there(upgraded: Database, version: int) -> None:
    """Two Applications, a namespace of an older complete list, and an autoscaler of each kind, from schema 2 on."""
    known = version >= 2
    lists = LiveLists(upgraded).all(CLUSTER)

    assert list(LiveApplications(upgraded).all(CLUSTER)) == [bare_application(BANK), application()] * known
    assert list(LiveNamespaces(upgraded).all(CLUSTER)) == [namespace(team="front")] * known
    assert list(LiveVpas(upgraded).all(CLUSTER)) == [vpa()] * known
    assert list(LiveHpas(upgraded).all(CLUSTER)) == [hpa()] * known
    assert {kind: (one.complete, one.last_complete_at) for kind, one in lists.items()} == (
        {APPLICATIONS: (True, NOON), NAMESPACES: (False, NOON - HOUR), VPAS: (True, NOON), HPAS: (True, NOON)}
        if known
        else {}
    )


def test_the_last_check_and_run_are_still_there(upgraded: Database, version: int) -> None:
    """What OpenCost told, how a job went, and an install that waits, from schema 2 on."""
    known = version >= 2

    assert OpenCostChecks(upgraded).find(CLUSTER) == (CHECK if known else None)
    assert RunSummaries(upgraded).newest(CLUSTER, RUN.job) == [RUN] * known
    assert [item.subject for item in Work(upgraded).all(CLUSTER, INSTALL)] == ["argocd:bank"] * known


def test_days_are_still_there(upgraded: Database, version: int) -> None:
    """A day with its containers, and a day of an Application's series, from schema 3 on."""
    known = version >= 3
    collections, daily = Collections(upgraded), Daily(upgraded)

    assert collections.day_headers(CLUSTER, THURSDAY, THURSDAY) == [day_header()] * known
    kept = [(THURSDAY, "shop", [container_cost(volume()), container()])]
    assert list(collections.day_rows(CLUSTER, [THURSDAY], None)) == kept * known
    assert daily.series(CLUSTER, SHOP, "application", THURSDAY, THURSDAY) == [daily_cost()] * known
    assert daily.all_progress(CLUSTER) == [progress()] * known


def test_new_rows_may_be_written(upgraded: Database) -> None:
    """Fences and ids go on where they were."""
    lease = Leases(upgraded).acquire(CLUSTER, "next", 60)
    assert lease is not None
    assert lease.fence == 2

    other = stored_hour(NOON + 200 * HOUR)
    Collections(upgraded).store_hour(lease, other)
    assert Collections(upgraded).nearest_before(CLUSTER, NOON + 201 * HOUR) == other.header


def test_the_roles_may_use_it(upgraded_url: str, postgres_server: EmbeddedPostgres) -> None:
    """The dump has no privileges; applying gives them."""
    with psycopg.connect(postgres_server.role_url(API, database="upgraded")) as connection:
        assert connection.execute("SELECT count(*) FROM cost_actuals").fetchone() == (2,)
