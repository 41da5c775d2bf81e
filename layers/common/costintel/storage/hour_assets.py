"""The assets that were answered with stored hours."""

import json
from collections.abc import Iterator
from typing import Any

from psycopg.rows import scalar_row

from costintel.cost.asset import Asset, AssetType
from costintel.cost.window import Window
from costintel.storage.connection import Database


class HourAssets:
    """The column `assets` of `collections`, kind `hour`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, cluster: str, window: Window) -> Iterator[Asset]:
        """Yield the assets of the good hours in `window`, oldest hour first (see Database.stream)."""
        bodies = self._database.stream(
            scalar_row,
            """
            SELECT assets::text FROM collections
            WHERE kind = 'hour' AND state = 'good' AND cluster = %s AND window_start >= %s AND window_end <= %s
            ORDER BY window_start
            """,
            [cluster, window.start, window.end],
        )
        for body in bodies:
            for asset in json.loads(body):
                yield _asset(asset)

    def version(self, cluster: str, window: Window) -> str:
        """Return the version of OpenCost that answered last for an hour in `window`; empty when none said."""
        found = self._database.fetch_one(
            scalar_row,
            """
            SELECT opencost_version FROM collections
            WHERE kind = 'hour' AND cluster = %s AND window_start >= %s AND window_end <= %s AND opencost_version <> ''
            ORDER BY window_start DESC LIMIT 1
            """,
            [cluster, window.start, window.end],
        )
        return found or ""


def _asset(fields: dict[str, Any]) -> Asset:
    return Asset(**{**fields, "type": AssetType(fields["type"])})
