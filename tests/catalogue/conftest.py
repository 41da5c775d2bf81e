"""A migrated database whose tables are empty."""

from collections.abc import Iterator

import psycopg
import pytest

from costintel.storage.connecting import connect_url
from costintel.storage.connection import Database
from local.postgres import EmbeddedPostgres

_TABLES = "leases, work, collections, collection_namespaces, cost_actuals, applications, namespaces, live_lists"


@pytest.fixture(scope="session")
def catalogue_database_url(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[str]:
    """Give one database to the tests of this folder: emptying tables is much cheaper than making a database."""
    yield postgres_server.create_database("catalogue", template=migrated_template)
    postgres_server.drop_database("catalogue")


@pytest.fixture
def database(catalogue_database_url: str) -> Iterator[Database]:
    """Give a database without rows."""
    with psycopg.connect(catalogue_database_url, autocommit=True) as connection:
        connection.execute(f"TRUNCATE {_TABLES}".encode())
    opened = Database(lambda: connect_url(catalogue_database_url))
    yield opened
    opened.close()
