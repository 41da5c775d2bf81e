"""Brings the schema up to date. Roles first, when a master credential comes with the event; then, as their owner, the tables.

Event: `{}`, or `{"master": {"username": ..., "password": ...}}`. Answer: `{"schema": VERSION}`, or `{"needs": "master"}` when
the roles are missing or not as this release wants them. Events are never logged.
"""

import os
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from costintel.config import Environment
from costintel.errors import InvalidInput, StorageError, StorageUnavailable
from costintel.storage.connecting import connect_as, connector
from costintel.storage.failures import translated
from costintel.storage.migrations import apply_on
from costintel.storage.roles import prepare_roles, role_changes

logger = Logger()


def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """Lambda's entry point. Raises what keeps the schema from being brought up to date; a deployment then rolls back."""
    answer = migrate(Environment(os.environ), event)
    logger.info("migrate", extra={"answer": answer})
    return answer


def migrate(environment: Environment, event: Mapping[str, Any]) -> dict[str, Any]:
    """Prepare roles if a master credential is given, then apply the migrations as the settings log in (see above).

    A DATABASE_URL needs no master credential: what its login may do is done. Raises InvalidInput for a malformed event,
    ConfigurationError, StorageUnavailable, SchemaError.
    """
    has_url = bool(environment.text("DATABASE_URL"))
    if not has_url and event.get("master") is not None:
        _prepare(environment, event["master"])
    elif not has_url and not _is_prepared(environment):
        return {"needs": "master"}
    with connector(environment)() as connection:
        return {"schema": apply_on(connection)}


def _prepare(environment: Environment, master: object) -> None:
    """Give the database its roles; with the master's password, for the only time it is used."""
    if not (isinstance(master, Mapping) and all(isinstance(master.get(key), str) for key in ("username", "password"))):
        raise InvalidInput("master", "an object with the texts username and password")
    with connect_as(environment, user=master["username"], password=master["password"]) as connection, translated():
        if not prepare_roles(connection):
            raise StorageError("the master login may not create roles, or does not own the database")


def _is_prepared(environment: Environment) -> bool:
    """Whether the owner can log in and finds the roles as this release wants them."""
    try:
        connection = connector(environment)()
    except StorageUnavailable as error:
        # Either there is no such role yet, or PostgreSQL is away: then the master's login will say so.
        logger.info("the owner cannot log in", extra={"reason": str(error)})
        return False
    with connection, translated():
        return not role_changes(connection)
