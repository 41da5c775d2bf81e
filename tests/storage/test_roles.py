"""Who may do what in the database."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg import errors

from costintel.cost.hour import HourState
from costintel.cost.window import HOUR
from costintel.errors import StorageError
from costintel.storage.collections import Collections
from costintel.storage.connecting import connect_url
from costintel.storage.connection import Database
from costintel.storage.daily import Daily
from costintel.storage.leases import Leases
from costintel.storage.live import LiveApplications, LiveHpas, LiveNamespaces, LiveVpas
from costintel.storage.live_lists import LiveLists
from costintel.storage.migrations import apply, read_migrations
from costintel.storage.opencost_status import OpenCostChecks
from costintel.storage.records import Records
from costintel.storage.roles import API, OWNER, TABLE_PRIVILEGES, WRITER, prepare_roles, role_changes
from costintel.storage.run_summaries import RunSummaries
from costintel.storage.work import INSTALL, SYNC, Work
from local.postgres import EmbeddedPostgres
from tests.storage.examples import CLUSTER, NOON, SHOP, container, figure, live_header, record, stored_hour, sync
from tests.storage.live_examples import (
    CHECK,
    RUN,
    THURSDAY,
    application,
    daily_cost,
    hpa,
    listed,
    namespace,
    progress,
    stored_day,
    vpa,
)

NEWEST = len(read_migrations())
TABLES = sorted(TABLE_PRIVILEGES)
CHANGES = {
    "INSERT": "INSERT INTO {table} DEFAULT VALUES",
    "UPDATE": "UPDATE {table} SET {column} = {column}",
    "DELETE": "DELETE FROM {table}",
    "TRUNCATE": "TRUNCATE {table}",
}
COLUMNS = {"schema_migrations": "version", "collection_namespaces": "namespace"}
"""A column to change, where it is not `cluster`."""
Connection = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def migrated(postgres_server: EmbeddedPostgres) -> Iterator[str]:
    """Migrate a database in place (a copy would not keep who may connect); give its name."""
    apply(postgres_server.create_database("roles"))
    yield "roles"
    postgres_server.drop_database("roles")


@pytest.fixture
def as_api(postgres_server: EmbeddedPostgres, migrated: str) -> Iterator[Connection]:
    with psycopg.connect(postgres_server.role_url(API, database=migrated), autocommit=True) as connection:
        yield connection


@pytest.fixture
def as_writer(postgres_server: EmbeddedPostgres, migrated: str) -> Iterator[Connection]:
    with psycopg.connect(postgres_server.role_url(WRITER, database=migrated), autocommit=True) as connection:
        yield connection


def test_every_table_has_its_privileges_written_down(database_url: str) -> None:
    """A table that a migration adds is given to somebody on purpose."""
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()

    assert sorted(row[0] for row in rows) == TABLES


def test_api_reads_every_table_and_changes_none(as_api: Connection) -> None:
    """The function that faces the network can only look."""
    for table in TABLES:
        as_api.execute(f"SELECT * FROM {table}".encode())
        for change in CHANGES.values():
            with pytest.raises(errors.InsufficientPrivilege):
                as_api.execute(change.format(table=table, column=COLUMNS.get(table, "cluster")).encode())


def test_writer_does_its_work_and_no_more(as_writer: Connection) -> None:
    """It deletes no row that there is one of per cluster or list, and leaves the schema's history alone."""
    denied = {
        (table, change)
        for table in TABLES
        for change in CHANGES
        if as_writer.execute("SELECT has_table_privilege(%s, %s)", [table, change]).fetchone() != (True,)
    }
    assert denied == {
        *((table, "TRUNCATE") for table in TABLES),
        *(("schema_migrations", change) for change in CHANGES),
        ("leases", "DELETE"),
        ("live_lists", "DELETE"),
        ("opencost_status", "DELETE"),
    }


def database_of(server: EmbeddedPostgres, role: str, name: str) -> Database:
    url = server.role_url(role, database=name)
    return Database(lambda: connect_url(url))


