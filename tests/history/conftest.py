"""Histories on an empty database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from local.postgres import EmbeddedPostgres
from tests.history.history_engine import HistoryEngine, history_engine

OpenHistory = Callable[..., HistoryEngine]
TABLES = (
    "leases, work, collections, collection_namespaces, cost_actuals, cost_daily, cost_daily_progress, live_lists, "
    "applications, run_summaries"
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
def history_url(module_database_url: str) -> str:
    """Give the URL of a migrated database whose tables are empty."""
    with psycopg.connect(module_database_url, autocommit=True) as connection:
        connection.execute(f"TRUNCATE {TABLES}".encode())
    return module_database_url


@pytest.fixture
def open_history(history_url: str) -> Iterator[OpenHistory]:
    """Give a maker of histories: each is an environment of its own on the test's database."""
    with ExitStack() as stack:

        def make(client: object, **settings: Any) -> HistoryEngine:
            return stack.enter_context(history_engine(history_url, client, **settings))

        yield make
