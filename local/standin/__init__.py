"""A faithful stand-in for OpenCost: a cluster model in, OpenCost's HTTP answers out."""

from local.standin.generated import generated_cluster
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
    rfc3339,
)
from local.standin.recorded import recorded_cluster
from local.standin.server import StandIn
from local.standin.usage import DailyUsage, HourlyUsage, SteadyUsage

__all__ = [
    "BYTES_PER_GIB",
    "ClusterModel",
    "Container",
    "CrashLoop",
    "DailyUsage",
    "HourlyUsage",
    "LoadBalancer",
    "Node",
    "Outage",
    "Owner",
    "Pod",
    "PriceStep",
    "Service",
    "Source",
    "StandIn",
    "SteadyUsage",
    "Traffic",
    "Volume",
    "Workload",
    "epoch_seconds",
    "generated_cluster",
    "recorded_cluster",
    "rfc3339",
]
