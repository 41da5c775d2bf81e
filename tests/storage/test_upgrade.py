"""Databases of former releases, as their dumps keep them, under the newest schema."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from costintel.cost.container import container_cost
from costintel.cost.hour import HourState
from costintel.cost.window import HOUR
from costintel.storage.collections import Collections
from costintel.storage.connecting import connect_url
from costintel.storage.connection import Database
from costintel.storage.leases import Leases
from costintel.storage.migrations import apply, read_migrations
from costintel.storage.records import Records
from costintel.storage.roles import API, prepare_roles
from costintel.storage.work import HOUR as HOUR_WORK
from costintel.storage.work import SYNC, Work, WorkItem
from local.postgres import EmbeddedPostgres
from tests.storage.examples import (
    CLUSTER,
    NOON,
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
from tests.storage.test_collections import EVER

DUMPS = sorted((Path(__file__).parent / "dumps").glob("*.sql"))
NEWEST = len(read_migrations())


@pytest.fixture(scope="module", params=DUMPS, ids=lambda path: path.stem)
def upgraded_url(request: pytest.FixtureRequest, postgres_server: EmbeddedPostgres) -> Iterator[str]:
    """Load a dump into an empty database and apply the migrations."""
    url = postgres_server.create_database("upgraded")
    with psycopg.connect(url, autocommit=True) as connection:
        prepare_roles(connection)
        connection.execute(request.param.read_bytes())
    assert apply(url) == NEWEST
    yield url
    postgres_server.drop_database("upgraded")


@pytest.fixture
def upgraded(upgraded_url: str) -> Iterator[Database]:
    database = Database(lambda: connect_url(upgraded_url))
    yield database
    database.close()


def test_every_migration_but_the_newest_could_have_a_dump() -> None:
    """The first schema has one, and none is from the future."""
    versions = [int(path.stem) for path in DUMPS]

    assert versions[0] == 1
    assert versions[-1] <= NEWEST


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
