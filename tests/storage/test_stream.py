"""Rows read piece by piece."""

import pytest
from psycopg.rows import scalar_row

from costintel.errors import StorageError, StorageUnavailable
from costintel.storage.connection import Database
from tests.storage.test_connection import Connection, backend, end, insert, numbers


def test_a_stream_gives_its_rows_a_few_at_a_time(database: Database, sql: Connection) -> None:
    """Rows come from a server-side cursor: the server still has the rest while the first is looked at."""
    rows = database.stream(scalar_row, "SELECT generate_series(1, 5000)")

    assert [next(rows), next(rows)] == [1, 2]
    assert database.fetch_one(scalar_row, "SELECT count(*) FROM pg_cursors") == 1
    assert sum(rows) == 5000 * 5001 // 2 - 3
    assert database.fetch_one(scalar_row, "SELECT count(*) FROM pg_cursors") == 0


def test_a_stream_left_early_ends_its_transaction(database: Database, sql_numbers: Connection) -> None:
    """What the reader wrote while reading stays, and the next transaction may begin."""
    rows = database.stream(scalar_row, "SELECT generate_series(1, 1000)")
    next(rows)
    insert(database, 1)
    rows.close()  # type: ignore[attr-defined]  # a generator, whatever it is declared as

    assert numbers(sql_numbers) == [1]
    with database.transaction():
        insert(database, 2)
    assert numbers(sql_numbers) == [1, 2]


def test_no_transaction_begins_while_a_stream_is_open(database: Database) -> None:
    """A commit in the middle of reading would end the stream, so it is refused where it would begin."""
    rows = database.stream(scalar_row, "SELECT generate_series(1, 1000)")
    next(rows)
    with pytest.raises(StorageError, match="a stream is open"), database.transaction():
        pass

    assert sum(rows) == 1000 * 1001 // 2 - 1


def test_a_stream_whose_session_ends_is_unavailable(database: Database, sql: Connection) -> None:
    """Half-read rows are an error, never an early end."""
    rows = database.stream(scalar_row, "SELECT generate_series(1, 100000)")
    next(rows)
    end(sql, backend(database))

    with pytest.raises(StorageUnavailable):
        sum(rows)
