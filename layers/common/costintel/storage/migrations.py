"""The schema's history: numbered SQL files, applied in order, once each.

`migrations/NNNN_name.up.sql` with a `.down.sql` beside it. One transaction per file; one migrator at a time, by an advisory
lock that ends with its session, so that a killed one leaves neither a lock nor half a file.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from costintel import clock
from costintel.errors import SchemaError, StorageUnavailable
from costintel.storage.connecting import connect_url
from costintel.storage.failures import translated
from costintel.storage.roles import as_owner, grant_tables, prepare_roles

FOLDER = Path(__file__).with_name("migrations")
_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.(up|down)\.sql")
_LOCK = 0x636F7374
"""The advisory lock's key: "cost" in ASCII. Advisory locks are per database."""
_LOCK_WAIT = "60s"
_FILE_LIMITS = b"SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '4min'"
"""A file that waits behind long-running traffic gives up instead of stalling everything queued behind it."""
_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL
)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema: the SQL that makes it and the SQL that takes it back."""

    version: int
    name: str
    up: bytes
    down: bytes

    @property
    def checksum(self) -> str:
        """SHA-256 of the SQL that makes it."""
        return hashlib.sha256(self.up).hexdigest()


def apply(database_url: str, *, folder: Path = FOLDER) -> int:
    """Bring the database to the newest schema of `folder`, roles and privileges included; return the schema's version.

    Raises SchemaError when the database is newer than the files or an applied file was changed, StorageUnavailable when the
    database is away, another migrator holds on for a minute, or a table stays locked.
    """
    with connect_url(database_url) as connection:
        return apply_on(connection, read_migrations(folder))


def apply_on(connection: psycopg.Connection[Any], migrations: Sequence[Migration] | None = None) -> int:
    """Do what `apply` does on an autocommit connection of a superuser or of the schema's owner."""
    known = read_migrations() if migrations is None else migrations
    with translated(), _alone(connection):
        prepare_roles(connection)
        with as_owner(connection):
            for migration in _pending(connection, known):
                _step(connection, migration, up=True)
            grant_tables(connection)
            return max(_applied(connection), default=0)


def revert(database_url: str, to: int, *, folder: Path = FOLDER) -> int:
    """Take back every migration above version `to`, newest first; return the schema's version.

    Raises what `apply` raises. What the reverted tables held is gone.
    """
    known = read_migrations(folder)
    with connect_url(database_url) as connection, translated(), _alone(connection), as_owner(connection):
        _pending(connection, known)
        newest_first = sorted(_applied(connection), reverse=True)
        by_version = {migration.version: migration for migration in known}
        for version in newest_first:
            if version > to:
                _step(connection, by_version[version], up=False)
        return max(_applied(connection), default=0)


def read_migrations(folder: Path = FOLDER) -> tuple[Migration, ...]:
    """Return the folder's migrations in order. Raises SchemaError unless they are 1, 2, 3 … each with up and down."""
    files: dict[tuple[int, str], dict[str, bytes]] = {}
    for path in folder.iterdir():
        match = _FILE.fullmatch(path.name)
        if match is None:
            raise SchemaError(f"{path.name}: expected NNNN_name.up.sql or NNNN_name.down.sql")
        files.setdefault((int(match[1]), match[2]), {})[match[3]] = path.read_bytes().replace(b"\r\n", b"\n")
    for index, ((version, name), pair) in enumerate(sorted(files.items()), start=1):
        if version != index or set(pair) != {"up", "down"}:
            raise SchemaError(f"migration {version:04}_{name}: expected number {index:04}, with .up.sql and .down.sql")
    return tuple(
        Migration(version=version, name=name, up=pair["up"], down=pair["down"])
        for (version, name), pair in sorted(files.items())
    )


@contextmanager
def _alone(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Hold the migrators' lock for the length of the block, waiting a minute for it at most."""
    connection.execute(
        "SELECT set_config('lock_timeout', %s, false), set_config('statement_timeout', '0', false)", [_LOCK_WAIT]
    )
    try:
        connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
    except psycopg.errors.LockNotAvailable as error:
        raise StorageUnavailable(f"another migration has been running for {_LOCK_WAIT}") from error
    try:
        yield
    finally:
        # A lost connection has given the lock back by itself.
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _pending(connection: psycopg.Connection[Any], known: Sequence[Migration]) -> list[Migration]:
    """Return what is not applied yet, after checking that what is applied is what this release knows."""
    connection.execute(_TABLE)
    applied = _applied(connection)
    newest = max((migration.version for migration in known), default=0)
    if max(applied, default=0) > newest:
        raise SchemaError(
            f"the database has schema {max(applied)}, this release knows {newest}: deploy the newer release again"
        )
    for migration in known:
        checksum = applied.get(migration.version)
        if checksum not in {None, migration.checksum}:
            raise SchemaError(
                f"migration {migration.version:04}_{migration.name} was changed after it had been applied"
            )
    return [migration for migration in known if migration.version not in applied]


def _applied(connection: psycopg.Connection[Any]) -> dict[int, str]:
    return dict(connection.execute("SELECT version, checksum FROM schema_migrations").fetchall())


def _step(connection: psycopg.Connection[Any], migration: Migration, *, up: bool) -> None:
    with connection.transaction():
        connection.execute(_FILE_LIMITS)
        connection.execute(migration.up if up else migration.down)
        if up:
            connection.execute(
                "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (%s, %s, %s, %s)",
                [migration.version, migration.name, migration.checksum, clock.now()],
            )
        else:
            connection.execute("DELETE FROM schema_migrations WHERE version = %s", [migration.version])
