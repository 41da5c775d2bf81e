"""The demo's autoscalers: VerticalPodAutoscalers that recommend, some that act, and HorizontalPodAutoscalers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from local.demo.more import APPLICATIONS
from local.demo.objects import Object, metadata, rfc3339
from local.demo.plan import ApplicationPlan
from local.demo.workload import DemoContainer, DemoWorkload

_AGE = timedelta(days=28)
_API_VERSIONS = {"Rollout": "argoproj.io/v1alpha1", "CronJob": "batch/v1"}
_MARGIN = 1.15
"""The recommender's target is the 90th percentile and a seventh more."""
_LEAST_MILLICORES = 25
_LEAST_MIB = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vpa:
    """A VerticalPodAutoscaler of the demo: for which workload, how it acts, how sure it is."""

    namespace: str
    workload: str
    update_mode: str | None = "Off"
    spread: float = 1.3
    policy: Mapping[str, object] = field(default_factory=dict)
    condition: str = "RecommendationProvided"


_VPAS = (
    _Vpa(namespace="shop", workload="search"),
    _Vpa(namespace="shop", workload="api"),
    _Vpa(namespace="shop", workload="images"),
    _Vpa(namespace="shop", workload="db", policy={"maxAllowed": {"cpu": "2", "memory": "4Gi"}}),
    _Vpa(namespace="payments", workload="fraud", spread=40, condition="LowConfidence"),
    _Vpa(namespace="payments", workload="ledger", update_mode="Initial"),
    _Vpa(namespace="analytics", workload="notebook"),
    _Vpa(namespace="monitoring", workload="grafana", update_mode=None),
    _Vpa(namespace="monitoring", workload="prometheus", policy={"controlledResources": ["memory"]}),
    _Vpa(namespace="orders", workload="orders-nightly"),
    _Vpa(namespace="tenants", workload="gateway", condition="NoPodsMatched"),
)
_HPAS: tuple[tuple[str, str, dict[str, int]], ...] = (
    ("shop", "web", {"cpu": 70}),
    ("shop", "images", {"cpu": 80}),
    ("payments", "gateway", {"cpu": 75, "memory": 80}),
)


def vertical_autoscalers(now: datetime) -> list[Object]:
    """Make the VerticalPodAutoscalers."""
    return [_vertical(vpa, _workload(vpa.namespace, vpa.workload), now) for vpa in _VPAS]


def horizontal_autoscalers(now: datetime) -> list[Object]:
    """Make the HorizontalPodAutoscalers."""
    return [_horizontal(namespace, _workload(namespace, name), goals, now) for namespace, name, goals in _HPAS]


def _workload(namespace: str, name: str) -> DemoWorkload:
    """Find a workload of ours; remote Applications have none."""
    found = (workload for plan in _plans(namespace) for workload in plan.workloads if workload.name == name)
    return next(found)


def _plans(namespace: str) -> list[ApplicationPlan]:
    return [plan for plan in APPLICATIONS if plan.destination == namespace]


def _reference(workload: DemoWorkload) -> dict[str, str]:
    version = _API_VERSIONS.get(workload.kind, "apps/v1")
    return {"apiVersion": version, "kind": workload.kind, "name": workload.name}


def _vertical(vpa: _Vpa, workload: DemoWorkload, now: datetime) -> Object:
    spec: Object = {"targetRef": _reference(workload)}
    if vpa.update_mode:
        spec["updatePolicy"] = {"updateMode": vpa.update_mode}
    if vpa.policy:
        spec["resourcePolicy"] = {"containerPolicies": [{"containerName": "*", **vpa.policy}]}
    is_found = vpa.condition != "NoPodsMatched"
    conditions = {"RecommendationProvided": "True" if is_found else "False", vpa.condition: "True"}
    status: Object = {
        "conditions": [
            {"type": name, "status": state, "lastTransitionTime": rfc3339(now - _AGE)}
            for name, state in conditions.items()
        ]
    }
    if is_found:
        only = vpa.policy.get("controlledResources")
        status["recommendation"] = {
            "containerRecommendations": [_recommended(one, workload, vpa.spread, only) for one in workload.containers]
        }
    return {
        "apiVersion": "autoscaling.k8s.io/v1",
        "kind": "VerticalPodAutoscaler",
        "metadata": metadata(vpa.namespace, vpa.workload, now - _AGE),
        "spec": spec,
        "status": status,
    }


def _recommended(container: DemoContainer, workload: DemoWorkload, spread: float, only: object) -> Object:
    """Recommend what the container uses and a margin, but no less than the pod's least divided by its containers."""
    share = len(workload.containers)
    millicores = max(_LEAST_MILLICORES / share, 1000 * container.cpu_cores * container.busy * _MARGIN)
    mib = max(_LEAST_MIB / share, container.ram_mib * container.filled * _MARGIN)
    factors = {"target": 1.0, "lowerBound": 1 / spread, "upperBound": spread, "uncappedTarget": 1.0}
    return {
        "containerName": container.name,
        **{name: _amounts(factor * millicores, factor * mib, only) for name, factor in factors.items()},
    }


def _amounts(millicores: float, mib: float, only: object) -> dict[str, str]:
    """Write a recommendation's quantities; `only` names the resources that are controlled, None all."""
    amounts = {"cpu": f"{round(millicores)}m", "memory": str(round(mib * 1024**2))}
    return {name: amount for name, amount in amounts.items() if not isinstance(only, list) or name in only}


def _horizontal(namespace: str, workload: DemoWorkload, goals: Mapping[str, int], now: datetime) -> Object:
    return {
        "metadata": metadata(namespace, workload.name, now - _AGE),
        "spec": {
            "scaleTargetRef": _reference(workload),
            "minReplicas": 1,
            "maxReplicas": 10,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": name, "target": {"type": "Utilization", "averageUtilization": percent}},
                }
                for name, percent in goals.items()
            ],
        },
        "status": {"currentReplicas": workload.replicas, "desiredReplicas": workload.replicas},
    }
