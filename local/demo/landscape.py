"""The demo's landscape: namespaces, applications and what each of them runs."""

from local.demo.plan import ApplicationPlan, one_container, with_proxy
from local.demo.storefront import ORDERS, SHOP
from local.demo.workload import DemoContainer, DemoWorkload, Schedule

HISTORY_DAYS = 35


NAMESPACE_TEAMS = {
    "shop": "storefront",
    "orders": "storefront",
    "payments": "payments",
    "analytics": "data",
    "team-a-prod": "team-a",
    "team-b-prod": "team-b",
    "crm": "sales",
    "preview-42": "storefront",
    "office": "labs",
    "kube-system": "platform",
}


PAYMENTS = (
    ApplicationPlan(
        name="payments-gateway",
        destination="payments",
        project="payments",
        syncs_days_ago=(18.4, 5.2, 0.9),
        workloads=(
            DemoWorkload(kind="Deployment", name="gateway", containers=with_proxy("gateway", 0.3, 512), replicas=2),
        ),
    ),
    ApplicationPlan(
        name="payments-ledger",
        destination="payments",
        project="payments",
        workloads=(
            DemoWorkload(
                kind="StatefulSet",
                name="ledger",
                containers=one_container("ledger", 0.3, 1536, busy=0.5, filled=0.8),
                claim_gib=100,
            ),
        ),
    ),
    ApplicationPlan(
        name="payments-fraud",
        destination="payments",
        project="payments",
        syncs_days_ago=(3.7,),
        workloads=(
            DemoWorkload(
                kind="Deployment", name="fraud", containers=one_container("scorer", 0.6, 1536, busy=0.15), pool="spot"
            ),
        ),
    ),
)

ANALYTICS = (
    ApplicationPlan(
        name="analytics-etl",
        destination="analytics",
        project="data",
        syncs_days_ago=(11.1,),
        workloads=(
            DemoWorkload(
                kind="CronJob",
                name="etl",
                containers=one_container("etl", 1.5, 4096, busy=0.9, filled=0.7),
                schedule=Schedule(every_minutes=240, minute=10, run_minutes=40),
                pool="spot",
            ),
        ),
    ),
    ApplicationPlan(
        name="analytics-notebook",
        destination="analytics",
        project="data",
        workloads=(
            DemoWorkload(
                kind="Deployment",
                name="notebook",
                containers=one_container("jupyter", 0.5, 3072, busy=0.05, filled=0.4),
                pool="spot",
            ),
        ),
    ),
    ApplicationPlan(
        name="analytics-trainer",
        destination="analytics",
        project="data",
        age_days=19.6,
        syncs_days_ago=(7.3,),
        workloads=(
            DemoWorkload(
                kind="StatefulSet",
                name="trainer",
                containers=(DemoContainer(name="train", cpu_cores=2, ram_mib=8192, busy=0.85, filled=0.75, gpus=1),),
                pool="gpu",
            ),
        ),
    ),
)

TEAMS = (
    ApplicationPlan(
        name="web",
        namespace="team-a",
        destination="team-a-prod",
        project="team-a",
        server="",
        cluster_name="in-cluster",
        syncs_days_ago=(10.4, 3.1),
        workloads=(DemoWorkload(kind="Deployment", name="web", containers=one_container("web", 0.2, 256), replicas=2),),
    ),
    ApplicationPlan(
        name="web",
        namespace="team-b",
        destination="team-b-prod",
        project="team-b",
        server="",
        cluster_name="in-cluster",
        syncs_days_ago=(21.8,),
        workloads=(
            DemoWorkload(kind="Rollout", name="web", containers=one_container("web", 0.4, 768, busy=0.2), replicas=2),
        ),
    ),
)

SINGLES = (
    ApplicationPlan(
        name="legacy-crm",
        destination="crm",
        project="sales",
        sends_resources=False,
        syncs_days_ago=(25.0,),
        workloads=(
            DemoWorkload(kind="Deployment", name="crm", containers=one_container("crm", 0.5, 1536, busy=0.12)),
            DemoWorkload(kind="Deployment", name="crm-worker", containers=one_container("worker", 0.2, 512)),
        ),
    ),
    ApplicationPlan(
        name="preview-42",
        destination="preview-42",
        project="shop",
        age_days=5.7 / 24,
        workloads=(
            DemoWorkload(kind="Deployment", name="preview", containers=one_container("web", 0.2, 384, busy=0.1)),
        ),
    ),
    ApplicationPlan(
        name="office-desk",
        destination="office",
        project="labs",
        workloads=(
            DemoWorkload(
                kind="Deployment",
                name="desk",
                containers=one_container("desk", 0.4, 1024, busy=0.6),
                replicas=2,
                work_hours=(7, 19),
            ),
        ),
    ),
    ApplicationPlan(
        name="cluster-addons",
        destination="kube-system",
        project="platform",
        syncs_days_ago=(13.5,),
        workloads=(
            DemoWorkload(
                kind="DaemonSet", name="node-agent", containers=one_container("agent", 0.05, 96), pool="every"
            ),
            DemoWorkload(kind="Deployment", name="coredns", containers=one_container("coredns", 0.1, 96), replicas=2),
            DemoWorkload(kind="Job", name="migrate-crds", containers=one_container("migrate", 0.1, 128)),
        ),
    ),
)

REMOTE = (
    ApplicationPlan(
        name="checkout-eu-central-1",
        destination="payments",
        project="shop",
        server="https://0A1B2C3D4E5F60718293A4B5C6D7E8F9.gr7.eu-central-1.eks.amazonaws.com",
        syncs_days_ago=(2.0,),
        extra_resources=(("apps", "Deployment", "checkout"),),
    ),
    ApplicationPlan(
        name="checkout-us-east-1",
        destination="shop",
        project="shop",
        server="",
        cluster_name="us-east-1-prod",
        syncs_days_ago=(2.0,),
        extra_resources=(("apps", "Deployment", "checkout"),),
    ),
)

APPLICATIONS = (*SHOP, *ORDERS, *PAYMENTS, *ANALYTICS, *TEAMS, *SINGLES, *REMOTE)

# Runs in a namespace without belonging to any application.
UNOWNED = {
    "orders": (
        DemoWorkload(
            kind="Pod",
            name="debug-shell",
            containers=(DemoContainer(name="shell", cpu_cores=0, ram_mib=0),),
        ),
    ),
}
