"""Engines on an empty database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from local.postgres import EmbeddedPostgres
from tests.collection.engine import Engine, engine

OpenEngine = Callable[..., Engine]
_TABLES = (
    "leases, work, collections, collection_namespaces, cost_actuals, live_lists, applications, namespaces, opencost_status,"
    " run_summaries, cost_daily, cost_daily_progress"
)


@pytest.fixture(scope="module")
def module_database_url(
    request: pytest.FixtureRequest, postgres_server: EmbeddedPostgres, migrated_template: str
) -> Iterator[str]:
    """Give one migrated database to a whole test file: emptying tables is much cheaper than making a database."""
    name = request.module.__name__.rpartition(".")[2]
    yield postgres_server.create_database(name, template=migrated_template)
    postgres_server.drop_database(name)


@pytest.fixture
def engine_url(module_database_url: str) -> str:
    """Give the URL of a migrated database whose tables are empty."""
    with psycopg.connect(module_database_url, autocommit=True) as connection:
        connection.execute(f"TRUNCATE {_TABLES}".encode())
    return module_database_url


@pytest.fixture
def open_engine(engine_url: str) -> Iterator[OpenEngine]:
    """Give a maker of engines: each is an environment of its own on the test's database."""
    with ExitStack() as stack:

        def make(client: object, **settings: Any) -> Engine:
            return stack.enter_context(engine(engine_url, client, **settings))

        yield make
