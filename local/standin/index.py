"""A cluster model prepared for questions: pods by name, their controllers, services and labels."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from local.standin.model import ClusterModel, Node, Owner, Pod, Service, Workload

Controller = tuple[str, str]
_NO_CONTROLLER: Controller = ("", "")
_CRON_JOB_SUFFIX = re.compile(r"-(\d{8}|\d{10})$")


@dataclass(frozen=True, slots=True)
class KnownPod:
    """A pod with what OpenCost finds out about it; controllers are (lower-case kind, name), ("", "") for none.

    `selected_by` comes from OpenCost's own selector metrics, `owned_by` from kube-state-metrics' owner references.
    """

    pod: Pod
    selected_by: Controller
    owned_by: Controller
    services: tuple[str, ...]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ModelIndex:
    """The model and its look-ups. Pods of one namespace and name are one entry, in order of their start."""

    model: ClusterModel
    pods: tuple[tuple[KnownPod, ...], ...]
    nodes: Mapping[str, Node]
    node_labels: Mapping[str, Mapping[str, str]]
    namespace_labels: Mapping[str, Mapping[str, str]]


def indexed(model: ClusterModel) -> ModelIndex:
    """Prepare a model."""
    workloads: dict[str, list[Workload]] = defaultdict(list)
    for workload in model.workloads:
        workloads[workload.namespace].append(workload)
    services: dict[str, list[Service]] = defaultdict(list)
    for service in model.services:
        services[service.namespace].append(service)
    by_name: dict[tuple[str, str], list[KnownPod]] = defaultdict(list)
    for pod in sorted(model.pods, key=lambda pod: pod.start_seconds):
        known = _known(pod, workloads.get(pod.namespace, ()), services.get(pod.namespace, ()))
        by_name[pod.namespace, pod.name].append(known)
    return ModelIndex(
        model=model,
        pods=tuple(tuple(same_name) for same_name in by_name.values()),
        nodes={node.name: node for node in model.nodes},
        node_labels={node.name: sanitized(node.labels) for node in model.nodes},
        namespace_labels={name: sanitized(labels) for name, labels in model.namespaces.items()},
    )


def sanitized(labels: Mapping[str, str]) -> dict[str, str]:
    """Label keys as Prometheus allows them: every character outside [A-Za-z0-9_] becomes `_`."""
    return {re.sub(r"[^A-Za-z0-9_]", "_", key): labels[key] for key in sorted(labels)}


def _known(pod: Pod, workloads: Sequence[Workload], services: Sequence[Service]) -> KnownPod:
    return KnownPod(
        pod=pod,
        selected_by=_selecting(pod, workloads),
        owned_by=_owning(pod.owner),
        services=tuple(service.name for service in services if _selects(service.selector, pod.labels)),
        labels=sanitized(pod.labels),
    )


def _selects(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())


def _selecting(pod: Pod, workloads: Sequence[Workload]) -> Controller:
    """Find the Deployment or StatefulSet whose selector matches; a StatefulSet overrides a Deployment."""
    chosen = _NO_CONTROLLER
    for workload in sorted(workloads, key=lambda workload: workload.kind):
        if _selects(workload.selector, pod.labels):
            chosen = (workload.kind.lower(), workload.name)
    return chosen


def _owning(owner: Owner | None) -> Controller:
    """DaemonSets, Jobs and ReplicaSets by owner reference; a Rollout goes by its ReplicaSet's name."""
    if owner is None:
        return _NO_CONTROLLER
    if owner.kind == "DaemonSet":
        return ("daemonset", owner.name)
    if owner.kind == "Job":
        return ("job", _CRON_JOB_SUFFIX.sub("", owner.name))
    if owner.kind == "ReplicaSet" and owner.parent_kind in {"", "Rollout"}:
        return (owner.parent_kind.lower() or "replicaset", owner.name)
    return _NO_CONTROLLER
