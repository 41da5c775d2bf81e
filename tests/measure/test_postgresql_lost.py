"""PostgreSQL goes away in the middle: what was to be arrived at is arrived at all the same."""

import contextlib
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from costintel.errors import StorageError
from local.postgres import EmbeddedPostgres
from tests.collection.engine import CLUSTER, HOUR, NEWEST, NOW, Engine, engine
from tests.collection.fake_opencost import FakeOpenCost
from tests.measurement.syncs import a_sync, send


def ended_connections(server: EmbeddedPostgres, url: str) -> None:
    """End every connection to the test's database, as a failover does."""
    with psycopg.connect(server.address.url(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [url.rpartition("/")[2]]
        )


def restarted(server: EmbeddedPostgres, _: str) -> None:
    """Restart the server."""
    server.restart()


@pytest.mark.parametrize("lose", [ended_connections, restarted])
def test_lost_during_a_question(
    postgres_server: EmbeddedPostgres, database_url: str, lose: Callable[[EmbeddedPostgres, str], None]
) -> None:
    """In the third question the connections break; what is stored by then stays, and the next ticks do the rest."""
    opencost = FakeOpenCost()

    def lose_once(window: Any) -> None:
        if opencost.hours.count(NEWEST - 2 * HOUR) == 1 and window.start == NEWEST - 2 * HOUR:
            lose(postgres_server, database_url)

    opencost.before = lose_once
    with engine(database_url, opencost) as measuring:
        send(measuring, a_sync())
        with contextlib.suppress(StorageError):
            measuring.tick()
        measuring.database.execute("UPDATE leases SET expires_at = now()")
        for number in (1, 2):
            measuring.tick(NOW + number * HOUR / 20)

        assert set(measuring.headers()) == {NEWEST - n * HOUR for n in range(24)}
        assert _early_cost(measuring) == 0.96
        assert len(opencost.calls) <= 25


def test_a_message_that_came_while_it_was_away(postgres_server: EmbeddedPostgres, database_url: str) -> None:
    """It failed, SQS brings it again, and then it is measured."""
    with engine(database_url, FakeOpenCost()) as measuring:
        measuring.tick()
        postgres_server.stop()
        away = send(measuring, a_sync())
        postgres_server.start()

        again = send(measuring, a_sync())
        measuring.tick()

        assert (away.new, list(away.failed)) == (frozenset(), ["message-0"])
        assert len(again.new) == 1
        assert _early_cost(measuring) == 0.96


def _early_cost(measuring: Engine) -> float:
    record = measuring.records.find(CLUSTER, a_sync().id)
    assert record is not None
    assert record.early is not None
    cost: float = record.early["cost"]["total"]
    return cost
