"""What runs in the demo cluster, as an operator would describe it: workloads, their containers, when they run."""

from dataclasses import dataclass

BYTES_PER_MIB = 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoContainer:
    """A container; `busy` is the mean share of its CPU request it uses, `filled` that of its memory request.

    Without a request (0) it uses `idle_cores` and a little memory.
    """

    name: str
    cpu_cores: float
    ram_mib: float
    busy: float = 0.35
    filled: float = 0.6
    idle_cores: float = 0.003
    gpus: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A CronJob's times in UTC: every `every_minutes` from midnight plus `minute`, for `run_minutes`."""

    every_minutes: int
    minute: int = 0
    run_minutes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoWorkload:
    """One Kubernetes workload.

    `kind`: Deployment, Rollout, StatefulSet, DaemonSet, CronJob, Job or Pod. `pool`: general, spot or gpu.
    `claim_gib`: the size of a volume per StatefulSet pod. `work_hours`: scaled to zero outside [first, last) UTC.
    `internet_gib_per_hour`: of each pod. `load_balanced`: its Service has a load balancer.
    """

    kind: str
    name: str
    containers: tuple[DemoContainer, ...]
    replicas: int = 1
    pool: str = "general"
    schedule: Schedule | None = None
    work_hours: tuple[int, int] | None = None
    claim_gib: float = 0.0
    internet_gib_per_hour: float = 0.0
    load_balanced: bool = False

    @property
    def group(self) -> str:
        """The API group of its kind, "" for a Pod."""
        groups = {"Rollout": "argoproj.io", "CronJob": "batch", "Job": "batch", "Pod": ""}
        return groups.get(self.kind, "apps")
