"""A cluster small enough to work its figures out by hand: prices of 0.04 a core and 0.005 a GiB an hour."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from local.standin import BYTES_PER_GIB, ClusterModel, Container, Node, Owner, Pod, SteadyUsage, epoch_seconds
from local.standin.index import indexed
from local.standin.response import Response
from local.standin.routes import Routes
from local.standin.version import version_named

NOW = datetime(2026, 3, 10, 12, 0, 30, tzinfo=UTC)
LONG_AGO = epoch_seconds("2026-03-01T00:00:00Z")
HOUR = "2026-03-10T10:00:00Z,2026-03-10T11:00:00Z"
DAY = "2026-03-09T00:00:00Z,2026-03-10T00:00:00Z"
Row = dict[str, Any]


def at(time: str, day: int = 10) -> int:
    """Tell the moment of a time on a day of March 2026."""
    return epoch_seconds(f"2026-03-{day:02}T{time}Z")


def node(name: str = "node-a", **changes: Any) -> Node:
    known = Node(
        name=name,
        start_seconds=LONG_AGO,
        cpu_cores=4,
        ram_bytes=16 * BYTES_PER_GIB,
        allocatable_cpu_cores=3.9,
        allocatable_ram_bytes=15 * BYTES_PER_GIB,
        cpu_core_hourly_price=0.04,
        ram_gib_hourly_price=0.005,
        provider_id=f"i-{name}",
    )
    return replace(known, **changes)


def container(name: str = "main", *, cores: float = 1.0, used: float = 0.5, gib: float = 2.0) -> Container:
    """Make a container that uses half of its memory."""
    return Container(
        name=name,
        cpu_request_cores=cores,
        ram_request_bytes=gib * BYTES_PER_GIB,
        usage=SteadyUsage(used, gib / 2 * BYTES_PER_GIB),
    )


def pod(name: str, *, namespace: str = "shop", **changes: Any) -> Pod:
    known = Pod(namespace=namespace, name=name, node="node-a", start_seconds=LONG_AGO, containers=(container(),))
    return replace(known, **changes)


def deployed(replica_set: str, parent_kind: str = "Deployment") -> Owner:
    return Owner(kind="ReplicaSet", name=replica_set, parent_kind=parent_kind)


def cluster(*pods: Pod, **changes: Any) -> ClusterModel:
    known = ClusterModel(
        cluster_id="small",
        nodes=(node(),),
        namespaces={"shop": {"team": "storefront"}},
        pods=pods,
        observed_from_seconds=LONG_AGO,
    )
    return replace(known, **changes)


def ask(model: ClusterModel, path: str, query: Mapping[str, str], *, version: str = "1.120.2") -> Response:
    return Routes(indexed(model), version_named(version)).answer(path, query, now=NOW)


def sets(model: ClusterModel, *, version: str = "1.120.2", **query: str) -> list[dict[str, Row]]:
    answered: list[dict[str, Row]] = json.loads(ask(model, "/allocation", query, version=version).body)["data"]
    return answered


def rows(model: ClusterModel, *, version: str = "1.120.2", **query: str) -> dict[str, Row]:
    (only,) = sets(model, version=version, **query)
    return only
