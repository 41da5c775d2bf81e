"""Small live objects and days to store."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from costintel.cost.amounts import Amounts
from costintel.cost.application import AppRef
from costintel.cost.container import ContainerCost
from costintel.cost.daily import DailyCost, DailyProgress
from costintel.cost.day import DayHeader, DaySource, DayState, StoredDay, day_window
from costintel.cost.figure import Idle
from costintel.cost.live import (
    ContainerAmounts,
    HpaTarget,
    ListOutcome,
    LiveApplication,
    LiveHpa,
    LiveNamespace,
    LiveSync,
    LiveVpa,
    VpaPolicy,
    VpaRecommendation,
    WorkloadRef,
)
from costintel.cost.ownership import Resource
from costintel.cost.window import HOUR, Window
from costintel.storage.opencost_status import OpenCostCheck
from costintel.storage.run_summaries import RunSummary
from tests.storage.examples import CLUSTER, IN_CLUSTER, NOON, SHOP, stored_hour

Item = TypeVar("Item")
WEB = WorkloadRef(api_version="apps/v1", kind="Deployment", name="web")
THURSDAY = date(2026, 11, 26)
CHECK = OpenCostCheck(reachable=True, version="1.120.2", pricing={"counts": {"csvExact": 3}}, error="", checked_at=NOON)
RUN = RunSummary(job="exporter", started_at=NOON, finished_at=NOON + HOUR, summary={"applications": 2})


def listed(*items: Item, at: datetime = NOON) -> ListOutcome[Item]:
    """Return a complete list."""
    return ListOutcome(items=items, complete=True, listed_at=at)


def failed(error: str = "applications: 403", *, at: datetime = NOON) -> ListOutcome[Any]:
    return ListOutcome(items=(), complete=False, listed_at=at, error=error)


def live_sync(finished_at: datetime = NOON, **fields: Any) -> LiveSync:
    usual = LiveSync(
        finished_at=finished_at,
        started_at=finished_at - timedelta(seconds=20),
        revision="0123abcd",
        revisions=(),
        initiated_by="admin",
    )
    return replace(usual, **fields)


def application(reference: AppRef = SHOP, **fields: Any) -> LiveApplication:
    """Return an Application with everything it can have."""
    usual = LiveApplication(
        application=reference,
        project="shops",
        destination=IN_CLUSTER,
        created_at=NOON - timedelta(days=90),
        labels={"team": "front", "env": "prod"},
        deleting=False,
        resources=(Resource("apps", "Deployment", "", "web"), Resource("batch", "CronJob", "jobs", "nightly")),
        last_sync=live_sync(),
        history=(
            live_sync(NOON - 2 * HOUR, started_at=None, revision="", revisions=("a", "b"), initiated_by=""),
            live_sync(),
        ),
        sync_status="Synced",
        health_status="Healthy",
        images=("shop/web:2", "shop/nightly:1"),
        application_set="shops",
        parent=AppRef("argocd", "all"),
    )
    return replace(usual, **fields)


def bare_application(reference: AppRef) -> LiveApplication:
    """Return an Application of which next to nothing is known."""
    return application(
        reference,
        labels={},
        deleting=True,
        resources=None,
        last_sync=None,
        history=(),
        sync_status="",
        images=(),
        application_set="",
        parent=None,
    )


def namespace(name: str = "shop", **labels: str) -> LiveNamespace:
    return LiveNamespace(name=name, created_at=NOON - timedelta(days=90), labels=labels)


def amounts(cpu_cores: str | None = None, ram_bytes: str | None = None) -> ContainerAmounts:
    return ContainerAmounts(
        cpu_cores=None if cpu_cores is None else Decimal(cpu_cores),
        ram_bytes=None if ram_bytes is None else Decimal(ram_bytes),
    )


def vpa(name: str = "web", **fields: Any) -> LiveVpa:
    usual = LiveVpa(
        namespace="shop",
        name=name,
        created_at=NOON,
        target=WEB,
        update_mode="Off",
        policies=(
            VpaPolicy(
                container="*",
                is_off=False,
                resources=("cpu",),
                controlled_values="RequestsOnly",
                least=amounts("0.015"),
                most=amounts("4", "8589934592"),
            ),
            VpaPolicy(
                container="sidecar",
                is_off=True,
                resources=None,
                controlled_values="",
                least=amounts(),
                most=amounts(),
            ),
        ),
        recommendations=(
            VpaRecommendation(
                container="main",
                target=amounts("0.163", "524288000"),
                lower=amounts("0.15", None),
                upper=amounts("1.5", "629145600"),
                uncapped=amounts(None, "524288000.5"),
            ),
        ),
        conditions=("LowConfidence", "RecommendationProvided"),
    )
    return replace(usual, **fields)


def hpa(name: str = "web", **fields: Any) -> LiveHpa:
    usual = LiveHpa(
        namespace="shop",
        name=name,
        created_at=NOON,
        target=WEB,
        min_replicas=2,
        max_replicas=10,
        current_replicas=None,
        targets=(
            HpaTarget(resource="cpu", container="", percent=80),
            HpaTarget(resource="memory", container="main", percent=None),
        ),
    )
    return replace(usual, **fields)


def daily_cost(day: date = THURSDAY, reference: AppRef = SHOP, **fields: Any) -> DailyCost:
    """Return a day with a different number everywhere, some of them with all the digits a float has."""
    usual = DailyCost(
        application=reference,
        scope="application",
        day=day,
        deployment_namespace="shop",
        cost=Amounts(cpu=0.1 + 0.2, ram=1 / 3, gpu=1e-07, storage=2.0, network=0.0, load_balancer=0.6),
        idle=Idle(cpu=0.15, ram=1 / 7, complete=False),
        cpu_core_hours_requested=48.0,
        ram_byte_hours_requested=1.5e16 / 7,
        cpu_core_hours_used=24.1,
        ram_byte_hours_used=9e15 / 7,
        measured_hours=23.916666666666668,
        complete=True,
        source="hours",
    )
    return replace(usual, **fields)


def progress(reference: AppRef = SHOP, **fields: Any) -> DailyProgress:
    usual = DailyProgress(
        application=reference,
        scope="application",
        ownership="d41d8cd9",
        folded_from=THURSDAY - timedelta(days=30),
        folded_until=THURSDAY,
        updated_at=NOON,
    )
    return replace(usual, **fields)


def day_header(day: date = THURSDAY, **fields: Any) -> DayHeader:
    """Return a day that was seen twice, 22.5 hours together, and folded from its hours."""
    start = day_window(day).start
    usual = DayHeader(
        window=day_window(day),
        state=DayState.INCOMPLETE,
        source=DaySource.HOURS,
        observed=(Window(start, start + 9.5 * HOUR), Window(start + 11 * HOUR, start + 24 * HOUR)),
        asked_at=start + 25 * HOUR,
        asked_count=0,
        healed=False,
    )
    return replace(usual, **fields)


def stored_day(
    day: date = THURSDAY, namespaces: Iterable[tuple[str, Sequence[ContainerCost]]] = (), **fields: Any
) -> StoredDay:
    return StoredDay(
        cluster=CLUSTER,
        header=day_header(day, **fields),
        namespaces=namespaces,
        assets=stored_hour().assets,
        opencost_version="1.120.2",
    )
