"""Starts `migrate` at a deployment and, only if it asks for it, hands it the master credential.

`migrate` stands in the VPC and cannot reach Secrets Manager; this stands outside and cannot reach the database. The credential
travels in one invocation's payload and is neither logged nor kept.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

import boto3
from aws_lambda_powertools import Logger
from botocore.config import Config

from costintel.errors import ConfigurationError, CostIntelError

_READ_SECONDS = 310
"""A little longer than migrate may run: its own error says more than a timeout of ours."""
logger = Logger()


class MigrationFailed(CostIntelError):
    """`migrate` ended with an error; the text is its own."""


def handler(_event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """Entry point of the deployment's trigger. Raises MigrationFailed, so that the deployment rolls back."""
    answer = _migrate({})
    if answer.get("needs") == "master":
        logger.info("migrate needs the master credential")
        answer = _migrate({"master": _master()})
    if "schema" not in answer:
        raise MigrationFailed(f"migrate gave no schema version but {sorted(answer)}")
    logger.info("migrated", extra={"schema": answer["schema"]})
    return answer


def _migrate(event: Mapping[str, Any]) -> dict[str, Any]:
    """Invoke migrate and wait for its answer; never twice by itself, because a second may run beside the first."""
    client = boto3.client("lambda", config=Config(read_timeout=_READ_SECONDS, retries={"total_max_attempts": 1}))
    response = client.invoke(FunctionName=_setting("MIGRATE_FUNCTION_NAME"), Payload=json.dumps(event).encode())
    answer: dict[str, Any] = json.load(response["Payload"])
    if response.get("FunctionError"):
        raise MigrationFailed(f"{answer.get('errorType', 'error')}: {answer.get('errorMessage', 'no message')}")
    return answer


def _master() -> dict[str, str]:
    """Read username and password from the secret that RDS keeps and rotates."""
    client = boto3.client("secretsmanager")
    secret = json.loads(client.get_secret_value(SecretId=_setting("MASTER_SECRET_ARN"))["SecretString"])
    return {"username": secret["username"], "password": secret["password"]}


def _setting(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise ConfigurationError(f"{name}: expected a value, found none")
    return value
