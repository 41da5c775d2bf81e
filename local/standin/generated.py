"""A cluster of any size, for measuring: the same Deployment in many namespaces."""

from local.standin.model import BYTES_PER_GIB, ClusterModel, Container, Node, Owner, Pod, Traffic, Workload
from local.standin.usage import SteadyUsage

_CONTAINERS_PER_POD = 2
_PODS_PER_WORKLOAD = 10
_PODS_PER_NODE = 50
_BYTES_PER_MIB = 1024**2


def generated_cluster(
    *, containers: int, namespaces: int, start_seconds: int = 0, cluster_id: str = "large"
) -> ClusterModel:
    """Make a cluster in which `containers` containers (two a pod) run since `start_seconds`, spread over `namespaces`.

    Raises:
        ValueError: less than one container or namespace.
    """
    if containers < 1 or namespaces < 1:
        raise ValueError(f"containers, namespaces: expected at least 1, got {containers}, {namespaces}")
    pods = -(-containers // _CONTAINERS_PER_POD)
    names = [f"team-{number:04d}" for number in range(namespaces)]
    workloads = -(-pods // (_PODS_PER_WORKLOAD * namespaces))
    nodes = -(-pods // _PODS_PER_NODE)
    return ClusterModel(
        cluster_id=cluster_id,
        nodes=tuple(_node(number, start_seconds) for number in range(nodes)),
        namespaces={name: {"team": name} for name in names},
        pods=tuple(_pod(number, names[number % namespaces], containers, start_seconds) for number in range(pods)),
        workloads=tuple(_workload(name, number) for name in names for number in range(workloads)),
        control_plane_hourly_price=0.10,
        observed_from_seconds=start_seconds,
    )


def _node(number: int, start_seconds: int) -> Node:
    return Node(
        name=f"node-{number:05d}",
        start_seconds=start_seconds,
        cpu_cores=16,
        ram_bytes=64 * BYTES_PER_GIB,
        allocatable_cpu_cores=15.8,
        allocatable_ram_bytes=62 * BYTES_PER_GIB,
        cpu_core_hourly_price=0.0316,
        ram_gib_hourly_price=0.0042,
        instance_type="m6i.4xlarge",
        provider_id=f"i-{number:017x}",
        labels={"node.kubernetes.io/instance-type": "m6i.4xlarge"},
    )


def _pod(number: int, namespace: str, containers: int, start_seconds: int) -> Pod:
    in_namespace = number // _PODS_PER_WORKLOAD
    count = min(_CONTAINERS_PER_POD, containers - number * _CONTAINERS_PER_POD)
    return Pod(
        namespace=namespace,
        name=f"app-{number:06d}",
        node=f"node-{number // _PODS_PER_NODE:05d}",
        start_seconds=start_seconds,
        containers=tuple(_container(part, number) for part in range(count)),
        labels={"app": f"app-{in_namespace}"},
        owner=Owner(kind="ReplicaSet", name=f"app-{in_namespace}-5c9d8f7b6d", parent_kind="Deployment"),
        traffic=Traffic(transmitted_bytes=0.01 * BYTES_PER_GIB, received_bytes=0.02 * BYTES_PER_GIB),
    )


def _container(part: int, number: int) -> Container:
    return Container(
        name="app" if part == 0 else "proxy",
        cpu_request_cores=0.1,
        ram_request_bytes=128 * _BYTES_PER_MIB,
        usage=SteadyUsage(0.02 + number % 17 / 200, (64 + number % 90) * _BYTES_PER_MIB),
    )


def _workload(namespace: str, number: int) -> Workload:
    return Workload(kind="Deployment", namespace=namespace, name=f"app-{number}", selector={"app": f"app-{number}"})
