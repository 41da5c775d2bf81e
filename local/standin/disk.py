"""Disks as assets: persistent volumes, and the root disks of nodes at OpenCost's invented price."""

from collections.abc import Iterator
from dataclasses import dataclass

from local.standin.asset import IDLE_BREAKDOWN, Asset, Json
from local.standin.machine import ObservedNode
from local.standin.model import BYTES_PER_GIB, Source, Volume
from local.standin.sampling import is_sampled
from local.standin.view import View

LOCAL_DISK_GIB_HOURLY_PRICE = 0.04 / 730


@dataclass(frozen=True, slots=True, kw_only=True)
class _Disk:
    """What a Disk asset is made of; `claim` is (namespace, name)."""

    name: str = ""
    provider_id: str = ""
    start: float
    end: float
    capacity_bytes: float = 0.0
    gib_hourly_price: float = 0.0
    used_bytes: float | None = None
    storage_class: str = ""
    claim: tuple[str, str] = ("", "")
    is_local: bool = False

    def asset(self, view: View) -> Asset:
        """Give the asset; its size is null when it was observed for no time at all."""
        hours = (self.end - self.start) / 3600
        byte_hours = self.capacity_bytes * hours
        is_used = self.used_bytes is not None
        return Asset(
            kind="Disk",
            cluster=view.index.model.cluster_id,
            provider=view.index.model.provider,
            name=self.name,
            provider_id=self.provider_id,
            start=self.start,
            end=self.end,
            labels={},
            fields={
                "byteHours": byte_hours,
                "bytes": float(self.capacity_bytes) if hours else None,
                "byteHoursUsed": (self.used_bytes or 0.0) * hours if is_used else None,
                "byteUsageMax": float(self.used_bytes or 0.0) if is_used else None,
                "breakdown": IDLE_BREAKDOWN,
                "adjustment": 0.0,
                "totalCost": byte_hours / BYTES_PER_GIB * self.gib_hourly_price,
                "storageClass": self.storage_class,
                **self._claim_fields(view),
            },
        )

    def _claim_fields(self, view: View) -> Json:
        namespace, claim = self.claim
        return {
            "volumeName": self.name if claim else "",
            "claimName": claim,
            **({"local": float(self.is_local)} if view.version.local_disk_flag else {}),
            "claimNamespace": namespace,
        }


def disk_assets(volume: Volume, view: View) -> Iterator[Asset]:
    """Give the Disk of a volume; with kube-state-metrics lost an empty one and a nameless one for its use (T43)."""
    span = view.span(view.series(volume.start_seconds, volume.end_seconds, Source.KUBE_STATE_METRICS))
    is_priced = _is_seen(volume, view, Source.OPENCOST)
    used_bytes = volume.used_bytes if _is_seen(volume, view, Source.EVERYTHING) else None
    if span:
        yield _Disk(
            name=volume.name,
            provider_id=volume.provider_id if is_priced else volume.name,
            start=span[0],
            end=span[1],
            capacity_bytes=volume.capacity_bytes,
            gib_hourly_price=volume.gib_hourly_price if is_priced else 0.0,
            used_bytes=used_bytes,
            storage_class=volume.storage_class if is_priced else "",
            claim=(volume.namespace, volume.claim),
        ).asset(view)
        return
    if is_priced:
        yield from _disks_without_size(volume, view, used_bytes)


def _disks_without_size(volume: Volume, view: View, used_bytes: float | None) -> Iterator[Asset]:
    start = view.window.start
    known = _Disk(
        name=volume.name,
        provider_id=volume.provider_id,
        start=start,
        end=start,
        storage_class=volume.storage_class,
    )
    yield known.asset(view)
    if used_bytes is not None:
        yield _Disk(start=start, end=start, used_bytes=used_bytes).asset(view)


def _is_seen(volume: Volume, view: View, source: Source) -> bool:
    return is_sampled(view.series(volume.start_seconds, volume.end_seconds, source), view.window)


def local_disk_asset(seen: ObservedNode, view: View) -> Asset:
    """Give the root disk of a node: named like it, in no allocation."""
    return _Disk(
        name=seen.node.name,
        provider_id=seen.node.provider_id,
        start=seen.start,
        end=seen.end,
        capacity_bytes=seen.node.local_disk_bytes,
        gib_hourly_price=LOCAL_DISK_GIB_HOURLY_PRICE,
        storage_class="__local__",
        is_local=True,
    ).asset(view)
