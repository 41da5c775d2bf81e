"""The Argo CD Applications of the landscape, as they are at a moment."""

from datetime import UTC, datetime, timedelta

from local.demo.application import DemoApplication, DemoResource, DemoSync, demo_revision, image_of
from local.demo.landscape import HISTORY_DAYS
from local.demo.plan import ApplicationPlan


def application_of(plan: ApplicationPlan, now: datetime) -> DemoApplication:
    """Make the Application of a plan; one without an age is older than the history."""
    created_at = _days_before(now, HISTORY_DAYS + 40 if plan.age_days is None else plan.age_days)
    moments = (created_at, *(_days_before(now, days) for days in plan.syncs_days_ago))
    key = f"{plan.namespace}:{plan.name}"
    return DemoApplication(
        namespace=plan.namespace,
        name=plan.name,
        project=plan.project,
        destination_server=plan.server,
        destination_name=plan.cluster_name,
        destination_namespace=plan.destination,
        created_at=created_at,
        resources=_resources(plan) if plan.sends_resources else None,
        images=tuple(image_of(w.name, container.name) for w in plan.workloads for container in w.containers),
        syncs=tuple(
            DemoSync(revision=demo_revision(key, number), finished_at=moment) for number, moment in enumerate(moments)
        ),
    )


def _days_before(now: datetime, days: float) -> datetime:
    """Give the whole minute in UTC."""
    return (now - timedelta(days=days)).astimezone(UTC).replace(second=0, microsecond=0)


def _resources(plan: ApplicationPlan) -> tuple[DemoResource, ...]:
    owned = [(workload.group, workload.kind, workload.name) for workload in plan.workloads]
    return tuple(
        DemoResource(group=group, kind=kind, namespace=plan.destination, name=name)
        for group, kind, name in sorted((*owned, *plan.extra_resources))
    )
