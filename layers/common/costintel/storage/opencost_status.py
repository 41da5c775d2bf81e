"""What OpenCost said of itself, as the last check found it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row

from costintel.storage.connection import Database
from costintel.storage.text import clean_json, clean_text

_ERROR_LENGTH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCostCheck:
    """A look at OpenCost. `version` and `pricing` (a JSON object: where its prices come from) are None when it did not tell.

    `error` says in one line why it was not reachable.
    """

    reachable: bool
    version: str | None
    pricing: Mapping[str, Any] | None
    error: str
    checked_at: datetime


class OpenCostChecks:
    """The table `opencost_status`: one row per cluster."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, cluster: str, check: OpenCostCheck) -> None:
        """Keep a check in place of the former; what it could not tell of version and pricing stays as it was last told."""
        self._database.execute(
            """
            INSERT INTO opencost_status (cluster, version, pricing, reachable, error, checked_at)
            VALUES (%(cluster)s, %(version)s, %(pricing)s::jsonb, %(reachable)s, %(error)s, %(checked_at)s)
            ON CONFLICT (cluster) DO UPDATE SET
                version = coalesce(EXCLUDED.version, opencost_status.version),
                pricing = coalesce(EXCLUDED.pricing, opencost_status.pricing),
                reachable = EXCLUDED.reachable, error = EXCLUDED.error, checked_at = EXCLUDED.checked_at
            """,
            {
                "cluster": cluster,
                "version": None if check.version is None else clean_text(check.version),
                "pricing": None if check.pricing is None else clean_json(dict(check.pricing)),
                "reachable": check.reachable,
                "error": clean_text(check.error)[:_ERROR_LENGTH],
                "checked_at": check.checked_at,
            },
        )

    def find(self, cluster: str) -> OpenCostCheck | None:
        """Return the last check with what OpenCost last told, None before the first."""
        return self._database.fetch_one(
            class_row(OpenCostCheck),
            "SELECT version, pricing, reachable, error, checked_at FROM opencost_status WHERE cluster = %s",
            [cluster],
        )
