"""What `/assets` lists in a window, and the nodes' side of the idle row."""

from collections.abc import Iterator

from local.standin.asset import Asset
from local.standin.disk import disk_assets, local_disk_asset
from local.standin.machine import node_asset, observed_nodes
from local.standin.model import LoadBalancer, Source
from local.standin.row import Identity, Row
from local.standin.sampling import RESOLUTION_SECONDS
from local.standin.view import View


def assets(view: View) -> Iterator[Asset]:
    """Nodes with their disks, the control plane, load balancers, volumes."""
    model = view.index.model
    for seen in observed_nodes(view):
        yield node_asset(seen, view)
        if seen.node.local_disk_bytes and seen.has_size:
            yield local_disk_asset(seen, view)
    if view.version.control_plane_asset:
        yield from _control_plane(view)
    for balancer in model.load_balancers:
        yield from _load_balancer(balancer, view)
    for volume in model.volumes:
        yield from disk_assets(volume, view)


def node_rows(view: View) -> list[Row]:
    """Give what the nodes cost after their discount."""
    cluster = view.index.model.cluster_id
    return [
        Row(
            identity=Identity(cluster=cluster),
            start=seen.start,
            end=seen.end,
            cpu_cost=seen.cpu_cost * (1 - seen.node.discount),
            ram_cost=seen.ram_cost * (1 - seen.node.discount),
            gpu_cost=seen.gpu_cost,
        )
        for seen in observed_nodes(view)
    ]


def _control_plane(view: View) -> Iterator[Asset]:
    """List the control plane: from end to end of the window, at the cost of the minutes its metric was seen."""
    model = view.index.model
    span = view.span(view.series(model.observed_from_seconds, None, Source.OPENCOST))
    if span is None:
        return
    yield Asset(
        kind="ClusterManagement",
        cluster=model.cluster_id,
        provider=model.provider,
        start=view.window.start,
        end=view.window.end,
        labels={},
        fields={"totalCost": model.control_plane_hourly_price * (span[1] - span[0]) / 3600},
    )


def _load_balancer(balancer: LoadBalancer, view: View) -> Iterator[Asset]:
    """List a load balancer; the old version charges one resolution too much here too (trap T31)."""
    span = view.span(view.series(balancer.start_seconds, balancer.end_seconds, Source.OPENCOST))
    if span is None:
        return
    charged_seconds = span[1] - span[0]
    if view.version.load_balancer_asset_excess:
        charged_seconds += RESOLUTION_SECONDS
    yield Asset(
        kind="LoadBalancer",
        cluster=view.index.model.cluster_id,
        provider=view.index.model.provider,
        name=f"{balancer.namespace}/{balancer.service}",
        provider_id=balancer.ip,
        start=span[0],
        end=span[1],
        labels={},
        fields={
            "adjustment": 0.0,
            "totalCost": balancer.hourly_price * charged_seconds / 3600,
            "private": False,
            "ip": balancer.ip,
        },
    )
