"""How a namespace's containers are kept in one row: totals as columns, the containers themselves as JSON.

The body is `{"v": 1, "rows": [[pod, container, ...], ...]}`: the fields of Allocation (of an hour) or ContainerCost (of a
fold) in their order, without the namespace.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from math import fsum
from typing import Any

from costintel.cost.allocation import Allocation, LoadBalancerShare
from costintel.cost.asset import Asset
from costintel.cost.container import ContainerCost
from costintel.cost.idle import idle_cost
from costintel.errors import SchemaError
from costintel.storage.text import json_text

VERSION = 1
COLUMNS = (
    "namespace, cpu_cost, ram_cost, gpu_cost, storage_cost, network_cost, load_balancer_cost,"
    " idle_cpu_cost, idle_ram_cost, idle_complete, running_rows, body"
)
"""The columns that `hour_row` and `fold_row` give, in this order."""
StoredRow = tuple[Any, ...]
_HOUR_COSTS = slice(8, 14)
_FOLD_COSTS = slice(9, 15)
_ASSET_FIELDS = tuple(field.name for field in fields(Asset))


def hour_row(namespace: str, rows: Sequence[Allocation]) -> StoredRow:
    """Return the row of a namespace in an hour. Raises InvalidInput naming the namespace for NaN, infinity or NUL."""
    body = _body(namespace, rows)
    cpu = [
        idle_cost(row.cpu_cost, requested=row.cpu_core_hours_requested, used=row.cpu_core_hours_used) for row in rows
    ]
    ram = [
        idle_cost(row.ram_cost, requested=row.ram_byte_hours_requested, used=row.ram_byte_hours_used) for row in rows
    ]
    return (
        namespace,
        *_sums(rows, _HOUR_COSTS),
        fsum(idle or 0.0 for idle in cpu),
        fsum(idle or 0.0 for idle in ram),
        None not in cpu and None not in ram,
        sum(row.running for row in rows),
        body,
    )


def fold_row(namespace: str, rows: Sequence[ContainerCost]) -> StoredRow:
    """Return the row of a namespace in a fold. Raises InvalidInput naming the namespace for NaN, infinity or NUL."""
    body = _body(namespace, rows)
    return (
        namespace,
        *_sums(rows, _FOLD_COSTS),
        fsum(row.idle_cpu_cost for row in rows),
        fsum(row.idle_ram_cost for row in rows),
        all(row.idle_complete for row in rows),
        sum(row.running for row in rows),
        body,
    )


def allocations(namespace: str, body: dict[str, Any]) -> list[Allocation]:
    """Return the allocations of an hour's body. Raises SchemaError for one that a newer release wrote."""
    return [
        Allocation._make((namespace, *row[:-1], tuple(LoadBalancerShare(*share) for share in row[-1])))
        for row in _rows(body)
    ]


def container_costs(namespace: str, body: dict[str, Any]) -> list[ContainerCost]:
    """Return the containers of a fold's body. Raises SchemaError for one that a newer release wrote."""
    make: Callable[[tuple[Any, ...]], ContainerCost] = ContainerCost._make
    return [make((namespace, *row)) for row in _rows(body)]


def assets_text(assets: Sequence[Asset]) -> str:
    """Return assets as a JSON list of objects. Raises InvalidInput for NaN, infinity or NUL."""
    return json_text("assets", [{name: getattr(asset, name) for name in _ASSET_FIELDS} for asset in assets])


def _body(namespace: str, rows: Sequence[tuple[Any, ...]]) -> str:
    return json_text(f"namespace {namespace}", {"v": VERSION, "rows": [row[1:] for row in rows]})


def _sums(rows: Sequence[tuple[Any, ...]], costs: slice) -> list[float]:
    columns = zip(*(row[costs] for row in rows), strict=True)
    return [fsum(column) for column in columns] or [0.0] * (costs.stop - costs.start)


def _rows(body: dict[str, Any]) -> list[list[Any]]:
    if body["v"] != VERSION:
        raise SchemaError(f"a stored namespace has version {body['v']}, this release reads {VERSION}")
    rows: list[list[Any]] = body["rows"]
    return rows
