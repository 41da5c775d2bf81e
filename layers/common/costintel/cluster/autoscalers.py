"""VerticalPodAutoscalers (autoscaling.k8s.io/v1) and HorizontalPodAutoscalers (autoscaling/v2), as far as advice needs them."""

from collections.abc import Iterator
from sys import intern

from costintel.cluster.fields import count, created_at, member, members, name_of, text, texts
from costintel.cluster.quantity import quantity
from costintel.cost.live import (
    ContainerAmounts,
    HpaTarget,
    LiveHpa,
    LiveVpa,
    VpaPolicy,
    VpaRecommendation,
    WorkloadRef,
)

_SCALED_ON = frozenset({"cpu", "memory"})


def read_vpa(item: object) -> LiveVpa:
    """Return a VerticalPodAutoscaler. Raises InvalidInput for one without a name or a creation time."""
    namespace, name = name_of(item)
    recommended = members(item, "status", "recommendation", "containerRecommendations")
    return LiveVpa(
        namespace=namespace,
        name=name,
        created_at=created_at(item),
        target=_workload(member(item, "spec", "targetRef")),
        update_mode=text(item, "spec", "updatePolicy", "updateMode"),
        policies=tuple(map(_policy, members(item, "spec", "resourcePolicy", "containerPolicies"))),
        recommendations=tuple(map(_recommendation, recommended)),
        conditions=tuple(sorted(_true_conditions(item))),
    )


def read_hpa(item: object) -> LiveHpa:
    """Return a HorizontalPodAutoscaler. Raises InvalidInput for one without a name or a creation time."""
    namespace, name = name_of(item)
    return LiveHpa(
        namespace=namespace,
        name=name,
        created_at=created_at(item),
        target=_workload(member(item, "spec", "scaleTargetRef")),
        min_replicas=count(item, "spec", "minReplicas"),
        max_replicas=count(item, "spec", "maxReplicas"),
        current_replicas=count(item, "status", "currentReplicas"),
        targets=tuple(_targets(item)),
    )


def _workload(reference: object) -> WorkloadRef:
    return WorkloadRef(
        api_version=intern(text(reference, "apiVersion")),
        kind=intern(text(reference, "kind")),
        name=text(reference, "name"),
    )


def _policy(entry: object) -> VpaPolicy:
    resources = texts(entry, "controlledResources")
    return VpaPolicy(
        container=text(entry, "containerName"),
        is_off=text(entry, "mode") == "Off",
        resources=resources if member(entry, "controlledResources") is not None else None,
        controlled_values=text(entry, "controlledValues"),
        least=_amounts(member(entry, "minAllowed")),
        most=_amounts(member(entry, "maxAllowed")),
    )


def _recommendation(entry: object) -> VpaRecommendation:
    return VpaRecommendation(
        container=text(entry, "containerName"),
        target=_amounts(member(entry, "target")),
        lower=_amounts(member(entry, "lowerBound")),
        upper=_amounts(member(entry, "upperBound")),
        uncapped=_amounts(member(entry, "uncappedTarget")),
    )


def _amounts(entry: object) -> ContainerAmounts:
    return ContainerAmounts(cpu_cores=quantity(member(entry, "cpu")), ram_bytes=quantity(member(entry, "memory")))


def _true_conditions(item: object) -> Iterator[str]:
    for entry in members(item, "status", "conditions"):
        if text(entry, "status") == "True":
            yield intern(text(entry, "type"))


def _targets(item: object) -> Iterator[HpaTarget]:
    """Yield the targets for CPU and memory; other metrics (queues, requests) do not depend on what is requested."""
    for metric in members(item, "spec", "metrics"):
        for field in ("resource", "containerResource"):
            resource = text(metric, field, "name")
            if resource in _SCALED_ON:
                yield HpaTarget(
                    resource=intern(resource),
                    container=text(metric, field, "container"),
                    percent=count(metric, field, "target", "averageUtilization"),
                )