def test_writer_may_do_what_the_repositories_do(postgres_server: EmbeddedPostgres, migrated: str) -> None:
    """Leases, work, hours, folds and records, written, changed and forgotten."""
    database = database_of(postgres_server, WRITER, migrated)
    leases, work, collections = Leases(database), Work(database), Collections(database)
    lease = leases.acquire(CLUSTER, "writer", 60)
    assert lease is not None
    assert leases.renew(lease, 60)
    for _ in range(2):
        collections.store_hour(lease, stored_hour())
        collections.store_live(CLUSTER, live_header(), [("shop", [container()])])
        Records(database).save(record(early=figure()))
    collections.set_states(CLUSTER, {NOON: (HourState.GOOD, True)})
    work.insert_syncs(CLUSTER, {"b": {}}, NOON)
    work.postpone(CLUSTER, SYNC, "b", not_before=NOON, error="", attempts=1)
    work.delete(CLUSTER, SYNC, ["b"])
    leases.release(lease)
    assert collections.prune_hours(CLUSTER, asked_before=NOON + 9 * HOUR, needed_from=None) == 1
    database.close()


def test_writer_may_keep_lists_days_and_runs(postgres_server: EmbeddedPostgres, migrated: str) -> None:
    """Live objects, OpenCost's status, runs, days and series, written, changed and forgotten; a whole Application too."""
    database = database_of(postgres_server, WRITER, migrated)
    collections, daily, records = Collections(database), Daily(database), Records(database)
    lease = Leases(database).acquire("writer", "writer", 60)
    assert lease is not None
    for _ in range(2):
        LiveApplications(database).replace(CLUSTER, listed(application()))
        LiveNamespaces(database).replace(CLUSTER, listed(namespace()))
        LiveVpas(database).replace(CLUSTER, listed(vpa()))
        LiveHpas(database).replace(CLUSTER, listed(hpa()))
        OpenCostChecks(database).save(CLUSTER, CHECK)
        RunSummaries(database).add(CLUSTER, RUN)
        collections.store_day(lease, stored_day(namespaces=[("shop", [container()])]))
        daily.store(CLUSTER, [daily_cost()])
        daily.save_progress(CLUSTER, [progress()])
        Work(database).put_many(CLUSTER, INSTALL, {"argocd:shop": {}}, NOON)
    for table in (LiveApplications, LiveNamespaces, LiveVpas, LiveHpas):
        assert table(database).replace(CLUSTER, listed()).removed == 1
    assert Work(database).rename(CLUSTER, INSTALL, "argocd:shop", to="argocd:bank", payload={})
    assert collections.prune_days(CLUSTER, THURSDAY + timedelta(days=1)) == 1
    records.save(record(sync("c", finished_at_known=False)))
    assert records.adopt_id(CLUSTER, "c", "d", finished_at=NOON)
    assert records.delete_measurements(CLUSTER, SHOP) >= 1
    assert daily.delete_before(CLUSTER, THURSDAY) == 0
    database.close()


def test_api_may_read_what_it_serves(postgres_server: EmbeddedPostgres, migrated: str) -> None:
    """The fold, the records, the waiting syncs, the live objects, days and series; writing any of them is refused."""
    database = database_of(postgres_server, API, migrated)
    assert list(LiveApplications(database).all("nowhere")) == []
    assert LiveLists(database).all("nowhere") == {}
    assert RunSummaries(database).newest_of_each("nowhere") == {}
    assert list(Collections(database).day_rows("nowhere", [THURSDAY], None)) == []
    assert Daily(database).all_progress("nowhere") == []
    for write in (
        lambda: LiveApplications(database).replace(CLUSTER, listed()),
        lambda: Daily(database).store(CLUSTER, [daily_cost()]),
        lambda: Records(database).delete_measurements(CLUSTER, SHOP),
    ):
        with pytest.raises(StorageError, match="permission denied"):
            write()
    Collections(database).live_fold(CLUSTER, ["shop"])
    Records(database).latest(CLUSTER, SHOP)

    assert Work(database).all(CLUSTER, SYNC) == []
    database.close()


