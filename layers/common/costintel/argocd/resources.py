"""The resources a notification lists: which of them could own pods."""

import re
from collections.abc import Mapping
from functools import lru_cache

from costintel.argocd.payload import NO_VALUE
from costintel.cost.ownership import Resource
from costintel.errors import InvalidInput

_CORE = frozenset({""})
_NETWORKING = frozenset({"", "networking.k8s.io", "extensions"})
_RBAC = frozenset({"", "rbac.authorization.k8s.io"})

PODLESS_KINDS: Mapping[str, frozenset[str]] = {
    "ConfigMap": _CORE,
    "Secret": _CORE,
    "Service": _CORE,
    "ServiceAccount": _CORE,
    "PersistentVolumeClaim": _CORE,
    "Namespace": _CORE,
    "Ingress": _NETWORKING,
    "NetworkPolicy": _NETWORKING,
    "Role": _RBAC,
    "RoleBinding": _RBAC,
    "ClusterRole": _RBAC,
    "ClusterRoleBinding": _RBAC,
    "CustomResourceDefinition": frozenset({"", "apiextensions.k8s.io"}),
    "PodDisruptionBudget": frozenset({"", "policy"}),
    "HorizontalPodAutoscaler": frozenset({"", "autoscaling"}),
}
"""Kinds that can never own pods, in the groups that define them: another group's `Service` may be a workload.

Our notifications template leaves out the same kinds. A group left empty by the template counts as the usual one.
"""

_KIND = re.compile(r"[A-Za-z][A-Za-z0-9]{0,62}")
_GROUP = re.compile(r"[A-Za-z0-9]?[-A-Za-z0-9.]{0,252}")
_LABEL = re.compile(r"(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)?")
_NAME = re.compile(r"[^\s/\x00-\x1f\x7f\ud800-\udfff]{1,253}")
"""RBAC names hold colons and capitals, so only what no object can be called is refused."""


def is_namespace(text: str) -> bool:
    """Whether `text` is a DNS label, or empty."""
    return _LABEL.fullmatch(text) is not None


def read_resources(value: object) -> tuple[Resource, ...] | None:
    """Return the listed resources that could own pods; None when the list is not known.

    A list that is not there, or of whose entries none can be read, is not known. An odd entry costs only itself. Hooks and
    resources waiting to be pruned count: they cost money while they exist. Raises InvalidInput for what is no list.
    """
    if value in (None, "", NO_VALUE):
        return None
    if not isinstance(value, list):
        raise InvalidInput("resources", "a list")
    readable = [resource for resource in map(_resource, value) if resource is not None]
    if value and not readable:
        return None
    return tuple(resource for resource in readable if not _is_podless(resource))


def _resource(entry: object) -> Resource | None:
    """Return the resource an entry describes, None for an odd one."""
    if not isinstance(entry, Mapping):
        return None
    group, kind, namespace, name = [_text(entry.get(field)) for field in ("group", "kind", "namespace", "name")]
    is_regular = _is_regular(group, kind, namespace) and _NAME.fullmatch(name)
    return Resource(group, kind, namespace, name) if is_regular else None


def _text(value: object) -> str:
    """Return a text as it is, empty for what a template could not fill in; what is no text becomes what nothing can be called."""
    if isinstance(value, str):
        return "" if value == NO_VALUE else value
    return "" if value is None else "/"


@lru_cache(maxsize=1024)
def _is_regular(group: str, kind: str, namespace: str) -> bool:
    return bool(_GROUP.fullmatch(group) and _KIND.fullmatch(kind)) and is_namespace(namespace)


def _is_podless(resource: Resource) -> bool:
    return resource.group in PODLESS_KINDS.get(resource.kind, ())
