"""What a cluster is, was and will be: the truth an OpenCost stand-in derives its answers from.

Every moment is a whole number of seconds since 1970-01-01T00:00:00Z (`epoch_seconds` makes one from RFC 3339 text);
`end_seconds` is None for what still runs. CPU is in cores, memory and disks in bytes, prices per hour in the cluster's
currency. A model is immutable; it may reach into the future, a stand-in shows of it what its clock has passed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from local.standin.usage import SteadyUsage, Usage

BYTES_PER_GIB = 1024**3


def epoch_seconds(moment: str | datetime) -> int:
    """Whole seconds since 1970 of RFC 3339 text such as `2026-11-28T10:17:00Z`, or of an aware datetime."""
    parsed = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return int(parsed.timestamp())


@lru_cache(maxsize=4096)
def rfc3339(moment_seconds: float) -> str:
    """Give the moment in UTC with whole seconds, fractions cut off: `2026-11-28T10:17:00Z`."""
    return datetime.fromtimestamp(int(moment_seconds), tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Source(StrEnum):
    """Who feeds Prometheus. Losing one blinds OpenCost in its own way (traps T42 to T44).

    EVERYTHING also stands for what none of the others feeds (the kubelet's volume statistics).
    """

    EVERYTHING = "everything"
    KUBE_STATE_METRICS = "kube-state-metrics"
    OPENCOST = "opencost"
    CADVISOR = "cadvisor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """No samples of `lost` in [start, end)."""

    lost: Source
    start_seconds: int
    end_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceStep:
    """From `start_seconds` on, until the next step, the node costs `factor` times its list price."""

    start_seconds: int
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A machine. `discount` is a fraction of CPU and memory; `local_disk_bytes` 0 means its disk is not listed."""

    name: str
    start_seconds: int
    end_seconds: int | None = None
    cpu_cores: float
    ram_bytes: float
    allocatable_cpu_cores: float
    allocatable_ram_bytes: float
    cpu_core_hourly_price: float
    ram_gib_hourly_price: float
    gpus: int = 0
    gpu_hourly_price: float = 0.0
    discount: float = 0.0
    price_steps: tuple[PriceStep, ...] = ()
    spot: bool = False
    instance_type: str = ""
    provider_id: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    local_disk_bytes: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container of a pod: requests, limits (0 = none) and what it truly uses."""

    name: str
    cpu_request_cores: float = 0.0
    ram_request_bytes: float = 0.0
    cpu_limit_cores: float = 0.0
    ram_limit_bytes: float = 0.0
    gpus: float = 0.0
    usage: Usage = field(default_factory=SteadyUsage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A pod's owner reference. `parent_kind` is the kind that owns a ReplicaSet ("" = nobody)."""

    kind: str
    name: str
    parent_kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Bytes an hour of the whole pod; `internet_bytes` is the part of `transmitted_bytes` that is charged."""

    transmitted_bytes: float = 0.0
    received_bytes: float = 0.0
    internet_bytes: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashLoop:
    """The pod's containers run `run_seconds` of every `period_seconds`, beginning with its start."""

    run_seconds: int
    period_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod that exists in [start, end). `claims` names the persistent volume claims it mounts, of its namespace."""

    namespace: str
    name: str
    node: str
    start_seconds: int
    end_seconds: int | None = None
    containers: tuple[Container, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    owner: Owner | None = None
    claims: tuple[str, ...] = ()
    traffic: Traffic = field(default_factory=Traffic)
    crash_loop: CrashLoop | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A Deployment or StatefulSet: OpenCost finds its pods by `selector`, not by owner references."""

    kind: str
    namespace: str
    name: str
    selector: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A Kubernetes Service with its pod selector."""

    namespace: str
    name: str
    selector: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """A persistent volume; `claim` is "" when nobody claims it, `used_bytes` None when the kubelet never saw it."""

    name: str
    namespace: str = ""
    claim: str = ""
    capacity_bytes: float
    gib_hourly_price: float
    used_bytes: float | None = None
    storage_class: str = "gp3"
    provider_id: str = ""
    start_seconds: int
    end_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadBalancer:
    """The load balancer of a Service; its cost is spread over the pods the Service selects."""

    namespace: str
    service: str
    ip: str
    hourly_price: float
    start_seconds: int
    end_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterModel:
    """A whole cluster. `namespaces` maps each namespace to its labels.

    Samples exist from `observed_from_seconds` (the install) to `observed_until_seconds`; None means to the clock's now,
    as in life. A recorded history that reaches beyond the asking clock sets it.
    """

    cluster_id: str
    provider: str = "custom"
    region: str = ""
    provisioner: str = ""
    nodes: tuple[Node, ...] = ()
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    pods: tuple[Pod, ...] = ()
    workloads: tuple[Workload, ...] = ()
    services: tuple[Service, ...] = ()
    volumes: tuple[Volume, ...] = ()
    load_balancers: tuple[LoadBalancer, ...] = ()
    outages: tuple[Outage, ...] = ()
    control_plane_hourly_price: float = 0.0
    internet_egress_gib_price: float = 0.0
    observed_from_seconds: int = 0
    observed_until_seconds: int | None = None
