"""One connection to PostgreSQL per environment, replaced when it is lost or has idled for long."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg import errors
from psycopg.rows import RowFactory

from costintel import clock
from costintel.config import Environment
from costintel.errors import StorageError
from costintel.storage.connecting import connector
from costintel.storage.failures import translated

Row = TypeVar("Row")
Result = TypeVar("Result")
Connection = psycopg.Connection[Any]
Parameters = Sequence[Any] | Mapping[str, Any]

IDLE = timedelta(minutes=5)
"""A firewall on the way forgets a silent connection sooner or later, without telling us."""
_STREAM_ROWS = 16
"""Rows per round trip of a stream: one can hold megabytes."""
_ENDED_BY_SERVER = (errors.AdminShutdown, errors.CrashShutdown, errors.IdleInTransactionSessionTimeout)


class Database:
    """Statements on one autocommit connection, opened at the first of them.

    A connection found lost is replaced once per statement, but never inside a transaction. Threads may share it: a transaction
    or a stream of one makes the others wait. Everything raises StorageUnavailable when PostgreSQL is away or too busy,
    SchemaError when the schema does not fit, StorageError when a statement is refused.
    """

    def __init__(self, connect: Callable[[], Connection], *, idle: timedelta = IDLE) -> None:
        """Take what makes a connection; `idle` is the silence after which one is replaced."""
        self._connect = connect
        self._idle = idle
        self._lock = threading.RLock()
        self._connection: Connection | None = None
        self._used_at = datetime.min.replace(tzinfo=UTC)
        self._in_transaction = False
        self._streaming = False

    @classmethod
    def of(cls, environment: Environment) -> "Database":
        """Return the database that the settings name. Raises ConfigurationError naming the setting that is wrong."""
        return cls(connector(environment))

    def execute(self, statement: LiteralString, parameters: Parameters = ()) -> int:
        """Execute one statement; return how many rows it touched."""
        return self._use(lambda connection: connection.execute(statement, parameters).rowcount)

    def fetch_all(self, row: RowFactory[Row], query: LiteralString, parameters: Parameters = ()) -> list[Row]:
        """Return every row, each made by psycopg's row factory `row`."""

        def fetch(connection: Connection) -> list[Row]:
            with connection.cursor(row_factory=row) as cursor:
                return cursor.execute(query, parameters).fetchall()

        return self._use(fetch)

    def fetch_one(self, row: RowFactory[Row], query: LiteralString, parameters: Parameters = ()) -> Row | None:
        """Return the first row, None without any."""
        return next(iter(self.fetch_all(row, query, parameters)), None)

    def stream(self, row: RowFactory[Row], query: LiteralString, parameters: Parameters = ()) -> Iterator[Row]:
        """Yield the rows of a server-side cursor, a few in memory at a time, all as of one moment.

        It belongs to the transaction in which its first row is read. Read outside of one it holds a transaction of its own
        until it is read to the end or closed; opening another meanwhile is an error.
        """
        with self._lock:
            if self._in_transaction:
                yield from self._rows(row, query, parameters)
                return
            with self.transaction():
                self._streaming = True
                try:
                    yield from self._rows(row, query, parameters)
                except GeneratorExit:
                    # The reader has seen enough, which is no reason to undo what it wrote meanwhile.
                    return
                finally:
                    self._streaming = False

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Run the block's statements as one: all of them happen, or none. One inside another becomes part of it."""
        with self._lock, translated(), ExitStack() as stack:
            if self._streaming:
                raise StorageError("a stream is open: read it to the end, or begin it inside the transaction")
            if not self._in_transaction:
                self._use(lambda connection: stack.enter_context(connection.transaction()))
                self._in_transaction = True
                stack.callback(self._left)
            yield self._opened()

    def close(self) -> None:
        """Close the connection, if one is open; the next statement opens another."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _left(self) -> None:
        self._in_transaction = False
        self._used_at = clock.now()

    def _rows(self, row: RowFactory[Row], query: LiteralString, parameters: Parameters) -> Iterator[Row]:
        with translated(), self._opened().cursor("costintel_stream", row_factory=row) as cursor:
            cursor.itersize = _STREAM_ROWS
            yield from cursor.execute(query, parameters)

    def _use(self, statement: Callable[[Connection], Result]) -> Result:
        with self._lock, translated():
            if self._in_transaction:
                return statement(self._opened())
            try:
                return statement(self._opened())
            except psycopg.Error as error:
                if not self._is_lost(error):
                    raise
            self.close()
            return statement(self._opened())

    def _opened(self) -> Connection:
        """Return the connection; outside of a transaction a new one if there is none or it has been silent for too long."""
        now = clock.now()
        if not self._in_transaction and now - self._used_at >= self._idle:
            self.close()
        self._used_at = now
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _is_lost(self, error: psycopg.Error) -> bool:
        return self._connection is None or self._connection.closed or isinstance(error, _ENDED_BY_SERVER)
