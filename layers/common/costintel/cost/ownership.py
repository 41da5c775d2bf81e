"""Which pods are an application's own."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

_HASH = "[bcdfghjklmnpqrstvwxz2456789]{6,10}"
"""A pod template's hash: Kubernetes encodes it with letters that spell no words."""
_SUFFIX = "[a-z0-9]{5}"
_SHAPES = {
    "deployment": f"-{_HASH}-{_SUFFIX}",
    "rollout": f"-{_HASH}-{_SUFFIX}",
    "statefulset": r"-\d+",
    "daemonset": f"-{_SUFFIX}",
    "replicaset": f"-{_SUFFIX}",
    "job": rf"(-\d+)?-{_SUFFIX}",
    "cronjob": rf"-(\d{{8}}|\d{{10}})-{_SUFFIX}",
    "pod": "",
}
_JOB_NUMBER = re.compile(r"-(\d{10}|\d{8})$")
_PODLESS_GROUPS = frozenset({"", "apps", "batch", "argoproj.io"})


class Pod(Protocol):
    """What ownership needs to know of a pod; Allocation and ContainerCost have it."""

    @property
    def namespace(self) -> str:
        """Namespace it runs in."""
        ...

    @property
    def pod(self) -> str:
        """Its name."""
        ...

    @property
    def controller_kind(self) -> str:
        """Kind of its controller, empty when unknown."""
        ...

    @property
    def controller(self) -> str:
        """Name of its controller, empty when unknown."""
        ...


@dataclass(frozen=True, slots=True, order=True)
class Resource:
    """One object an Application manages. An empty namespace stands for the destination's."""

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """What an application owns: pods of the controllers it lists, or its whole deployment namespace.

    `resources` None means the list is not known: namespace scope. A list, even an empty one, means application scope.
    `foreign` are resources that another, older Application lists too: they count there.
    """

    destination_namespace: str
    resources: tuple[Resource, ...] | None
    foreign: frozenset[tuple[str, str, str]] = frozenset()
    _owners: dict[str, list[tuple[str, str]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        owners: dict[str, list[tuple[str, str]]] = {}
        for namespace, kind, name in self.claims():
            if (namespace, kind, name) not in self.foreign:
                owners.setdefault(namespace, []).append((kind, name))
        object.__setattr__(self, "_owners", owners)

    @property
    def scope(self) -> str:
        """`application` or `namespace`."""
        return "namespace" if self.resources is None else "application"

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces that can hold its pods, sorted."""
        if self.resources is None:
            return (self.destination_namespace,) if self.destination_namespace else ()
        return tuple(sorted({namespace for namespace, _, _ in self.claims()}))

    def claims(self) -> Iterable[tuple[str, str, str]]:
        """Yield (namespace, kind in lower case, name) of each listed resource that could own pods."""
        for resource in self.resources or ():
            namespace = resource.namespace or self.destination_namespace
            if namespace:
                yield namespace, resource.kind.lower(), resource.name

    def owns(self, pod: Pod) -> bool:
        """Whether `pod` is its own."""
        if self.resources is None:
            return pod.namespace == self.destination_namespace
        return any(owns_pod(kind, name, pod) for kind, name in self._owners.get(pod.namespace, ()))

    def custom_kinds(self) -> tuple[str, ...]:
        """Return `group/Kind` of listed objects whose pods, if any, an operator makes and therefore cannot be told apart."""
        listed = self.resources or ()
        return tuple(sorted({f"{one.group}/{one.kind}" for one in listed if _is_custom(one)}))


def owns_pod(kind: str, name: str, pod: Pod) -> bool:
    """Whether the resource `kind` (lower case) `name` owns `pod` of its namespace.

    A CronJob owns its Jobs' pods (OpenCost names them kind job, CronJob's name), a Job also matches its name without a
    numeric ending, a Rollout its ReplicaSets' pods. Without a controller the shape of generated pod names decides, never a prefix.
    """
    if not pod.controller:
        return _has_shape(kind, name, pod.pod)
    owner_kind = pod.controller_kind.lower()
    if kind == owner_kind and name == pod.controller:
        return True
    if kind == "cronjob":
        return owner_kind == "job" and _JOB_NUMBER.sub("", pod.controller) == name
    if kind == "job":
        return owner_kind == "job" and _JOB_NUMBER.sub("", name) == pod.controller and _made_by(name, pod.pod)
    if kind == "rollout":
        return (
            owner_kind in {"rollout", "replicaset"}
            and re.fullmatch(f"{re.escape(name)}-{_HASH}", pod.controller) is not None
        )
    return False


def _made_by(job: str, pod: str) -> bool:
    return pod.startswith(f"{job}-")


def _has_shape(kind: str, name: str, pod: str) -> bool:
    shape = _SHAPES.get(kind)
    return shape is not None and re.fullmatch(re.escape(name) + shape, pod) is not None


def _is_custom(resource: Resource) -> bool:
    group = resource.group
    return (
        group not in _PODLESS_GROUPS
        and not group.endswith(".k8s.io")
        and group not in {"policy", "autoscaling", "extensions"}
    )
