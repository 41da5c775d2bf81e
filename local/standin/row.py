"""An allocation row: one container in one window, or several merged into one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

UNMOUNTED = "__unmounted__"
IDLE = "__idle__"


@dataclass(slots=True, kw_only=True)
class VolumeShare:
    """A row's part of a persistent volume."""

    byte_hours: float
    cost: float
    provider_id: str


@dataclass(slots=True, kw_only=True)
class LoadBalancerShare:
    """A row's part of a load balancer; `service` is `namespace/name`."""

    service: str
    cost: float
    ip: str
    hours: float


@dataclass(slots=True, kw_only=True)
class Identity:
    """What a row belongs to. Merging keeps what is equal on all members; services and labels are lost."""

    cluster: str
    node: str = ""
    namespace: str = ""
    pod: str = ""
    container: str = ""
    controller_kind: str = ""
    controller: str = ""
    provider_id: str = ""
    services: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    namespace_labels: Mapping[str, str] = field(default_factory=dict)

    def common_with(self, other: "Identity") -> "Identity":
        """Give the identity of a merged row."""
        common = Identity(cluster=_same(self.cluster, other.cluster))
        common.node = _same(self.node, other.node)
        common.namespace = _same(self.namespace, other.namespace)
        common.pod = _same(self.pod, other.pod)
        common.container = _same(self.container, other.container)
        common.controller_kind = _same(self.controller_kind, other.controller_kind)
        common.controller = _same(self.controller, other.controller)
        common.provider_id = _same(self.provider_id, other.provider_id)
        if self.namespace == other.namespace:  # the row of unmounted volumes has none of its own
            common.namespace_labels = self.namespace_labels or other.namespace_labels
        return common


def _same(one: str, other: str) -> str:
    return one if one == other else ""


@dataclass(slots=True, kw_only=True)
class Row:
    """Start and end in seconds since 1970; averages over those minutes except CPU usage, which is over the window.

    `has_peaks` while the row is one single container whose use was sampled. `spans_batches`: summed over more than one
    set of 24 hours.
    """

    identity: Identity
    start: float
    end: float
    cpu_request_cores: float = 0.0
    cpu_limit_cores: float = 0.0
    cpu_usage_cores: float = 0.0
    cpu_core_hours: float = 0.0
    cpu_cost: float = 0.0
    gpu_request: float = 0.0
    gpu_hours: float = 0.0
    gpu_cost: float = 0.0
    ram_request_bytes: float = 0.0
    ram_limit_bytes: float = 0.0
    ram_usage_bytes: float = 0.0
    ram_byte_hours: float = 0.0
    ram_cost: float = 0.0
    transmitted_bytes: float = 0.0
    received_bytes: float = 0.0
    network_cost: float = 0.0
    volumes: dict[str, VolumeShare] = field(default_factory=dict)
    load_balancers: dict[str, LoadBalancerShare] = field(default_factory=dict)
    unattached_load_balancer_cost: float = 0.0
    has_peaks: bool = False
    is_running: bool = False
    spans_batches: bool = False
    cpu_peak_cores: float = 0.0
    ram_peak_bytes: float = 0.0

    @property
    def minutes(self) -> float:
        """Length of the row; negative when its start lies after the clock's now."""
        return (self.end - self.start) / 60

    @property
    def volume_byte_hours(self) -> float:
        """Byte-hours of all volumes."""
        return sum(share.byte_hours for share in self.volumes.values())

    @property
    def volume_cost(self) -> float:
        """Cost of all volumes."""
        return sum(share.cost for share in self.volumes.values())

    @property
    def load_balancer_cost(self) -> float:
        """Cost of all load balancers."""
        return self.unattached_load_balancer_cost + sum(share.cost for share in self.load_balancers.values())

    @property
    def raw_key(self) -> str:
        """The key of an unaggregated row: cluster/node/namespace/pod/container."""
        its = self.identity
        return f"{its.cluster}/{its.node}/{its.namespace}/{its.pod}/{its.container}"

    def add_volume(self, name: str, share: VolumeShare) -> None:
        """Add a part of a volume; a second part of the same volume adds up and loses its provider id."""
        if name not in self.volumes:
            self.volumes[name] = share
            return
        known = self.volumes[name]
        known.byte_hours += share.byte_hours
        known.cost += share.cost
        known.provider_id = ""

    def add_load_balancer(self, name: str, share: LoadBalancerShare) -> None:
        """Add a part of a load balancer."""
        if name not in self.load_balancers:
            self.load_balancers[name] = share
            return
        known = self.load_balancers[name]
        known.cost += share.cost
        known.hours += share.hours

    @classmethod
    def merged(cls, members: Iterable["Row"]) -> "Row":
        """Several rows as one: the hull of their times, averages weighted to it, the rest summed.

        A single member is returned as it is.
        """
        rows = list(members)
        if len(rows) == 1:
            return rows[0]
        return _merged(rows)


_AVERAGES = (
    "cpu_request_cores",
    "cpu_limit_cores",
    "cpu_usage_cores",
    "gpu_request",
    "ram_request_bytes",
    "ram_limit_bytes",
    "ram_usage_bytes",
)
_SUMS = (
    "cpu_core_hours",
    "cpu_cost",
    "gpu_hours",
    "gpu_cost",
    "ram_byte_hours",
    "ram_cost",
    "transmitted_bytes",
    "received_bytes",
    "network_cost",
    "unattached_load_balancer_cost",
)


def _merged(rows: list[Row]) -> Row:
    whole = Row(
        identity=_common_identity(rows),
        start=min(row.start for row in rows),
        end=max(row.end for row in rows),
        is_running=any(row.is_running for row in rows),
        spans_batches=any(row.spans_batches for row in rows),
    )
    for name in _AVERAGES:
        setattr(whole, name, _average(rows, name, whole.minutes))
    for name in _SUMS:
        setattr(whole, name, sum(getattr(row, name) for row in rows))
    for row in rows:
        _add_shares(whole, row)
    return whole


def _common_identity(rows: list[Row]) -> Identity:
    common = rows[0].identity
    for row in rows[1:]:
        common = common.common_with(row.identity)
    return common


def _average(rows: list[Row], name: str, minutes: float) -> float:
    weighted = sum(getattr(row, name) * row.minutes for row in rows)
    if minutes:
        return float(weighted / minutes)
    return float(sum(getattr(row, name) for row in rows))


def _add_shares(whole: Row, part: Row) -> None:
    for name, volume in part.volumes.items():
        whole.add_volume(name, VolumeShare(byte_hours=volume.byte_hours, cost=volume.cost, provider_id=""))
    for name, balancer in part.load_balancers.items():
        share = LoadBalancerShare(service=balancer.service, cost=balancer.cost, ip=balancer.ip, hours=balancer.hours)
        whole.add_load_balancer(name, share)
