"""A PostgreSQL server as RDS sets one up: TLS, a master that is no superuser, and logins of `rds_iam` without a password."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
import pytest

from costintel.config import Environment
from costintel.storage.migrations import read_migrations
from local.children import Children
from local.postgres import EmbeddedPostgres
from migrate import bootstrap
from migrate import handler as migrate_handler
from tests.migrate.tls_front import Certificates, TlsFront, issue

MASTER = "costintel_master"
PASSWORD = "the master's p@ssw0rd"
DATABASE = "costintel"
NEWEST = len(read_migrations())
# RDS checks a token by PAM; here whoever is a member of rds_iam is let in, but the master first of all needs its password.
_LOGINS = f"""
host all {MASTER} 127.0.0.1/32 scram-sha-256
host all +rds_iam 127.0.0.1/32 trust
"""


@pytest.fixture(scope="session")
def rds_server(children: Children) -> Iterator[EmbeddedPostgres]:
    """Run a server with the roles of RDS."""
    server = EmbeddedPostgres(children)
    server.start()
    with psycopg.connect(server.address.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE rds_iam")
        connection.execute(f"CREATE ROLE {MASTER} LOGIN CREATEROLE CREATEDB".encode())
        connection.execute(f"ALTER ROLE {MASTER} PASSWORD '{PASSWORD.replace(chr(39), chr(39) * 2)}'".encode())
        connection.execute(f"GRANT rds_iam TO {MASTER} WITH ADMIN OPTION".encode())
        (file,) = connection.execute("SHOW hba_file").fetchone() or ("",)
        rules = Path(file)
        rules.write_text(_LOGINS + rules.read_text(encoding="utf-8"), encoding="utf-8")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute(f"CREATE DATABASE {DATABASE} OWNER {MASTER}".encode())
    yield server
    server.close()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return issue(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def rds_port(rds_server: EmbeddedPostgres, certificates: Certificates) -> Iterator[int]:
    """Give the port on which the server is reached by TLS."""
    with TlsFront(server_port=rds_server.address.port, certificates=certificates) as front:
        yield front.port


@pytest.fixture
def settings(rds_server: EmbeddedPostgres, rds_port: int, certificates: Certificates) -> Iterator[dict[str, str]]:
    """Give migrate's environment for an empty database of the master's, on a server without our roles."""
    yield {
        "DATABASE_HOST": "localhost",
        "DATABASE_PORT": str(rds_port),
        "DATABASE_NAME": DATABASE,
        "DATABASE_USER": "costintel_owner",
        "DATABASE_CA_FILE": str(certificates.ca_file),
        "AWS_REGION": "eu-central-1",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }
    _take_back(rds_server)


def _take_back(server: EmbeddedPostgres) -> None:
    """Make the database as it was before migrate: faster than a new one."""
    with psycopg.connect(server.address.url(DATABASE), autocommit=True) as connection:
        for role in ("costintel_api", "costintel_writer", "costintel_owner"):
            if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
                connection.execute(f"DROP OWNED BY {role}".encode())
                connection.execute(f"DROP ROLE {role}".encode())
        connection.execute(f"GRANT CONNECT, TEMPORARY ON DATABASE {DATABASE} TO PUBLIC".encode())
        connection.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")


@pytest.fixture
def environment(settings: Mapping[str, str]) -> Environment:
    return Environment(settings)


class LogLines(logging.Handler):
    """Keeps what the functions log, as it would be printed."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def log_lines() -> Iterator[list[str]]:
    """Give the lines that migrate and bootstrap log during the test."""
    logger = logging.getLogger(migrate_handler.logger.name)
    assert logger is logging.getLogger(bootstrap.logger.name)
    handler = LogLines()
    handler.setFormatter(migrate_handler.logger.registered_formatter)
    logger.addHandler(handler)
    yield handler.lines
    logger.removeHandler(handler)
