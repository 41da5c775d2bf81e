"""The rest of the demo's landscape: apps of apps, ApplicationSets, what runs beside the shop, and two more namespaces."""

from local.demo.landscape import APPLICATIONS as FIRST_APPLICATIONS
from local.demo.landscape import NAMESPACE_TEAMS as FIRST_NAMESPACE_TEAMS
from local.demo.plan import ApplicationPlan
from local.demo.workload import DemoContainer, DemoWorkload, Schedule

NAMESPACE_TEAMS = {**FIRST_NAMESPACE_TEAMS, "monitoring": "platform", "tenants": "platform"}

APPLICATION_SETS = {
    "tenants": tuple(f"tenant-{name}" for name in ("alder", "birch", "cedar", "elm", "fir", "hazel")),
    "analytics-jobs": ("analytics-daily", "analytics-weekly", "analytics-quality"),
    "checkout": ("checkout-eu-central-1", "checkout-us-east-1"),
}
"""Which Applications each ApplicationSet made."""


def _deployment(name: str, cpu_cores: float, ram_mib: float, *, busy: float = 0.35, replicas: int = 1) -> DemoWorkload:
    container = DemoContainer(name="main", cpu_cores=cpu_cores, ram_mib=ram_mib, busy=busy)
    return DemoWorkload(kind="Deployment", name=name, containers=(container,), replicas=replicas)


def _cron_job(
    name: str, cpu_cores: float, ram_mib: float, schedule: Schedule, *, pool: str = "general"
) -> DemoWorkload:
    container = DemoContainer(name="run", cpu_cores=cpu_cores, ram_mib=ram_mib, busy=0.9, filled=0.7)
    return DemoWorkload(kind="CronJob", name=name, containers=(container,), schedule=schedule, pool=pool)


def _parent(name: str, project: str, children: tuple[str, ...], others: tuple[tuple[str, str], ...]) -> ApplicationPlan:
    """Describe an app of apps: it manages Applications and what belongs to them, and has no pods."""
    managed = (*(("Application", child) for child in children), *others)
    return ApplicationPlan(
        name=name,
        destination="argocd",
        project=project,
        syncs_days_ago=(15.0, 2.6),
        extra_resources=tuple(("argoproj.io", kind, child) for kind, child in managed),
    )


PARENTS = (
    _parent(
        "platform-root",
        "platform",
        ("cluster-addons", "monitoring-prometheus", "monitoring-grafana", "monitoring-logs", "monitoring-alerts"),
        (("AppProject", "platform"), ("ApplicationSet", "tenants")),
    ),
    _parent(
        "storefront-root",
        "shop",
        ("shop-web", "shop-api", "shop-db", "shop-search", "shop-cache", "shop-images", "orders", "orders-mailer"),
        (("AppProject", "shop"), ("ApplicationSet", "checkout")),
    ),
)

MONITORING = (
    ApplicationPlan(
        name="monitoring-prometheus",
        destination="monitoring",
        project="platform",
        syncs_days_ago=(17.2,),
        workloads=(
            DemoWorkload(
                kind="StatefulSet",
                name="prometheus",
                containers=(DemoContainer(name="prometheus", cpu_cores=0.3, ram_mib=2048, busy=0.6, filled=0.85),),
                claim_gib=100,
                pool="spot",
            ),
        ),
    ),
    ApplicationPlan(
        name="monitoring-grafana",
        destination="monitoring",
        project="platform",
        syncs_days_ago=(11.9,),
        workloads=(_deployment("grafana", 0.1, 256, busy=0.1),),
    ),
    ApplicationPlan(
        name="monitoring-logs",
        destination="monitoring",
        project="platform",
        workloads=(
            DemoWorkload(
                kind="DaemonSet",
                name="logs",
                containers=(DemoContainer(name="shipper", cpu_cores=0.03, ram_mib=64, busy=0.5),),
                pool="every",
            ),
        ),
    ),
    ApplicationPlan(
        name="monitoring-alerts",
        destination="monitoring",
        project="platform",
        syncs_days_ago=(6.1,),
        workloads=(_deployment("alerts", 0.05, 96, busy=0.1, replicas=2),),
    ),
)

TENANTS = tuple(
    ApplicationPlan(
        name=name,
        destination="tenants",
        project="tenants",
        age_days=30.5 - 4 * number,
        syncs_days_ago=(1.7,) if number % 2 else (),
        workloads=(_deployment(name.removeprefix("tenant-"), 0.05 + 0.02 * number, 128, busy=0.1 + 0.12 * number),),
    )
    for number, name in enumerate(APPLICATION_SETS["tenants"])
)

ANALYTICS_JOBS = (
    ApplicationPlan(
        name="analytics-daily",
        destination="analytics",
        project="data",
        workloads=(
            _cron_job("daily", 0.8, 2048, Schedule(every_minutes=1440, minute=75, run_minutes=50), pool="spot"),
        ),
    ),
    ApplicationPlan(
        name="analytics-weekly",
        destination="analytics",
        project="data",
        workloads=(
            _cron_job("weekly", 1.0, 3072, Schedule(every_minutes=720, minute=200, run_minutes=90), pool="spot"),
        ),
    ),
    ApplicationPlan(
        name="analytics-quality",
        destination="analytics",
        project="data",
        syncs_days_ago=(5.6,),
        workloads=(_cron_job("quality", 0.2, 512, Schedule(every_minutes=60, minute=35, run_minutes=8), pool="spot"),),
    ),
)

OTHERS = (
    ApplicationPlan(
        name="shop-images",
        destination="shop",
        project="shop",
        syncs_days_ago=(3.3,),
        workloads=(_deployment("images", 0.25, 512, busy=0.25, replicas=2),),
        extra_resources=(("", "Service", "images"), ("autoscaling", "HorizontalPodAutoscaler", "images")),
    ),
    ApplicationPlan(
        name="orders-mailer",
        destination="orders",
        project="shop",
        syncs_days_ago=(19.4,),
        workloads=(_deployment("mailer", 0.05, 128, busy=0.2),),
    ),
    ApplicationPlan(
        name="payments-invoices",
        destination="payments",
        project="payments",
        syncs_days_ago=(7.8,),
        workloads=(_cron_job("invoices", 0.4, 768, Schedule(every_minutes=720, minute=150, run_minutes=20)),),
    ),
    ApplicationPlan(
        name="tenants-gateway",
        destination="tenants",
        project="platform",
        syncs_days_ago=(12.2, 0.4),
        workloads=(_deployment("gateway", 0.1, 192, busy=0.4, replicas=2),),
    ),
)

APPLICATIONS = (*FIRST_APPLICATIONS, *PARENTS, *MONITORING, *TENANTS, *ANALYTICS_JOBS, *OTHERS)