@pytest.mark.parametrize("role", [API, WRITER])
def test_only_the_owner_changes_the_schema(postgres_server: EmbeddedPostgres, migrated: str, role: str) -> None:
    """Creating or dropping a table, or becoming another role, is refused."""
    with psycopg.connect(postgres_server.role_url(role, database=migrated), autocommit=True) as connection:
        for statement in (
            b"CREATE TABLE mine ()",
            b"CREATE TEMPORARY TABLE mine ()",
            b"DROP TABLE work",
            b"SET ROLE costintel_owner",
            b"CREATE ROLE mine",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement)


def test_the_owner_migrates_without_being_superuser(postgres_server: EmbeddedPostgres, migrated: str) -> None:
    """Later releases are applied by the role itself: no master credential is needed."""
    assert apply(postgres_server.role_url(OWNER, database=migrated)) == NEWEST


def test_nobody_else_may_connect(postgres_server: EmbeddedPostgres, migrated: str) -> None:
    """A role that is not ours is refused at the door."""
    with psycopg.connect(postgres_server.address.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE stranger")
    try:
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(postgres_server.role_url("stranger", database=migrated))
    finally:
        with psycopg.connect(postgres_server.address.url(), autocommit=True) as connection:
            connection.execute("DROP ROLE stranger")


def test_roles_are_bounded(as_api: Connection) -> None:
    """Connections are limited, and sessions begin with timeouts."""
    limits = as_api.execute(
        "SELECT rolname, rolconnlimit FROM pg_roles WHERE rolname = ANY(%s)", [[OWNER, WRITER, API]]
    ).fetchall()
    timeouts = [
        as_api.execute(f"SHOW {name}".encode()).fetchone()
        for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    ]

    assert dict(limits) == {OWNER: 5, WRITER: 30, API: 40}
    assert timeouts == [("20s",), ("5s",), ("1min",)]


def test_a_changed_bound_is_put_right_again(migrated: str, postgres_server: EmbeddedPostgres) -> None:
    """What differs is named and changed; afterwards there is nothing left to change."""
    with psycopg.connect(postgres_server.address.url(migrated), autocommit=True) as connection:
        assert role_changes(connection) == []
        connection.execute("ALTER ROLE costintel_api CONNECTION LIMIT 1")
        connection.execute("ALTER ROLE costintel_api SET lock_timeout = '1s'")
        connection.execute(f"GRANT CONNECT ON DATABASE {migrated} TO PUBLIC".encode())

        prepare_roles(connection)

        assert role_changes(connection) == []
        assert connection.execute("SELECT rolconnlimit FROM pg_roles WHERE rolname = %s", [API]).fetchone() == (40,)
        assert connection.execute("SELECT has_database_privilege('public', %s, 'CONNECT')", [migrated]).fetchone() == (
            False,
        )


def test_a_login_that_may_not_prepares_nothing(postgres_server: EmbeddedPostgres, migrated: str) -> None:
    """The owner itself has no right to change roles, and says so instead of failing."""
    with psycopg.connect(postgres_server.role_url(OWNER, database=migrated), autocommit=True) as connection:
        assert prepare_roles(connection) is False


def test_a_login_that_owns_only_its_database_gets_the_tables_itself(postgres_server: EmbeddedPostgres) -> None:
    """On somebody's own server, without the right to create roles, the schema is applied all the same."""
    with psycopg.connect(postgres_server.address.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE tenant")
        connection.execute("CREATE DATABASE tenant OWNER tenant")
    try:
        assert apply(postgres_server.role_url("tenant", database="tenant")) == NEWEST
        with psycopg.connect(postgres_server.role_url("tenant", database="tenant")) as connection:
            assert connection.execute("SELECT count(*) FROM work").fetchone() == (0,)
    finally:
        postgres_server.drop_database("tenant")
        with psycopg.connect(postgres_server.address.url(), autocommit=True) as connection:
            connection.execute("DROP ROLE tenant")
