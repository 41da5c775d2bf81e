"""What PostgreSQL's errors mean to the service."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from costintel.errors import SchemaError, StorageError, StorageUnavailable


@contextmanager
def translated() -> Iterator[None]:
    """Turn psycopg's errors into StorageUnavailable, SchemaError or StorageError; every other error passes."""
    try:
        yield
    except psycopg.Error as error:
        raise storage_error(error) from error


def storage_error(error: psycopg.Error) -> StorageError:
    """Return what `error` means: away or too busy, a schema that does not fit, or a statement that was refused."""
    # Only the primary message: the detail lines below it may quote stored values.
    text = (error.diag.message_primary or str(error)).strip().split("\n", 1)[0]
    # InternalError: sessions that PostgreSQL ended for idling in a transaction, and writes to a standby during a failover.
    if isinstance(error, errors.OperationalError | errors.InterfaceError | errors.InternalError):
        return StorageUnavailable(f"PostgreSQL: {text}")
    if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn):
        return SchemaError(f"PostgreSQL: {text}; has the newest schema been applied?")
    return StorageError(f"PostgreSQL refused: {text}")
