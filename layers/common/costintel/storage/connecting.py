"""How a connection is made: with a URL, or on RDS with a token of our own IAM role and a verified certificate."""

from collections.abc import Callable, Mapping
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from costintel.config import Environment
from costintel.errors import ConfigurationError
from costintel.storage.failures import storage_error

_DEFAULTS: Mapping[str, Any] = {
    "application_name": "costintel",
    "connect_timeout": "5",
    "keepalives": "1",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    # A peer that vanished (a failover, a dropped NAT entry) is noticed while we wait for its answer too; milliseconds.
    "tcp_user_timeout": "30000",
}
_OPTIONS = "-c statement_timeout=25s -c lock_timeout=5s -c idle_in_transaction_session_timeout=60s -c timezone=UTC"
"""Bounds of a session's statements. Of an option given twice PostgreSQL takes the later, so a URL's own options win."""


def connector(environment: Environment) -> Callable[[], psycopg.Connection[Any]]:
    """Return what makes a connection as the settings say; they are read now, the connection is made at each call.

    DATABASE_URL, else the host's settings with an IAM token per connection (a token is good for 15 minutes, and for logging
    in only). Raises ConfigurationError naming the setting.
    """
    url = environment.text("DATABASE_URL")
    if url:
        settings = _parsed(url)
        return lambda: _connect(settings)
    return _iam_connector(environment)


def connect_url(url: str) -> psycopg.Connection[Any]:
    """Connect to a PostgreSQL URL, autocommit. Raises ConfigurationError for a bad URL, else StorageUnavailable."""
    return _connect(_parsed(url))


def host_settings(environment: Environment) -> dict[str, Any]:
    """Return where the RDS instance is and how its certificate is verified; without a login."""
    return {
        "host": environment.required("DATABASE_HOST"),
        "port": str(int(environment.number("DATABASE_PORT"))),
        "dbname": environment.text("DATABASE_NAME"),
        "sslmode": "verify-full",
        "sslrootcert": environment.required("DATABASE_CA_FILE"),
    }


def connect_as(environment: Environment, *, user: str, password: str) -> psycopg.Connection[Any]:
    """Connect to the RDS instance with a password. Raises ConfigurationError or StorageUnavailable."""
    return _connect({**host_settings(environment), "user": user, "password": password})


def _iam_connector(environment: Environment) -> Callable[[], psycopg.Connection[Any]]:
    settings = host_settings(environment)
    user = environment.required("DATABASE_USER")

    def connect() -> psycopg.Connection[Any]:
        # botocore takes longer to import than to sign with, and a local function never signs.
        from costintel.storage.iam import login_token  # noqa: PLC0415

        token = login_token(environment.values, host=settings["host"], port=settings["port"], user=user)
        return _connect({**settings, "user": user, "password": token})

    return connect


def _parsed(url: str) -> dict[str, Any]:
    try:
        return conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # libpq's own message quotes the URL, password included.
        raise ConfigurationError("DATABASE_URL: expected a postgresql:// URL") from None


def _connect(settings: Mapping[str, Any]) -> psycopg.Connection[Any]:
    options = f"{_OPTIONS} {settings.get('options') or ''}".rstrip()
    try:
        return psycopg.connect(autocommit=True, **{**_DEFAULTS, **settings, "options": options})
    except psycopg.Error as error:
        raise storage_error(error) from error
