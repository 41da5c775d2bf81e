"""The storefront's applications: a namespace that several share, and one full of CronJobs."""

from local.demo.plan import ApplicationPlan, one_container, with_proxy
from local.demo.workload import DemoWorkload, Schedule

SHOP = (
    ApplicationPlan(
        name="shop-web",
        destination="shop",
        project="shop",
        syncs_days_ago=(20.3, 8.1, 2.2),
        workloads=(
            DemoWorkload(
                kind="Deployment",
                name="web",
                containers=with_proxy("web", 0.2, 384, busy=0.45),
                replicas=3,
                internet_gib_per_hour=0.2,
                load_balanced=True,
            ),
        ),
    ),
    ApplicationPlan(
        name="shop-api",
        destination="shop",
        project="shop",
        syncs_days_ago=(12.6, 4.4),
        workloads=(DemoWorkload(kind="Rollout", name="api", containers=with_proxy("api", 0.3, 512), replicas=2),),
    ),
    ApplicationPlan(
        name="shop-db",
        destination="shop",
        project="shop",
        syncs_days_ago=(16.2,),
        workloads=(
            DemoWorkload(
                kind="StatefulSet",
                name="db",
                containers=one_container("postgres", 0.4, 2048, busy=0.8, filled=0.9),
                claim_gib=50,
            ),
        ),
    ),
    ApplicationPlan(
        name="shop-search",
        destination="shop",
        project="shop",
        syncs_days_ago=(6.5,),
        workloads=(
            DemoWorkload(
                kind="Deployment", name="search", containers=one_container("search", 0.5, 2048, busy=0.1, filled=0.3)
            ),
        ),
    ),
    ApplicationPlan(
        name="shop-cache",
        destination="shop",
        project="shop",
        workloads=(
            DemoWorkload(kind="StatefulSet", name="cache", containers=one_container("redis", 0.1, 512), replicas=2),
        ),
    ),
)

ORDERS = (
    ApplicationPlan(
        name="orders",
        destination="orders",
        project="shop",
        syncs_days_ago=(9.7, 1.3),
        workloads=(
            DemoWorkload(kind="Rollout", name="orders-api", containers=one_container("api", 0.25, 512), replicas=2),
            DemoWorkload(
                kind="Deployment", name="orders-consumer", containers=one_container("consumer", 0.15, 256, busy=0.6)
            ),
            DemoWorkload(
                kind="CronJob",
                name="orders-poll",
                containers=one_container("poll", 0.1, 128, busy=0.9),
                schedule=Schedule(every_minutes=60, minute=20, run_minutes=6),
            ),
            DemoWorkload(
                kind="CronJob",
                name="orders-nightly",
                containers=one_container("report", 0.9, 2048, busy=0.95, filled=0.8),
                schedule=Schedule(every_minutes=1440, minute=120, run_minutes=25),
            ),
        ),
    ),
    ApplicationPlan(
        name="orders-reports",
        destination="orders",
        project="shop",
        syncs_days_ago=(14.9,),
        workloads=(
            DemoWorkload(
                kind="CronJob",
                name="reports",
                containers=one_container("export", 0.5, 1024, busy=0.9),
                schedule=Schedule(every_minutes=360, minute=45, run_minutes=15),
            ),
        ),
    ),
)
