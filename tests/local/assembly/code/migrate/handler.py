"""Makes a role and nothing else."""

import os
from typing import Any

import psycopg


def handler(event: Any, context: Any) -> Any:
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        connection.execute("CREATE ROLE small LOGIN CONNECTION LIMIT 5")
    return {"schema": 1}
