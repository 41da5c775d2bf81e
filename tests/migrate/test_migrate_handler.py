"""The function that brings the schema up to date."""

from pathlib import Path
from typing import Any

import psycopg
import pytest

from costintel.config import Environment
from costintel.errors import InvalidInput, StorageError, StorageUnavailable
from local.postgres import EmbeddedPostgres
from migrate.handler import handler, migrate
from tests.migrate.conftest import DATABASE, MASTER, NEWEST, PASSWORD
from tests.migrate.tls_front import issue

CREDENTIAL = {"master": {"username": MASTER, "password": PASSWORD}}


def fetch(server: EmbeddedPostgres, query: str, *, database: str = DATABASE) -> list[tuple[Any, ...]]:
    with psycopg.connect(server.address.url(database)) as connection:
        return connection.execute(query.encode()).fetchall()


def test_a_url_needs_no_master(empty_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one machine the handler does everything with the URL's own login."""
    monkeypatch.setenv("DATABASE_URL", empty_database_url)

    assert handler({}, None) == {"schema": NEWEST}
    assert handler({}, None) == {"schema": NEWEST}


def test_without_roles_it_asks_for_the_master(environment: Environment) -> None:
    """The owner cannot log in yet; nothing is changed."""
    assert migrate(environment, {}) == {"needs": "master"}


def test_with_the_master_it_makes_roles_and_schema(environment: Environment, rds_server: EmbeddedPostgres) -> None:
    """The roles may log in by IAM; the tables are made by the owner over a verified connection, not by the master."""
    assert migrate(environment, CREDENTIAL) == {"schema": NEWEST}
    assert fetch(rds_server, "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'") == [
        ("costintel_owner",)
    ]
    assert fetch(
        rds_server,
        "SELECT member::regrole::text FROM pg_auth_members WHERE roleid = 'rds_iam'::regrole ORDER BY 1",
    ) == [("costintel_api",), (MASTER,), ("costintel_owner",), ("costintel_writer",)]


def test_afterwards_it_needs_no_master(environment: Environment) -> None:
    """Later runs log in by IAM alone, and applying again changes nothing."""
    migrate(environment, CREDENTIAL)

    assert migrate(environment, {}) == {"schema": NEWEST}


def test_the_master_may_come_again(environment: Environment) -> None:
    """A credential handed over twice does no harm."""
    migrate(environment, CREDENTIAL)

    assert migrate(environment, CREDENTIAL) == {"schema": NEWEST}


def test_roles_that_differ_need_the_master_again(environment: Environment, rds_server: EmbeddedPostgres) -> None:
    """A release with other bounds asks once more, because the owner may not change roles; then they are as they should be."""
    migrate(environment, CREDENTIAL)
    with psycopg.connect(rds_server.address.url(), autocommit=True) as connection:
        connection.execute("ALTER ROLE costintel_api CONNECTION LIMIT 1")

    assert migrate(environment, {}) == {"needs": "master"}
    migrate(environment, CREDENTIAL)
    assert fetch(rds_server, "SELECT rolconnlimit FROM pg_roles WHERE rolname = 'costintel_api'") == [(40,)]


def test_a_wrong_password_is_not_repeated(environment: Environment, log_lines: list[str]) -> None:
    """The error says that authentication failed; the password is neither in it nor in the log."""
    wrong = {"master": {"username": MASTER, "password": "a wrong secret"}}
    with pytest.raises(StorageUnavailable, match="password authentication failed") as caught:
        migrate(environment, wrong)

    assert "wrong secret" not in str(caught.value) + repr(caught.value.__cause__) + "".join(log_lines)


@pytest.mark.parametrize("master", ["text", {}, {"username": MASTER}, {"username": MASTER, "password": None}])
def test_a_malformed_master_is_named(environment: Environment, master: object) -> None:
    """The error says what was expected where."""
    with pytest.raises(InvalidInput, match=r"^master: expected an object with the texts username and password$"):
        migrate(environment, {"master": master})


def test_a_master_that_may_not_is_refused(environment: Environment, rds_server: EmbeddedPostgres) -> None:
    """A login without the right to create roles leaves everything as it is."""
    with psycopg.connect(rds_server.address.url(), autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {MASTER} NOCREATEROLE".encode())
    try:
        with pytest.raises(StorageError, match="may not create roles"):
            migrate(environment, CREDENTIAL)
    finally:
        with psycopg.connect(rds_server.address.url(), autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {MASTER} CREATEROLE".encode())
    assert fetch(rds_server, "SELECT FROM pg_roles WHERE rolname LIKE 'costintel\\_%' AND rolname <> current_user") == [
        ()
    ]


def test_a_certificate_of_another_authority_is_refused(settings: dict[str, str], tmp_path: Path) -> None:
    """No password is sent to a server that cannot prove who it is."""
    settings["DATABASE_CA_FILE"] = str(issue(tmp_path, authority="Another CA").ca_file)

    with pytest.raises(StorageUnavailable, match="certificate verify failed"):
        migrate(Environment(settings), CREDENTIAL)


def test_a_certificate_for_another_host_is_refused(settings: dict[str, str]) -> None:
    """The name in the certificate must be the host's."""
    settings["DATABASE_HOST"] = "127.0.0.1"

    with pytest.raises(StorageUnavailable, match=r'"localhost".* does not match host name "127\.0\.0\.1"'):
        migrate(Environment(settings), CREDENTIAL)
