"""The whole fold of the newest 24 hours at once, for what is about the whole cluster."""

from dataclasses import dataclass
from typing import LiteralString

from psycopg.rows import dict_row
from pydantic_core import from_json

from costintel.cost.collection import LiveHeader
from costintel.cost.workload import Row, Workload, workloads
from costintel.errors import SchemaError
from costintel.storage.bodies import VERSION
from costintel.storage.connection import Database
from costintel.storage.headers import live_header

# As text, because the standard library takes three times as long as pydantic's parser, and a large cluster has 12 MB of it.
_WHOLE: LiteralString = """
SELECT window_start, window_end, observed_spans, asked_at, namespace, body::text AS body
FROM (SELECT * FROM collections WHERE kind = 'live' AND cluster = %s ORDER BY window_end DESC LIMIT 1) AS live
LEFT JOIN collection_namespaces ON collection = id
ORDER BY namespace COLLATE "C" """


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveWorkloads:
    """What every workload of the cluster cost in the newest 24 hours."""

    header: LiveHeader
    workloads: list[Workload]


class LiveCosts:
    """The fold of the newest 24 hours, added up by workload."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, cluster: str) -> LiveWorkloads | None:
        """Return the newest fold, None before the first. Raises SchemaError for one that a newer release wrote."""
        found = self._database.fetch_all(dict_row, _WHOLE, [cluster])
        if not found:
            return None
        namespaces = [row for row in found if row["namespace"] is not None]
        return LiveWorkloads(
            header=live_header(found[0]),
            workloads=[workload for row in namespaces for workload in workloads(row["namespace"], _rows(row["body"]))],
        )


def _rows(text: str) -> list[Row]:
    body = from_json(text)
    if body["v"] != VERSION:
        raise SchemaError(f"a stored namespace has version {body['v']}, this release reads {VERSION}")
    rows: list[Row] = body["rows"]
    return rows
