"""The kinds of objects that are listed: where the API server has them, and which right reading them takes."""

from dataclasses import dataclass
from typing import Final

_JSON: Final = "application/json"
_METADATA: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of object, in all namespaces. `accept` is the form asked for."""

    group: str
    version: str
    resource: str
    accept: str = _JSON

    @property
    def path(self) -> str:
        """Path of the list below the API server's address."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/{self.resource}"

    @property
    def rule(self) -> str:
        """The rule a ClusterRole needs, as it stands in its manifest."""
        return f'{{apiGroups: ["{self.group}"], resources: [{self.resource}], verbs: [get, list]}}'


APPLICATIONS: Final = Kind(group="argoproj.io", version="v1alpha1", resource="applications")
# Metadata is all we need of them, and a third of the bytes.
NAMESPACES: Final = Kind(group="", version="v1", resource="namespaces", accept=f"{_METADATA}, {_JSON}")
VPAS: Final = Kind(group="autoscaling.k8s.io", version="v1", resource="verticalpodautoscalers")
HPAS: Final = Kind(group="autoscaling", version="v2", resource="horizontalpodautoscalers")
