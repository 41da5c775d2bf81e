"""Volumes in allocation rows: shared by the pods that mount them, else on rows of their own (trap T11)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from local.standin.model import BYTES_PER_GIB, Source, Volume
from local.standin.row import UNMOUNTED, Identity, Row, VolumeShare
from local.standin.sampling import is_sampled
from local.standin.view import View

PodKey = tuple[str, str]
Span = tuple[float, float]

# OpenCost reads its clock once for pods and, this much later, once for volumes (measured): in a running window every
# mounted volume is left over for a moment, and that moment makes a row which spans the window.
CLOCK_LAG_SECONDS = 0.32


@dataclass(slots=True)
class UnattachedRows:
    """Rows of what no pod carries; they span the whole window, a future end included."""

    view: View
    rows: dict[str, Row] = field(default_factory=dict)

    def of_cluster(self) -> Row:
        """Give the row `__unmounted__` of what belongs to no namespace."""
        return self._row(UNMOUNTED, UNMOUNTED)

    def of_namespace(self, namespace: str) -> Row:
        """Give the row `NAMESPACE-unmounted-pvcs`."""
        return self._row(namespace, f"{namespace}-unmounted-pvcs")

    def _row(self, namespace: str, pod: str) -> Row:
        if namespace not in self.rows:
            identity = Identity(
                cluster=self.view.index.model.cluster_id, namespace=namespace, pod=pod, container=UNMOUNTED
            )
            window = self.view.window
            self.rows[namespace] = Row(identity=identity, start=window.start, end=window.end)
        return self.rows[namespace]


def add_volumes(view: View, rows_by_pod: Mapping[PodKey, Sequence[Row]], unattached: UnattachedRows) -> None:
    """Give every volume's cost to the rows of the pods that mount it, the rest of its time to unattached rows."""
    mounts = _mounting_pods(view) if view.index.model.volumes else {}
    for volume in view.index.model.volumes:
        _add_volume(volume, view, _rows_mounting(volume, mounts, rows_by_pod), unattached)


def _add_volume(
    volume: Volume, view: View, mounted: Mapping[PodKey, Sequence[Row]], unattached: UnattachedRows
) -> None:
    span = _span(volume, view)
    priced = is_sampled(view.series(volume.start_seconds, volume.end_seconds, Source.OPENCOST), view.window)
    name = f"cluster={view.index.model.cluster_id}:name={volume.name}"
    if span is None:
        if priced:  # only its price is known: listed, with nothing in it (measured, trap T43)
            unattached.of_cluster().add_volume(name, VolumeShare(byte_hours=0, cost=0, provider_id=""))
        return
    price = volume.gib_hourly_price if priced else 0.0
    seconds = mounted_seconds(span, {pod: (rows[0].start, rows[0].end) for pod, rows in mounted.items()})
    for pod, rows in mounted.items():
        for row in rows:
            share = _share(volume, seconds[pod] / len(rows), price, provider_id=volume.provider_id)
            row.add_volume(name, share)
    rest = (span[1] - span[0]) - sum(seconds.values())
    if rest > 0:
        row = unattached.of_namespace(volume.namespace) if volume.claim else unattached.of_cluster()
        row.add_volume(name, _share(volume, rest, price, provider_id=""))


def _span(volume: Volume, view: View) -> Span | None:
    span = view.span(view.series(volume.start_seconds, volume.end_seconds, Source.KUBE_STATE_METRICS))
    if span is None or span[1] != view.now:
        return span
    return (span[0], view.now + CLOCK_LAG_SECONDS)


def _share(volume: Volume, seconds: float, price: float, *, provider_id: str) -> VolumeShare:
    byte_hours = volume.capacity_bytes * seconds / 3600
    return VolumeShare(byte_hours=byte_hours, cost=byte_hours / BYTES_PER_GIB * price, provider_id=provider_id)


def _mounting_pods(view: View) -> dict[tuple[str, str], list[PodKey]]:
    """Pods by (namespace, claim); who mounts what is OpenCost's own metric, lost with it (trap T42)."""
    found: dict[tuple[str, str], list[PodKey]] = {}
    for same_name in view.index.pods:
        pod = same_name[-1].pod
        if not pod.claims or not any(
            _mount_is_seen(view, known.pod.start_seconds, known.pod.end_seconds) for known in same_name
        ):
            continue
        for claim in pod.claims:
            found.setdefault((pod.namespace, claim), []).append((pod.namespace, pod.name))
    return found


def _mount_is_seen(view: View, start: int, end: int | None) -> bool:
    return is_sampled(view.series(start, end, Source.OPENCOST), view.window)


def _rows_mounting(
    volume: Volume,
    mounts: Mapping[tuple[str, str], Iterable[PodKey]],
    rows_by_pod: Mapping[PodKey, Sequence[Row]],
) -> dict[PodKey, Sequence[Row]]:
    pods = mounts.get((volume.namespace, volume.claim), ()) if volume.claim else ()
    return {pod: rows_by_pod[pod] for pod in pods if pod in rows_by_pod}


def mounted_seconds(volume: Span, pods: Mapping[PodKey, Span]) -> dict[PodKey, float]:
    """How much of the volume's time falls to each pod; pods that mount it at once share that time evenly."""
    seconds = dict.fromkeys(pods, 0.0)
    edges = sorted({edge for span in (volume, *pods.values()) for edge in span if volume[0] <= edge <= volume[1]})
    for start, end in pairwise(edges):
        holders = [pod for pod, span in pods.items() if span[0] <= start and end <= span[1]]
        for pod in holders:
            seconds[pod] += (end - start) / len(holders)
    return seconds
