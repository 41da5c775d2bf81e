"""Entries of OpenCost's answers, made for one test each: an hour of one container with whole numbers."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from costintel.cost.allocation import Allocation
from costintel.cost.window import Window
from costintel.opencost.answer import AnswerReader, WindowAnswer

START = datetime(2026, 11, 28, 10, tzinfo=UTC)
HOUR = Window(START, START + timedelta(hours=1))
DAY = Window(datetime(2026, 11, 28, tzinfo=UTC), datetime(2026, 11, 29, tzinfo=UTC))
GIB = 1024**3


def at(minute: float, window: Window = HOUR) -> str:
    return (window.start + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds(minute: float, window: Window = HOUR) -> int:
    return int((window.start + timedelta(minutes=minute)).timestamp())


def span(first: float, last: float, window: Window = HOUR) -> dict[str, Any]:
    return {"start": at(first, window), "end": at(last, window), "minutes": last - first}


def said(of: Window) -> dict[str, Any]:
    return {"window": {"start": at(0, of), "end": at(of.hours * 60, of)}}


def container(of: Window = HOUR, /, **changes: Any) -> dict[str, Any]:
    """Return the entry of a container that ran the whole window on node-a; `properties` are changed one by one."""
    properties = {
        "cluster": "made",
        "node": "node-a",
        "namespace": "shop",
        "pod": "web-1",
        "container": "web",
        "controllerKind": "deployment",
        "controller": "web",
        **changes.pop("properties", {}),
    }
    return {
        "properties": {name: text for name, text in properties.items() if text is not None},
        **said(of),
        **span(0, of.hours * 60, of),
        "cpuCoreRequestAverage": 1,
        "cpuCoreUsageAverage": 0.5,
        "cpuCoreHours": 1,
        "cpuCost": 0.03,
        "ramByteRequestAverage": 2 * GIB,
        "ramByteUsageAverage": GIB,
        "ramByteHours": 2 * GIB,
        "ramCost": 0.008,
        **changes,
    }


def unmounted(of: Window = HOUR, /, **changes: Any) -> dict[str, Any]:
    """Return the entry of the cluster's volumes that nothing mounts."""
    places = dict.fromkeys(("namespace", "pod", "container"), "__unmounted__")
    nowhere = dict.fromkeys(("node", "controllerKind", "controller"))
    idle = dict.fromkeys(("cpuCoreRequestAverage", "cpuCoreUsageAverage", "cpuCoreHours", "cpuCost"), 0)
    idle |= dict.fromkeys(("ramByteRequestAverage", "ramByteUsageAverage", "ramByteHours", "ramCost"), 0)
    return container(of, **{"properties": {**places, **nowhere}, **idle, "pvCost": 0.0055, **changes})


def node(of: Window = HOUR, /, name: str = "node-a", **changes: Any) -> dict[str, Any]:
    """Return a Node of 4 cores at 0.03 and 16 GiB at 0.004 an hour: 0.12 + 0.064."""
    hours = changes.pop("hours", of.hours)
    return {
        "type": "Node",
        "properties": {"cluster": "made", "name": name, "providerID": f"i-{name}"},
        **said(of),
        **span(0, of.hours * 60, of),
        "cpuCoreHours": 4 * hours,
        "ramByteHours": 16 * GIB * hours,
        "GPUHours": 0,
        "discount": 0,
        "cpuCost": 0.12 * hours,
        "ramCost": 0.064 * hours,
        "gpuCost": 0,
        "totalCost": 0.184 * hours,
        **changes,
    }


def asset(kind: str, name: str, total_cost: float, of: Window = HOUR, /, **changes: Any) -> dict[str, Any]:
    """Return an asset of another type."""
    return {
        "type": kind,
        "properties": {"cluster": "made", "name": name},
        **said(of),
        **span(0, of.hours * 60, of),
        "totalCost": total_cost,
        **changes,
    }


def share(service: str, cost: float) -> dict[str, Any]:
    """Return the fields of a row that carries `cost` of a load balancer."""
    allocations = {f"made/{service}": {"service": service, "cost": cost, "hours": 1}}
    return {"loadBalancerCost": round(cost, 5), "lbAllocations": allocations}


def allocation_body(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return json.dumps({"code": 200, "data": [{f"row-{index}": row for index, row in enumerate(rows)}]}).encode()


def asset_body(assets: Sequence[Mapping[str, Any]]) -> bytes:
    return json.dumps({"code": 200, "data": {f"asset-{index}": one for index, one in enumerate(assets)}}).encode()


def read(
    rows: Sequence[Mapping[str, Any]],
    assets: Sequence[Mapping[str, Any]] = (),
    *,
    window: Window = HOUR,
    cluster_id: str = "made",
) -> WindowAnswer:
    """Read entries as the answer of `window`."""
    return read_bodies(allocation_body(rows), asset_body(assets), window=window, cluster_id=cluster_id)


def read_bodies(
    allocations: bytes, assets: bytes = b'{"code":200,"data":{}}', *, window: Window = HOUR, cluster_id: str = "made"
) -> WindowAnswer:
    """Read two bodies as the answer of `window`."""
    reader = AnswerReader(window, cluster_id=cluster_id)
    reader.read_assets([assets])
    reader.read_allocations([allocations])
    return reader.answer()


def rows_of(answer: WindowAnswer) -> list[Allocation]:
    return [row for rows in answer.rows_by_namespace.values() for row in rows]


def only_row(answer: WindowAnswer) -> Allocation:
    (row,) = rows_of(answer)
    return row
