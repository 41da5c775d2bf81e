"""The demo cluster: what `local.standin` shows when no real OpenCost is configured, laid out relative to now.

`demo_cluster(now)` gives its rows over the last 35 days and two days ahead; `demo_applications(now)` the Argo CD
Applications that own them. Both depend on `now` alone: the same `now` gives the same cluster.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from local.demo.application import DemoApplication, sync_payload
from local.demo.landscape import HISTORY_DAYS, UNOWNED
from local.demo.machines import (
    claimed_volumes,
    demo_nodes,
    load_balancer,
    nodes_for,
    released_volume,
    volume,
)
from local.demo.more import APPLICATIONS, NAMESPACE_TEAMS
from local.demo.plan import ApplicationPlan
from local.demo.planned import application_of
from local.demo.pods import DAY_SECONDS, Life, pods_of
from local.demo.workload import DemoWorkload
from local.standin import (
    ClusterModel,
    LoadBalancer,
    Node,
    Outage,
    Pod,
    Service,
    Source,
    Volume,
    Workload,
    epoch_seconds,
)

CLUSTER_ID = "demo"
_SELECTED_KINDS = frozenset({"Deployment", "StatefulSet"})
_OUTAGE_DAYS_AGO = 9
_OUTAGE_SECONDS = 80 * 60

__all__ = ["CLUSTER_ID", "DemoApplication", "demo_applications", "demo_cluster", "sync_payload"]


def demo_cluster(now: datetime) -> ClusterModel:
    """Lay out the cluster: twelve namespaces, forty applications, seven nodes, one outage nine days ago."""
    timeline = _Timeline(now=epoch_seconds(now))
    nodes = demo_nodes(timeline.start, timeline.now)
    placed = list(_placed(timeline))
    return ClusterModel(
        cluster_id=CLUSTER_ID,
        provider="AWS",
        region="eu-west-1",
        provisioner="EKS",
        nodes=nodes,
        namespaces={name: {"team": team} for name, team in NAMESPACE_TEAMS.items()},
        pods=tuple(pod for each in placed for pod in _pods(each, nodes)),
        workloads=tuple(_selector(each) for each in placed if each.workload.kind in _SELECTED_KINDS),
        services=tuple(_service(each) for each in placed if each.workload.load_balanced),
        volumes=_volumes(placed, timeline.start),
        load_balancers=tuple(_load_balancer(each) for each in placed if each.workload.load_balanced),
        outages=(timeline.outage(),),
        control_plane_hourly_price=0.10,
        internet_egress_gib_price=0.09,
        observed_from_seconds=timeline.start,
    )


def demo_applications(now: datetime) -> list[DemoApplication]:
    """List the Argo CD Applications of the cluster, those of other clusters among them."""
    return [application_of(plan, now) for plan in APPLICATIONS]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timeline:
    now: int

    @property
    def start(self) -> int:
        """The first full hour of the history, when OpenCost was installed."""
        return (self.now - HISTORY_DAYS * DAY_SECONDS) // 3600 * 3600

    def ago(self, days: float) -> int:
        """Give the whole minute `days` before now."""
        return int(self.now - days * DAY_SECONDS) // 60 * 60

    def outage(self) -> Outage:
        """Prometheus was down for 80 minutes."""
        start = self.now // DAY_SECONDS * DAY_SECONDS - _OUTAGE_DAYS_AGO * DAY_SECONDS + 5 * 3600 + 1200
        return Outage(lost=Source.EVERYTHING, start_seconds=start, end_seconds=start + _OUTAGE_SECONDS)

    def life(self, plan: ApplicationPlan) -> Life:
        """When an application's pods exist."""
        return Life(
            namespace=plan.destination,
            start=self.start if plan.age_days is None else self.ago(plan.age_days),
            rollouts=tuple(self.ago(days) for days in plan.syncs_days_ago),
            now=self.now,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A workload in its namespace, with its life."""

    workload: DemoWorkload
    life: Life


def _placed(timeline: _Timeline) -> Iterator[_Placed]:
    for plan in APPLICATIONS:
        for workload in plan.workloads:
            yield _Placed(workload=workload, life=timeline.life(plan))
    for namespace, workloads in UNOWNED.items():
        life = Life(namespace=namespace, start=timeline.ago(6.2), rollouts=(), now=timeline.now)
        yield from (_Placed(workload=workload, life=life) for workload in workloads)


def _pods(placed: _Placed, nodes: tuple[Node, ...]) -> Iterator[Pod]:
    return pods_of(placed.workload, placed.life, nodes_for(placed.workload, nodes))


def _labels(placed: _Placed) -> dict[str, str]:
    return {"app.kubernetes.io/name": placed.workload.name}


def _selector(placed: _Placed) -> Workload:
    return Workload(
        kind=placed.workload.kind,
        namespace=placed.life.namespace,
        name=placed.workload.name,
        selector=_labels(placed),
    )


def _service(placed: _Placed) -> Service:
    return Service(namespace=placed.life.namespace, name=placed.workload.name, selector=_labels(placed))


def _load_balancer(placed: _Placed) -> LoadBalancer:
    return load_balancer(placed.life.namespace, placed.workload.name, placed.life.start)


def _volumes(placed: list[_Placed], start: int) -> tuple[Volume, ...]:
    """Mounted ones, one that nobody mounts any more, and one that nobody even claims."""
    mounted = [v for each in placed for v in claimed_volumes(each.life.namespace, each.workload, each.life.start)]
    return (*mounted, volume("old-datasets", 200, start, namespace="analytics"), released_volume(start))
