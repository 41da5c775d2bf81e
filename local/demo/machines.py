"""Nodes, volumes and load balancers of the demo cluster."""

from collections.abc import Iterable

from local.demo.workload import DemoWorkload
from local.standin import BYTES_PER_GIB, LoadBalancer, Node, PriceStep, Volume

_DAY_SECONDS = 86400
_GIB_HOURLY_PRICE = 0.10 / 730
_LOCAL_DISK_GIB = 80


def demo_nodes(start: int, now: int) -> tuple[Node, ...]:
    """Four on-demand nodes, a spot node that grew dearer, one that lived for three days, and a GPU node."""
    general = tuple(_node(f"node-{letter}", start, "m6i.xlarge") for letter in "abcd")
    midnight = now // _DAY_SECONDS * _DAY_SECONDS
    dearer_since, gpu_since = midnight - 7 * _DAY_SECONDS, midnight - 20 * _DAY_SECONDS
    burst = (midnight - 9 * _DAY_SECONDS, midnight - 6 * _DAY_SECONDS)
    return (
        *general,
        _node("node-spot", start, "m6i.2xlarge", is_spot=True, dearer_since=dearer_since),
        _node("node-burst", burst[0], "m6i.2xlarge", end=burst[1], is_spot=True),
        _node("node-gpu", gpu_since, "g4dn.xlarge", gpus=1),
    )


def _node(  # noqa: PLR0913 - what tells the demo's nodes apart, all by name
    name: str,
    start: int,
    instance_type: str,
    *,
    end: int | None = None,
    is_spot: bool = False,
    gpus: int = 0,
    dearer_since: int | None = None,
) -> Node:
    size = 2 if instance_type.endswith("2xlarge") else 1
    return Node(
        name=name,
        start_seconds=start,
        end_seconds=end,
        cpu_cores=4 * size,
        ram_bytes=16 * size * BYTES_PER_GIB,
        allocatable_cpu_cores=4 * size - 0.08,
        allocatable_ram_bytes=(16 * size - 1.2) * BYTES_PER_GIB,
        cpu_core_hourly_price=0.0101 if is_spot else 0.0316,
        ram_gib_hourly_price=0.0013 if is_spot else 0.0042,
        gpus=gpus,
        gpu_hourly_price=0.526 if gpus else 0.0,
        price_steps=(PriceStep(start_seconds=dearer_since, factor=1.4),) if dearer_since else (),
        spot=is_spot,
        instance_type=instance_type,
        provider_id=f"i-{name}",
        labels={
            "eks.amazonaws.com/nodegroup": "spot" if is_spot else "main",
            "kubernetes.io/arch": "amd64",
            "node.kubernetes.io/instance-type": instance_type,
            "topology.kubernetes.io/region": "eu-west-1",
        },
        local_disk_bytes=_LOCAL_DISK_GIB * BYTES_PER_GIB,
    )


def nodes_for(workload: DemoWorkload, nodes: Iterable[Node]) -> list[Node]:
    """Choose the nodes a workload may run on."""
    if workload.pool == "every":
        return list(nodes)
    if workload.pool == "gpu":
        return [node for node in nodes if node.gpus]
    if workload.pool == "spot":
        return [node for node in nodes if node.spot and node.end_seconds is None]
    return [node for node in nodes if not node.spot and not node.gpus]


def claimed_volumes(namespace: str, workload: DemoWorkload, start: int) -> list[Volume]:
    """List the volumes of a StatefulSet's claims."""
    names = [f"data-{workload.name}-{replica}" for replica in range(workload.replicas if workload.claim_gib else 0)]
    return [volume(name, workload.claim_gib, start, namespace=namespace, used_share=0.4) for name in names]


def volume(claim: str, gib: float, start: int, *, namespace: str, used_share: float | None = None) -> Volume:
    """Make a claimed volume; `used_share` None is one that no pod mounts."""
    capacity_bytes = gib * BYTES_PER_GIB
    return Volume(
        name=f"pv-{namespace}-{claim}",
        namespace=namespace,
        claim=claim,
        capacity_bytes=capacity_bytes,
        gib_hourly_price=_GIB_HOURLY_PRICE,
        used_bytes=None if used_share is None else used_share * capacity_bytes,
        provider_id=f"vol-{namespace}-{claim}",
        start_seconds=start,
    )


def released_volume(start: int) -> Volume:
    """Make the volume whose claim is long gone."""
    return Volume(
        name="pv-released",
        capacity_bytes=30 * BYTES_PER_GIB,
        gib_hourly_price=_GIB_HOURLY_PRICE,
        provider_id="vol-released",
        start_seconds=start,
    )


def load_balancer(namespace: str, service: str, start: int) -> LoadBalancer:
    """Make the load balancer of a Service."""
    return LoadBalancer(
        namespace=namespace, service=service, ip="203.0.113.10", hourly_price=0.025, start_seconds=start
    )
