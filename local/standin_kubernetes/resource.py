"""The kinds of objects the stand-in has, and where the API server's paths lead."""

import re
from dataclasses import dataclass
from urllib.parse import unquote


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One kind of object. `is_custom`: defined by a CRD, whose lists are written with sorted keys."""

    group: str
    version: str
    plural: str
    kind: str
    is_namespaced: bool = True
    is_custom: bool = False

    @property
    def api_version(self) -> str:
        """As it stands in objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def full_name(self) -> str:
        """As error messages name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


RESOURCES = {
    resource.plural: resource
    for resource in (
        Resource(group="argoproj.io", version="v1alpha1", plural="applications", kind="Application", is_custom=True),
        Resource(group="", version="v1", plural="namespaces", kind="Namespace", is_namespaced=False),
        Resource(
            group="autoscaling.k8s.io",
            version="v1",
            plural="verticalpodautoscalers",
            kind="VerticalPodAutoscaler",
            is_custom=True,
        ),
        Resource(group="autoscaling", version="v2", plural="horizontalpodautoscalers", kind="HorizontalPodAutoscaler"),
    )
}

_OBJECTS = re.compile(
    r"/(?:api|apis/(?P<group>[^/]+))/(?P<version>[^/]+)"
    r"(?:/namespaces/(?P<namespace>[^/]+))?/(?P<plural>[a-z]+)(?:/(?P<name>[^/]+))?"
)
_PROXY = re.compile(r"/api/v1/namespaces/(?P<namespace>[^/]+)/services/(?P<service>[^/]+)/proxy(?P<rest>/.*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPath:
    """A path to a list (`name` empty) or to one object; `namespace` is empty for all of them."""

    resource: Resource
    namespace: str
    name: str

    @property
    def verb(self) -> str:
        """What RBAC calls reading it."""
        return "get" if self.name else "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyPath:
    """A path through the service proxy; `segment` names the service as the caller wrote it, `rest` is empty without a slash."""

    namespace: str
    segment: str
    rest: str

    @property
    def service(self) -> str:
        """The service's own name: the segment without scheme and port."""
        parts = self.segment.split(":")
        return parts[1] if len(parts) == 3 else parts[0]


def object_path(path: str) -> ObjectPath | None:
    """Read a path to objects; None for one that leads to none of ours."""
    match = _OBJECTS.fullmatch(path)
    resource = RESOURCES.get(match["plural"]) if match else None
    if match is None or resource is None:
        return None
    if (match["group"] or "", match["version"]) != (resource.group, resource.version):
        return None
    if match["namespace"] and not resource.is_namespaced:
        return None
    return ObjectPath(resource=resource, namespace=unquote(match["namespace"] or ""), name=unquote(match["name"] or ""))


def proxy_path(path: str) -> ProxyPath | None:
    """Read a path through the service proxy; None for any other."""
    match = _PROXY.fullmatch(path)
    if match is None:
        return None
    return ProxyPath(namespace=match["namespace"], segment=unquote(match["service"]), rest=match["rest"] or "")
