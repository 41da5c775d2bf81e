"""One asset and how `/assets` writes it: an object keyed by a path, numbers with exactly six decimals."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local.standin.filter import Reader
from local.standin.model import rfc3339
from local.standin.sampling import Window

Json = dict[str, Any]
UNDEFINED = "__undefined__"
IDLE_BREAKDOWN = {"idle": 1, "other": 0, "system": 0, "user": 0}
_CATEGORIES = {"Node": "Compute", "Disk": "Storage", "LoadBalancer": "Network", "ClusterManagement": "Management"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """An asset observed from `start` to `end` (seconds since 1970); `fields` follow its minutes when written."""

    kind: str
    cluster: str
    provider: str
    name: str = ""
    provider_id: str = ""
    start: float
    end: float
    labels: Mapping[str, str] | None
    fields: Json

    @property
    def category(self) -> str:
        """Compute, Storage, Network or Management."""
        return _CATEGORIES[self.kind]

    @property
    def key(self) -> str:
        """provider/account/project/category/cluster/type/service/providerID/name."""
        parts = (
            self.provider,
            "",
            "",
            self.category,
            self.cluster,
            self.kind,
            "Kubernetes",
            self.provider_id,
            self.name,
        )
        return "/".join(part or UNDEFINED for part in parts)

    def read(self, field: str, key: str | None) -> str | None:
        """Read the filter's fields; the type is compared in lower case (trap T8)."""
        if field == "label":
            return (self.labels or {}).get(key or "", "")
        return {
            "assetType": self.kind.lower(),
            "name": self.name,
            "category": self.category,
            "cluster": self.cluster,
            "provider": self.provider,
            "providerID": self.provider_id,
            "service": "Kubernetes",
        }.get(field, "")


def reader(asset: Asset) -> Reader:
    """Read the filter's fields off an asset."""
    return asset.read


def rendered_assets(assets: Mapping[str, Asset], window: Window) -> str:
    """Write the `data` object as JSON text."""
    members = (f"{json.dumps(key)}:{_rendered(assets[key], window)}" for key in sorted(assets))
    return "{" + ",".join(members) + "}"


def _rendered(asset: Asset, window: Window) -> str:
    properties = {
        "category": asset.category,
        "provider": asset.provider,
        "service": "Kubernetes",
        "cluster": asset.cluster,
        "name": asset.name,
        "providerID": asset.provider_id,
    }
    body: Json = {
        "type": asset.kind,
        "properties": {key: value for key, value in properties.items() if value},
        "labels": asset.labels,
        "window": {"start": rfc3339(window.start), "end": rfc3339(window.end)},
        "start": rfc3339(asset.start),
        "end": rfc3339(asset.end),
        "minutes": (asset.end - asset.start) / 60,
        **asset.fields,
    }
    return "{" + ",".join(f"{json.dumps(key)}:{_number_or_json(value)}" for key, value in body.items()) + "}"


def _number_or_json(value: object) -> str:
    return f"{value:.6f}" if isinstance(value, float) else json.dumps(value, separators=(",", ":"))
