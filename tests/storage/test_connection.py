"""How a database behaves when its connection does not."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg.rows import scalar_row

from costintel.config import Environment
from costintel.errors import ConfigurationError, SchemaError, StorageError, StorageUnavailable
from costintel.storage.connecting import connect_url
from costintel.storage.connection import Database
from local.postgres import EmbeddedPostgres
from tests.storage.conftest import OpenDatabase

Connection = psycopg.Connection[Any]


def backend(database: Database) -> int:
    pid = database.fetch_one(scalar_row, "SELECT pg_backend_pid()")
    assert isinstance(pid, int)
    return pid


def end(sql: Connection, pid: int) -> None:
    """End a session and wait until it is gone."""
    assert sql.execute("SELECT pg_terminate_backend(%s, 5000)", [pid]).fetchone() == (True,)


def numbers(sql: Connection) -> list[int]:
    return [row[0] for row in sql.execute("SELECT number FROM numbers ORDER BY 1").fetchall()]


def undone(database: Database, *steps: Callable[[], object]) -> None:
    """Take the steps in a transaction that then fails."""

    def fail() -> None:
        with database.transaction():
            for step in steps:
                step()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


def insert(database: Database, number: int) -> None:
    database.execute("INSERT INTO numbers VALUES (%s)", [number])


def test_one_connection_serves_statement_after_statement(database: Database) -> None:
    """It is opened at the first statement and kept."""
    assert database._connection is None
    assert backend(database) == backend(database)


def test_a_connection_found_lost_is_replaced(database: Database, sql: Connection) -> None:
    """The statement that finds its session ended is executed on a new one; the caller notices nothing."""
    first = backend(database)
    end(sql, first)

    assert backend(database) != first


def test_a_restarted_server_is_found_again(open_database: OpenDatabase, postgres_server: EmbeddedPostgres) -> None:
    """A restart between two statements costs a reconnection."""
    database = open_database()
    backend(database)
    postgres_server.restart()

    assert database.fetch_one(scalar_row, "SELECT 1") == 1


def test_a_session_ended_during_its_statement_is_replaced_once(database: Database, sql: Connection) -> None:
    """A statement that ends its own session is tried a second time, not a third."""
    with pytest.raises(StorageUnavailable, match="terminating connection"):
        database.execute("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(1)")

    assert database.fetch_one(scalar_row, "SELECT 1") == 1


def test_a_server_that_is_away_is_unavailable() -> None:
    """A connection refused is StorageUnavailable, each time, until there is a server."""
    database = Database(lambda: connect_url("postgresql://nobody@127.0.0.1:1/nothing"))

    for _ in range(2):
        with pytest.raises(StorageUnavailable, match=r"[Cc]onnection refused"):
            database.execute("SELECT 1")


def test_a_connection_lost_inside_a_transaction_undoes_it(database: Database, sql_numbers: Connection) -> None:
    """Nothing of the transaction stays, its remaining statements are not executed on a new session, and later ones work."""

    def insert_two() -> None:
        with database.transaction():
            insert(database, 1)
            end(sql_numbers, backend(database))
            insert(database, 2)

    with pytest.raises(StorageUnavailable):
        insert_two()
    assert numbers(sql_numbers) == []

    insert(database, 3)
    assert numbers(sql_numbers) == [3]


def test_a_connection_lost_before_the_commit_is_an_error(database: Database, sql_numbers: Connection) -> None:
    """A transaction whose commit did not arrive is not reported as done."""

    def insert_one() -> None:
        with database.transaction():
            insert(database, 1)
            end(sql_numbers, backend(database))

    with pytest.raises(StorageUnavailable):
        insert_one()
    assert numbers(sql_numbers) == []


def test_a_transaction_may_begin_on_a_lost_connection(database: Database, sql_numbers: Connection) -> None:
    """Nothing has happened yet when BEGIN finds the session ended, so it begins on a new one."""
    end(sql_numbers, backend(database))
    with database.transaction():
        insert(database, 1)

    assert numbers(sql_numbers) == [1]


def test_an_error_in_the_block_undoes_the_transaction(database: Database, sql_numbers: Connection) -> None:
    """Whatever leaves the block as an error takes the statements with it."""
    undone(database, lambda: insert(database, 1))

    assert numbers(sql_numbers) == []


def test_a_transaction_inside_another_becomes_part_of_it(database: Database, sql_numbers: Connection) -> None:
    """The inner one's statements stay only if the outer one's do."""

    def insert_in_a_transaction() -> None:
        with database.transaction():
            insert(database, 1)

    undone(database, insert_in_a_transaction)

    assert numbers(sql_numbers) == []


def test_a_long_silence_replaces_the_connection(open_database: OpenDatabase) -> None:
    """After the time given (five minutes unless a test says zero) the next statement gets a new session."""
    silent_too_long = open_database(idle=timedelta(0))

    assert backend(silent_too_long) != backend(silent_too_long)


def test_a_transaction_keeps_its_connection_however_long_it_takes(open_database: OpenDatabase) -> None:
    """Silence between two statements of one transaction replaces nothing."""
    database = open_database(idle=timedelta(0))
    with database.transaction():
        assert backend(database) == backend(database)


def test_a_statement_that_takes_too_long_is_unavailable(open_database: OpenDatabase, database_url: str) -> None:
    """The statement timeout (here the URL's own) ends it; the connection stays good."""
    database = open_database(f"{database_url}?options=-c%20statement_timeout%3D20ms")
    pid = backend(database)

    with pytest.raises(StorageUnavailable, match="statement timeout"):
        database.execute("SELECT pg_sleep(5)")
    assert backend(database) == pid


def test_waiting_for_a_lock_ends(open_database: OpenDatabase, database_url: str, sql_numbers: Connection) -> None:
    """A row that somebody else keeps locked is a reason to try again later."""
    database = open_database(f"{database_url}?options=-c%20lock_timeout%3D20ms")
    sql_numbers.execute("INSERT INTO numbers VALUES (1)")
    with sql_numbers.transaction():
        sql_numbers.execute("UPDATE numbers SET number = 2")
        with pytest.raises(StorageUnavailable, match="lock timeout"):
            database.execute("DELETE FROM numbers")


def test_idling_in_a_transaction_is_ended(open_database: OpenDatabase, database_url: str, sql: Connection) -> None:
    """A function that stops in the middle of a transaction keeps no lock; what it says later is refused."""
    database = open_database(f"{database_url}?options=-c%20idle_in_transaction_session_timeout%3D20ms")

    def idle() -> None:
        with database.transaction():
            pid = backend(database)
            while sql.execute("SELECT FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone() is not None:
                time.sleep(0.01)
            database.execute("SELECT 1")

    with pytest.raises(StorageUnavailable):
        idle()


def test_sessions_begin_bounded_and_in_utc(database: Database) -> None:
    """Statements, locks and idle transactions have limits, and times come back in UTC."""
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "TimeZone", "application_name")
    settings = [database.fetch_one(scalar_row, "SELECT current_setting(%s)", [name]) for name in names]

    assert settings == ["25s", "5s", "1min", "UTC", "costintel"]


def test_a_missing_table_says_that_the_schema_does_not_fit(
    empty_database_url: str, open_database: OpenDatabase
) -> None:
    """A function deployed before its migration names the cause."""
    with pytest.raises(SchemaError, match='relation "work" does not exist; has the newest schema been applied'):
        open_database(empty_database_url).execute("SELECT FROM work")


def test_a_refused_statement_does_not_quote_stored_values(database: Database, sql_numbers: Connection) -> None:
    """The error's text has PostgreSQL's first line, not the detail with the row in it."""
    insert(database, 41)
    with pytest.raises(StorageError, match="duplicate key value") as caught:
        insert(database, 41)

    assert "41" not in str(caught.value)


def test_threads_share_a_database_one_after_the_other(database: Database, sql_numbers: Connection) -> None:
    """A statement of another thread waits for the end of a transaction instead of becoming part of it."""
    other = threading.Thread(target=insert, args=(database, 2))
    undone(database, lambda: insert(database, 1), other.start, lambda: other.join(0.05))
    other.join()

    assert numbers(sql_numbers) == [2]


def test_the_url_of_the_environment_is_used(database_url: str) -> None:
    """DATABASE_URL replaces the other settings."""
    database = Database.of(Environment({"DATABASE_URL": database_url, "DATABASE_HOST": "not.asked.invalid"}))

    assert database.fetch_one(scalar_row, "SELECT count(*) FROM work") == 0
    database.close()


@pytest.mark.parametrize("missing", ["DATABASE_HOST", "DATABASE_USER", "DATABASE_CA_FILE"])
def test_a_missing_setting_is_named(missing: str) -> None:
    """Without a URL, host, user and CA are needed, before anything is connected to."""
    settings = {"DATABASE_HOST": "h", "DATABASE_USER": "u", "DATABASE_CA_FILE": "/ca.pem"}
    del settings[missing]

    with pytest.raises(ConfigurationError, match=f"{missing}: expected a value"):
        Database.of(Environment(settings))
