"""Databases and repositories on a fresh migrated database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from costintel.storage.collections import Collections
from costintel.storage.connecting import connect_url
from costintel.storage.connection import IDLE, Database
from costintel.storage.daily import Daily
from costintel.storage.leases import Leases
from costintel.storage.live import LiveApplications
from costintel.storage.records import Records
from costintel.storage.roles import TABLE_PRIVILEGES
from costintel.storage.work import Work
from local.postgres import EmbeddedPostgres

FILLED = sorted(TABLE_PRIVILEGES.keys() - {"schema_migrations", "collection_namespaces"})
"""The tables that tests fill; the namespaces of a collection go with it."""
OpenDatabase = Callable[..., Database]
PlainConnections = Callable[[], psycopg.Connection[Any]]


@pytest.fixture(scope="session")
def kept_database_url(postgres_server: EmbeddedPostgres, migrated_template: str) -> str:
    """Give the one database that the tests of this folder use after each other: a fresh one takes longer than most tests."""
    return postgres_server.create_database("storage", template=migrated_template)


@pytest.fixture(scope="session")
def plain_connections(kept_database_url: str) -> Iterator[PlainConnections]:
    """Give the superuser's connection that all tests look through; another one after the server was restarted."""
    connection = psycopg.connect(kept_database_url, autocommit=True)

    def connected() -> psycopg.Connection[Any]:
        nonlocal connection
        try:
            connection.execute("SELECT 1")
        except psycopg.OperationalError:
            connection = psycopg.connect(kept_database_url, autocommit=True)
        return connection

    yield connected
    connection.close()


@pytest.fixture
def database_url(kept_database_url: str, plain_connections: PlainConnections) -> Iterator[str]:
    """Give the URL of a migrated database without rows."""
    yield kept_database_url
    plain_connections().execute("; ".join(f"DELETE FROM {table}" for table in FILLED).encode())


@pytest.fixture
def open_database(database_url: str) -> Iterator[OpenDatabase]:
    """Give a maker of databases, each with a connection of its own; all are closed at the end."""
    with ExitStack() as stack:

        def make(url: str = database_url, *, idle: timedelta = IDLE) -> Database:
            database = Database(lambda: connect_url(url), idle=idle)
            stack.callback(database.close)
            return database

        yield make


@pytest.fixture
def database(open_database: OpenDatabase) -> Database:
    return open_database()


@pytest.fixture
def sql(database_url: str, plain_connections: PlainConnections) -> psycopg.Connection[Any]:
    """Give a plain connection of the superuser, to look and to interfere."""
    return plain_connections()


@pytest.fixture
def sql_numbers(sql: psycopg.Connection[Any]) -> Iterator[psycopg.Connection[Any]]:
    """Give the plain connection beside a table `numbers` to write to."""
    sql.execute("CREATE TABLE numbers (number int PRIMARY KEY)")
    yield sql
    sql.execute("DROP TABLE numbers")


@pytest.fixture
def leases(database: Database) -> Leases:
    return Leases(database)


@pytest.fixture
def work(database: Database) -> Work:
    return Work(database)


@pytest.fixture
def collections(database: Database) -> Collections:
    return Collections(database)


@pytest.fixture
def records(database: Database) -> Records:
    return Records(database)


@pytest.fixture
def applications(database: Database) -> LiveApplications:
    return LiveApplications(database)


@pytest.fixture
def daily(database: Database) -> Daily:
    return Daily(database)
