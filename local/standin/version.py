"""How the OpenCost versions differ in what they answer (the versions recorded in the samples)."""

from dataclasses import dataclass, replace

KNOWN_TO_1_113 = frozenset(
    {
        "cloud_google_com_gke_nodepool",
        "eks_amazonaws_com_nodegroup",
        "node_kubernetes_io_instance_type",
        "topology_kubernetes_io_region",
        "topology_kubernetes_io_zone",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The traits of one version.

    `node_labels` None means all are merged into a row's labels. `left_open` is Prometheus 3 as trap T14 measured it:
    the first five minutes of every window are not seen.
    """

    number: str
    reported: str
    envelope_status: bool
    newline_after_json: bool
    error_prefix: str
    clamps_to_now: bool
    filters_allocations: bool
    lone_point_is_centred: bool
    counter_step_seconds: int
    load_balancer_asset_excess: bool
    control_plane_asset: bool
    calendar_steps: bool
    limit_averages: bool
    gpu_averages: bool
    gpu_allocation: bool
    local_disk_flag: bool
    node_labels: frozenset[str] | None
    left_open: bool = False


_CURRENT = Version(
    number="1.120.2",
    reported="1.120.2 (HEAD)",
    envelope_status=False,
    newline_after_json=True,
    error_prefix="",
    clamps_to_now=True,
    filters_allocations=True,
    lone_point_is_centred=False,
    counter_step_seconds=300,
    load_balancer_asset_excess=False,
    control_plane_asset=True,
    calendar_steps=True,
    limit_averages=True,
    gpu_averages=False,
    gpu_allocation=True,
    local_disk_flag=True,
    node_labels=None,
)
_LEGACY = Version(
    number="1.113",
    reported="1.113.0-dev (HEAD)",
    envelope_status=True,
    newline_after_json=False,
    error_prefix="Error: ",
    clamps_to_now=False,
    filters_allocations=False,
    lone_point_is_centred=True,
    counter_step_seconds=60,
    load_balancer_asset_excess=True,
    control_plane_asset=False,
    calendar_steps=False,
    limit_averages=False,
    gpu_averages=True,
    gpu_allocation=False,
    local_disk_flag=False,
    node_labels=KNOWN_TO_1_113,
)
VERSIONS = {version.number: version for version in (_CURRENT, _LEGACY)}


def version_named(number: str, *, loses_first_minutes: bool = False) -> Version:
    """Give the traits of "1.120.2" or "1.113", over Prometheus 3 if it `loses_first_minutes`.

    Raises:
        ValueError: a version that nobody recorded.
    """
    if number not in VERSIONS:
        raise ValueError(f"version: expected one of {', '.join(sorted(VERSIONS))}, got {number!r}")
    return replace(VERSIONS[number], left_open=loses_first_minutes)
