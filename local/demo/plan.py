"""How an application of the demo is described: what it runs, where, and when it was synced.

Ages are days before the demo's now; an age of None is older than the demo's history.
"""

from dataclasses import dataclass

from local.demo.application import IN_CLUSTER
from local.demo.workload import DemoContainer, DemoWorkload


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationPlan:
    """An application; `syncs_days_ago` (oldest first, after its creation) each roll its pods out anew.

    `extra_resources` are (group, kind, name) of objects without pods of their own.
    """

    name: str
    destination: str
    workloads: tuple[DemoWorkload, ...] = ()
    namespace: str = "argocd"
    project: str = "default"
    age_days: float | None = None
    syncs_days_ago: tuple[float, ...] = ()
    sends_resources: bool = True
    server: str = IN_CLUSTER
    cluster_name: str = ""
    extra_resources: tuple[tuple[str, str, str], ...] = (
        ("", "Service", "main"),
        ("", "ConfigMap", "settings"),
    )


def one_container(
    name: str, cpu_cores: float, ram_mib: float, *, busy: float = 0.35, filled: float = 0.6
) -> tuple[DemoContainer, ...]:
    """Give the containers of a pod that has only one."""
    return (DemoContainer(name=name, cpu_cores=cpu_cores, ram_mib=ram_mib, busy=busy, filled=filled),)


def with_proxy(name: str, cpu_cores: float, ram_mib: float, *, busy: float = 0.35) -> tuple[DemoContainer, ...]:
    """Give a container with a sidecar that is busier than it asked for."""
    proxy = DemoContainer(name="proxy", cpu_cores=0.02, ram_mib=64, busy=1.6, filled=0.9)
    return (*one_container(name, cpu_cores, ram_mib, busy=busy), proxy)
