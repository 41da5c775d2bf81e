"""Small hours, containers and records to store."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from costintel.cost.allocation import Allocation, LoadBalancerShare
from costintel.cost.application import AppRef, Destination
from costintel.cost.asset import Asset, AssetType
from costintel.cost.collection import HourHeader, LiveHeader, StoredHour
from costintel.cost.container import ContainerCost, container_cost
from costintel.cost.hour import HourState
from costintel.cost.ownership import Resource
from costintel.cost.sync import FigureDocument, Record, Sync
from costintel.cost.window import HOUR, Window

CLUSTER = "local"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHOP = AppRef("argocd", "shop")
IN_CLUSTER = Destination(server="https://kubernetes.default.svc", namespace="shop")


def seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def allocation(namespace: str = "shop", pod: str = "web-1", *, start: datetime = NOON, **fields: Any) -> Allocation:
    """Return a container that ran the whole hour: 2 cores requested at 0.04, 1 used; 4 bytes requested at 0.01, all used."""
    defaults: dict[str, Any] = {
        "cpu_cost": 0.08,
        "ram_cost": 0.04,
        "cpu_core_hours": 2.0,
        "ram_byte_hours": 4.0,
        "cpu_core_hours_requested": 2.0,
        "ram_byte_hours_requested": 4.0,
        "cpu_core_hours_used": 1.0,
        "ram_byte_hours_used": 4.0,
    }
    return Allocation(
        namespace,
        pod,
        "main",
        "node-1",
        "deployment",
        "web",
        seconds(start),
        seconds(start + HOUR),
        **defaults | fields,
    )


def volume(namespace: str = "shop", *, start: datetime = NOON) -> Allocation:
    """Return a namespace's volume that nothing mounts."""
    return Allocation(
        namespace,
        "__unmounted__",
        "__unmounted__",
        "",
        "",
        "",
        seconds(start),
        seconds(start + HOUR),
        storage_cost=0.005,
        load_balancer_cost=0.025,
        load_balancers=(LoadBalancerShare("shop/front", 0.025),),
    )


def header(start: datetime = NOON, **fields: Any) -> HourHeader:
    usual = HourHeader(
        window=Window(start, start + HOUR),
        state=HourState.GOOD,
        suspect=False,
        observed=Window(start + timedelta(minutes=5), start + HOUR),
        running_rows=2,
        row_count=3,
        node_count=1,
        starts_late=True,
        asked_at=start + timedelta(minutes=70),
        asked_count=1,
    )
    return replace(usual, **fields)


def stored_hour(start: datetime = NOON, *rows: Allocation, **fields: Any) -> StoredHour:
    """Return an hour with these rows (by default one container and one volume), and the given fields of its header."""
    by_namespace: dict[str, list[Allocation]] = {}
    for row in rows or (allocation(start=start), volume(start=start)):
        by_namespace.setdefault(row.namespace, []).append(row)
    node = Asset(
        type=AssetType.NODE, name="node-1", start=seconds(start), end=seconds(start + HOUR), minutes=60, total_cost=0.2
    )
    return StoredHour(
        cluster=CLUSTER,
        header=header(start, **fields),
        rows_by_namespace=by_namespace,
        assets=[node],
        opencost_version="1.120.2",
    )


def live_header(end: datetime = NOON) -> LiveHeader:
    return LiveHeader(
        window=Window(end - 24 * HOUR, end),
        observed=(Window(end - 2 * HOUR, end - HOUR), Window(end - HOUR, end)),
        folded_at=end + timedelta(minutes=11),
    )


def container(namespace: str = "shop", pod: str = "web-1", **fields: Any) -> ContainerCost:
    return container_cost(allocation(namespace, pod, **fields))


def figure(total: float = 12.5, monthly: float | None = 375.0) -> FigureDocument:
    """As much of a figure's document as storage looks at."""
    return {"cost": {"total": total}, "monthly": None if monthly is None else {"total": monthly}, "pods": []}


def sync(sync_id: str = "a" * 32, *, finished_at: datetime = NOON, **fields: Any) -> Sync:
    usual = Sync(
        id=sync_id,
        application=SHOP,
        project="default",
        destination=IN_CLUSTER,
        resources=(Resource("apps", "Deployment", "", "web"), Resource("batch", "CronJob", "jobs", "nightly")),
        resources_omitted=False,
        finished_at=finished_at,
        finished_at_known=True,
        started_at=finished_at - timedelta(seconds=20),
        created_at=NOON - timedelta(days=90),
        revision="0123abcd",
        revisions=("0123abcd", "v2"),
        sync_status="Synced",
        health_status="Healthy",
        initiated_by="admin",
        images=("shop/web:2",),
        received_at=finished_at + timedelta(seconds=1),
    )
    return replace(usual, **fields)


def record(of: Sync | None = None, **fields: Any) -> Record:
    """Return a record of which nothing is measured yet."""
    one = of or sync()
    usual = Record(
        sync=one,
        cluster=CLUSTER,
        measured_on="sync",
        found_by="webhook",
        scope="application",
        measured_at=one.finished_at + timedelta(seconds=5),
        settles_at=one.finished_at + timedelta(hours=25),
        early=None,
        settled=None,
        is_settled=False,
    )
    return replace(usual, **fields)
