"""A cluster model from a recording: `cluster.json` (what the cluster was) and `truth.json` (what happened in it).

Truth gives, per hour and container, what it used; its rate is that over the pod's life in the hour.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from local.standin.model import (
    BYTES_PER_GIB,
    ClusterModel,
    Container,
    CrashLoop,
    LoadBalancer,
    Node,
    Outage,
    Owner,
    Pod,
    PriceStep,
    Service,
    Source,
    Traffic,
    Volume,
    Workload,
    epoch_seconds,
)
from local.standin.usage import SECONDS_PER_HOUR, HourlyUsage

Json = dict[str, Any]
_CLUSTER_ID = "made"
_DAY = 24 * SECONDS_PER_HOUR
_DEARER_FROM = 13 * SECONDS_PER_HOUR + 1800

# Not in cluster.json; every recorded pod shows them.
_BASE_TRANSMITTED_BYTES = 0.01 * BYTES_PER_GIB
_BASE_RECEIVED_BYTES = 0.02 * BYTES_PER_GIB
_USED_OF_MOUNTED_VOLUME_BYTES = 20 * BYTES_PER_GIB
_CRASH_LOOP = CrashLoop(run_seconds=700, period_seconds=2400)
_LOST = {
    "everything": Source.EVERYTHING,
    "kube": Source.KUBE_STATE_METRICS,
    "opencost": Source.OPENCOST,
    "cadvisor": Source.CADVISOR,
}


def recorded_cluster(folder: Path) -> ClusterModel:
    """Load the model of the recording in `folder`."""
    cluster = json.loads((folder / "cluster.json").read_text())
    truth = json.loads((folder / "truth.json").read_text())
    begin = epoch_seconds(cluster["observed_from"])
    return ClusterModel(
        cluster_id=_CLUSTER_ID,
        nodes=tuple(_node(node) for node in cluster["nodes"]),
        namespaces=cluster["namespaces"],
        pods=_pods(cluster, _usage(cluster, truth)),
        workloads=_workloads(cluster),
        services=tuple(Service(**service) for service in cluster["services"]),
        volumes=tuple(_volume(volume, begin) for volume in cluster["volumes"]),
        load_balancers=tuple(LoadBalancer(**balancer, start_seconds=begin) for balancer in cluster["load_balancers"]),
        outages=tuple(_outage(outage) for outage in cluster["outages"]),
        control_plane_hourly_price=cluster["control_plane_hourly_price"],
        internet_egress_gib_price=cluster["internet_egress_gib_price"],
        observed_from_seconds=begin,
        observed_until_seconds=epoch_seconds(cluster["observed_until"]) - 1,
    )


def _usage(cluster: Json, truth: Mapping[str, Json]) -> dict[str, HourlyUsage]:
    """Mean rates while the pod exists, by `namespace/pod/container`."""
    lives: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for pod in cluster["pods"]:
        life = (epoch_seconds(pod["start"]), epoch_seconds(pod["end"]))
        lives[f"{pod['namespace']}/{pod['name']}"].append(life)
    by_container: dict[str, dict[int, tuple[float, float]]] = defaultdict(dict)
    for hour_text, containers in truth.items():
        hour = epoch_seconds(hour_text.replace("Z", ":00:00Z")) // SECONDS_PER_HOUR
        for name, happened in containers.items():
            lived_hours = _lived_hours(lives[name.rsplit("/", 1)[0]], hour)
            cores = happened["cpu_core_hours_used"] / lived_hours
            by_container[name][hour] = (cores, happened["ram_byte_hours_used"] / lived_hours)
    return {name: HourlyUsage(by_hour) for name, by_hour in by_container.items()}


def _lived_hours(lives: Iterable[tuple[int, int]], hour: int) -> float:
    begin, end = hour * SECONDS_PER_HOUR, (hour + 1) * SECONDS_PER_HOUR
    return sum(max(0, min(life[1], end) - max(life[0], begin)) for life in lives) / SECONDS_PER_HOUR


def _node(node: Json) -> Node:
    start, end = epoch_seconds(node["start"]), epoch_seconds(node["end"])
    return Node(
        name=node["name"],
        start_seconds=start,
        end_seconds=end,
        cpu_cores=node["cpu_cores"],
        ram_bytes=node["ram_gib"] * BYTES_PER_GIB,
        allocatable_cpu_cores=node["allocatable_cpu_cores"],
        allocatable_ram_bytes=node["allocatable_ram_gib"] * BYTES_PER_GIB,
        cpu_core_hourly_price=node["cpu_core_hourly_price"],
        ram_gib_hourly_price=node["ram_gib_hourly_price"],
        gpus=node["gpus"],
        gpu_hourly_price=node["gpu_hourly_price"],
        price_steps=_dearer_afternoons(start, end) if node["note"] else (),
        spot=node["spot"],
        instance_type=node["instance_type"],
        provider_id=f"{_CLUSTER_ID}-{node['name']}",
        labels={
            "eks_amazonaws_com_nodegroup": "main",
            "kubernetes_io_arch": "amd64",
            "node_kubernetes_io_instance_type": node["instance_type"],
        },
    )


def _dearer_afternoons(start: int, end: int) -> tuple[PriceStep, ...]:
    """Apply the note of the recording's spot node: both prices 1.4 times as high from 13:30 to 24:00 of each day."""
    midnights = range(start // _DAY * _DAY, end + 1, _DAY)
    return tuple(
        step
        for midnight in midnights
        for step in (
            PriceStep(start_seconds=midnight, factor=1.0),
            PriceStep(start_seconds=midnight + _DEARER_FROM, factor=1.4),
        )
    )


def _pods(cluster: Json, usage: Mapping[str, HourlyUsage]) -> tuple[Pod, ...]:
    rollouts = {(rollout["namespace"], rollout["replicaset"]) for rollout in cluster["rollout_replicasets"]}
    claims = {volume["name"]: volume["claim"] for volume in cluster["volumes"]}
    crash_looping = cluster["crash_loop"].split(" ", 1)[0]
    return tuple(
        Pod(
            namespace=pod["namespace"],
            name=pod["name"],
            node=pod["node"],
            start_seconds=epoch_seconds(pod["start"]),
            end_seconds=epoch_seconds(pod["end"]),
            containers=tuple(_container(pod, container, usage) for container in pod["containers"]),
            labels=pod["labels"],
            owner=_owner(pod, rollouts),
            claims=(claims[pod["volume"]],) if pod["volume"] else (),
            traffic=_traffic(pod["internet_egress_gib_per_hour"] * BYTES_PER_GIB),
            crash_loop=_CRASH_LOOP if f"{pod['namespace']}/{pod['name']}" == crash_looping else None,
        )
        for pod in cluster["pods"]
    )


def _container(pod: Json, container: Json, usage: Mapping[str, HourlyUsage]) -> Container:
    name = f"{pod['namespace']}/{pod['name']}/{container['name']}"
    return Container(
        name=container["name"],
        cpu_request_cores=container["cpu_request_cores"],
        ram_request_bytes=container["ram_request_bytes"],
        gpus=container["gpus"],
        usage=usage.get(name, HourlyUsage({})),
    )


def _owner(pod: Json, rollouts: set[tuple[str, str]]) -> Owner | None:
    if pod["owner_kind"] is None:
        return None
    is_rollout = (pod["namespace"], pod["owner"]) in rollouts
    return Owner(kind=pod["owner_kind"], name=pod["owner"], parent_kind="Rollout" if is_rollout else "Deployment")


def _traffic(internet_bytes: float) -> Traffic:
    return Traffic(
        transmitted_bytes=_BASE_TRANSMITTED_BYTES + internet_bytes,
        received_bytes=_BASE_RECEIVED_BYTES,
        internet_bytes=internet_bytes,
    )


def _workloads(cluster: Json) -> tuple[Workload, ...]:
    deployments = (Workload(kind="Deployment", **workload) for workload in cluster["deployments"])
    return (*deployments, *(Workload(kind="StatefulSet", **workload) for workload in cluster["statefulsets"]))


def _volume(volume: Json, begin: int) -> Volume:
    is_mounted = volume["name"] == "pv-db-0"
    return Volume(
        name=volume["name"],
        namespace=volume["namespace"],
        claim=volume["claim"],
        capacity_bytes=volume["gib"] * BYTES_PER_GIB,
        gib_hourly_price=volume["gib_hourly_price"],
        used_bytes=_USED_OF_MOUNTED_VOLUME_BYTES if is_mounted else None,
        provider_id=f"{_CLUSTER_ID}-{volume['name']}",
        start_seconds=begin,
    )


def _outage(outage: Json) -> Outage:
    word = outage["lost"].lower().replace("'", " ").split()[0].split("-")[0]
    return Outage(
        lost=_LOST[word], start_seconds=epoch_seconds(outage["from"]), end_seconds=epoch_seconds(outage["to"])
    )
