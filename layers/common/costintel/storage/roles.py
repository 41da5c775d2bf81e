"""The database's roles: one that owns the schema, one that writes, one that only reads.

`costintel_owner` migrates, `costintel_writer` measures, `costintel_api` serves. None has a password: on RDS they log in by IAM.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg import errors, sql
from psycopg.rows import scalar_row

OWNER = "costintel_owner"
WRITER = "costintel_writer"
API = "costintel_api"
_RDS_IAM = "rds_iam"
"""The role that RDS provides: its members log in with an IAM token, and with nothing else."""
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role's bounds. The timeouts are what its sessions begin with, in PostgreSQL's notation."""

    name: str
    connection_limit: int
    timeouts: Mapping[str, str]


def _timeouts(statement: str, lock: str) -> dict[str, str]:
    return {"statement_timeout": statement, "lock_timeout": lock, "idle_in_transaction_session_timeout": "1min"}


ROLES = (
    Role(name=OWNER, connection_limit=5, timeouts=_timeouts("4min", "10s")),
    Role(name=WRITER, connection_limit=30, timeouts=_timeouts("1min", "10s")),
    Role(name=API, connection_limit=40, timeouts=_timeouts("20s", "5s")),
)
"""Together they stay under the about 80 connections of the smallest RDS class."""

TABLE_PRIVILEGES: Mapping[str, Mapping[str, LiteralString]] = {
    "schema_migrations": {WRITER: "SELECT", API: "SELECT"},
    "leases": {WRITER: "SELECT, INSERT, UPDATE", API: "SELECT"},
    "work": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "collections": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "collection_namespaces": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "cost_actuals": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "live_lists": {WRITER: "SELECT, INSERT, UPDATE", API: "SELECT"},
    "applications": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "namespaces": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "recommendations": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "autoscalers": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "opencost_status": {WRITER: "SELECT, INSERT, UPDATE", API: "SELECT"},
    "run_summaries": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "cost_daily": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
    "cost_daily_progress": {WRITER: "SELECT, INSERT, UPDATE, DELETE", API: "SELECT"},
}
"""What each role may do with each table, beyond the owner."""

_MAY_PREPARE = """
SELECT rolsuper OR rolcreaterole AND EXISTS (
    SELECT FROM pg_database WHERE datname = current_database() AND pg_has_role(current_user, datdba, 'MEMBER'))
FROM pg_roles WHERE rolname = current_user"""

_IS_OPEN_TO_THEM_ONLY = """
SELECT NOT has_database_privilege('public', current_database(), 'CONNECT, CREATE, TEMPORARY')
    AND NOT has_schema_privilege('public', 'public', 'USAGE, CREATE')
    AND count(*) = cardinality(%(roles)s::text[])
    AND bool_and(has_database_privilege(oid, current_database(), 'CONNECT'))
    AND bool_and(has_schema_privilege(oid, 'public', 'USAGE'))
    AND bool_or(rolname = %(owner)s AND has_schema_privilege(oid, 'public', 'CREATE'))
FROM pg_roles WHERE rolname = ANY(%(roles)s)"""


def prepare_roles(connection: psycopg.Connection[Any]) -> bool:
    """Create the roles where they are missing, bound them, and open this database to them and to nobody else.

    Does nothing and returns False when the login may not: that takes a superuser, or CREATEROLE and owning the database.
    Changes only what differs, all of it or nothing.
    """
    if connection.execute(_MAY_PREPARE).fetchone() != (True,):
        return False
    for attempt in range(_ATTEMPTS):
        try:
            with connection.transaction():
                for change in role_changes(connection):
                    connection.execute(change)
        # Roles belong to the whole server: the migration of another of its databases may make the same change.
        except (errors.DuplicateObject, errors.UniqueViolation, errors.InternalError_):
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            break
    return True


def role_changes(connection: psycopg.Connection[Any]) -> list[sql.Composed]:
    """Return the statements that would give roles and database their bounds; none when everything is as it should be.

    Every login may ask. Membership of `rds_iam` comes last: from PostgreSQL 16 on whoever creates a role is a member of it, so
    the login that creates them may lose its password with it, and must be done by then.
    """
    changes = [change for role in ROLES for change in _bounds(connection, role)]
    names = [role.name for role in ROLES]
    is_open = connection.execute(_IS_OPEN_TO_THEM_ONLY, {"roles": names, "owner": OWNER}).fetchone()
    if is_open != (True,):
        changes += _openings(connection)
    outside = _column(
        connection,
        "SELECT name FROM unnest(%s::text[]) AS name WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = %s)"
        " AND NOT EXISTS (SELECT FROM pg_auth_members JOIN pg_roles AS held ON held.oid = roleid"
        " JOIN pg_roles AS holder ON holder.oid = member WHERE held.rolname = %s AND holder.rolname = name)",
        [names, _RDS_IAM, _RDS_IAM],
    )
    return changes + [_statement("GRANT {} TO {}", _RDS_IAM, name) for name in outside]


def grant_tables(connection: psycopg.Connection[Any]) -> None:
    """Give the roles their privileges on the tables that exist; nothing where there are no roles (a database of one login)."""
    present = _column(connection, "SELECT rolname FROM pg_roles WHERE rolname = ANY(%s)", [[WRITER, API]])
    tables = _column(connection, "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", ["public"])
    for table in tables:
        for role, privileges in TABLE_PRIVILEGES.get(table, {}).items():
            if role in present:
                connection.execute(_statement(f"GRANT {privileges} ON {{}} TO {{}}", table, role))


@contextmanager
def as_owner(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Act as `costintel_owner` when the login is a superuser, so that the tables belong to that role; else as the login."""
    if connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() != (True,):
        yield
        return
    connection.execute(_statement("SET ROLE {}", OWNER))
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("RESET ROLE")


def _bounds(connection: psycopg.Connection[Any], role: Role) -> Iterator[sql.Composed]:
    row = connection.execute("SELECT rolconnlimit, rolconfig FROM pg_roles WHERE rolname = %s", [role.name]).fetchone()
    limit = sql.Literal(role.connection_limit)
    if row is None:
        yield _statement("CREATE ROLE {} LOGIN CONNECTION LIMIT {}", role.name, limit)
    elif row[0] != role.connection_limit:
        yield _statement("ALTER ROLE {} CONNECTION LIMIT {}", role.name, limit)
    settings = (row and row[1]) or []
    for name, value in role.timeouts.items():
        if f"{name}={value}" not in settings:
            yield _statement("ALTER ROLE {} SET {} = {}", role.name, name, sql.Literal(value))


def _openings(connection: psycopg.Connection[Any]) -> Iterator[sql.Composed]:
    (database,) = _column(connection, "SELECT current_database()", [])
    yield _statement("REVOKE ALL ON DATABASE {} FROM PUBLIC", database)
    yield _statement("REVOKE ALL ON SCHEMA {} FROM PUBLIC", "public")
    for role in ROLES:
        yield _statement("GRANT CONNECT ON DATABASE {} TO {}", database, role.name)
        yield _statement("GRANT USAGE ON SCHEMA {} TO {}", "public", role.name)
    yield _statement("GRANT CREATE ON SCHEMA {} TO {}", "public", OWNER)


def _statement(text: LiteralString, *parts: str | sql.Literal) -> sql.Composed:
    return sql.SQL(text).format(*(sql.Identifier(part) if isinstance(part, str) else part for part in parts))


def _column(connection: psycopg.Connection[Any], query: LiteralString, parameters: list[Any]) -> list[str]:
    with connection.cursor(row_factory=scalar_row) as cursor:
        return list(cursor.execute(query, parameters))
