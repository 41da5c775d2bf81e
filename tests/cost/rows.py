"""Rows for the tests of the cost model: a container in one clock hour of 28 November 2026 unless told otherwise."""

from datetime import UTC, datetime
from typing import Any

from costintel.cost.allocation import Allocation

HOUR = datetime(2026, 11, 28, 10, tzinfo=UTC)


def seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def row(**fields: Any) -> Allocation:
    start = fields.pop("start", HOUR)
    minutes = fields.pop("minutes", 60)
    base: dict[str, Any] = {
        "namespace": "shop",
        "pod": "web-5c9d8f7b6d-aaaaa",
        "container": "web",
        "node": "node-a",
        "controller_kind": "deployment",
        "controller": "web",
        "start": seconds(start),
        "end": seconds(start) + minutes * 60,
    }
    return Allocation(**(base | fields))
