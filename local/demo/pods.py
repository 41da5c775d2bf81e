"""Pods of the demo's workloads over its whole history, and a little beyond now: the demo goes on while it runs."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from local.demo.workload import BYTES_PER_MIB, DemoContainer, DemoWorkload
from local.standin import BYTES_PER_GIB, Container, DailyUsage, Node, Owner, Pod, SteadyUsage, Traffic

DAY_SECONDS = 86400
FUTURE_SECONDS = 2 * DAY_SECONDS
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_ROLLOUT_OVERLAP_SECONDS = 40
_RESTART_SECONDS = 95
_JOB_SECONDS = 600
_IDLE_BYTES = 30 * BYTES_PER_MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """When a workload exists: from `start` on, each of `rollouts` replaces its pods; `now` for the horizon."""

    namespace: str
    start: int
    rollouts: tuple[int, ...]
    now: int

    @property
    def generations(self) -> list[tuple[int, int | None]]:
        """Start and end (None = still there) of the pods between two rollouts."""
        starts = (self.start, *self.rollouts)
        return list(zip(starts, (*self.rollouts, None), strict=True))


def short_hash(text: str, length: int) -> str:
    """Make a suffix as Kubernetes generates them, the same in every run."""
    digest = hashlib.sha256(text.encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:length])


def pods_of(workload: DemoWorkload, life: Life, nodes: Sequence[Node]) -> Iterator[Pod]:
    """All pods of a workload; `nodes` are those it may run on."""
    build = _Builder(workload=workload, life=life, nodes=nodes)
    if workload.work_hours:
        yield from build.office_pods()
    elif workload.kind in {"Deployment", "Rollout"}:
        yield from build.replica_set_pods()
    elif workload.kind == "StatefulSet":
        yield from build.stateful_pods()
    elif workload.kind == "DaemonSet":
        yield from build.daemon_pods()
    elif workload.kind == "CronJob":
        yield from build.cron_pods()
    elif workload.kind == "Job":
        yield from build.job_pods()
    else:
        yield build.pod(workload.name, nodes[0], (life.start, None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Builder:
    workload: DemoWorkload
    life: Life
    nodes: Sequence[Node]

    def replica_set_pods(self) -> Iterator[Pod]:
        """Each rollout starts a new ReplicaSet; the old pods stay until the new ones run."""
        for generation, (start, end) in enumerate(self.life.generations):
            ends = None if end is None else end + _ROLLOUT_OVERLAP_SECONDS
            for replica in range(self.workload.replicas):
                yield self._replica(generation, replica, (start, ends))

    def office_pods(self) -> Iterator[Pod]:
        """Every day new pods of one ReplicaSet, in work hours only."""
        first, last = self.workload.work_hours or (0, 24)
        midnight = self.life.start // DAY_SECONDS * DAY_SECONDS
        for day, begin in enumerate(range(midnight, self.life.now + FUTURE_SECONDS, DAY_SECONDS)):
            start, end = max(self.life.start, begin + first * 3600), begin + last * 3600
            if start < end:
                for replica in range(self.workload.replicas):
                    yield self._replica(0, replica + 100 * day, (start, end))

    def _replica(self, generation: int, replica: int, span: tuple[int, int | None]) -> Pod:
        replica_set = f"{self.workload.name}-{short_hash(f'{self._key}#{generation}', 10)}"
        name = f"{replica_set}-{short_hash(f'{replica_set}#{replica}', 5)}"
        owner = Owner(kind="ReplicaSet", name=replica_set, parent_kind=self.workload.kind)
        return self.pod(name, self._node(replica), span, owner)

    def stateful_pods(self) -> Iterator[Pod]:
        """Rollouts restart a pod under its own name, on its own node, after a short gap."""
        owner = Owner(kind="StatefulSet", name=self.workload.name)
        for replica in range(self.workload.replicas):
            for number, (start, end) in enumerate(self.life.generations):
                begin = start + _RESTART_SECONDS if number else start
                yield self.pod(f"{self.workload.name}-{replica}", self._node(replica), (begin, end), owner)

    def daemon_pods(self) -> Iterator[Pod]:
        """One pod on every node for as long as both exist."""
        owner = Owner(kind="DaemonSet", name=self.workload.name)
        for node in self.nodes:
            start = max(self.life.start, node.start_seconds + 45)
            yield self.pod(f"{self.workload.name}-{short_hash(node.name, 5)}", node, (start, node.end_seconds), owner)

    def cron_pods(self) -> Iterator[Pod]:
        """Give a Job at every time of the schedule; its name ends in the minutes since 1970, as Kubernetes names it."""
        schedule = self.workload.schedule
        if schedule is None:
            raise ValueError(f"schedule: expected one for the CronJob {self.workload.name}")
        step = schedule.every_minutes * 60
        first = self.life.start // DAY_SECONDS * DAY_SECONDS + schedule.minute * 60
        for number, begin in enumerate(range(first, self.life.now + FUTURE_SECONDS, step)):
            if begin < self.life.start:
                continue
            job = f"{self.workload.name}-{begin // 60}"
            owner = Owner(kind="Job", name=job)
            span = (begin + 3, begin + round(schedule.run_minutes * 60))
            yield self.pod(f"{job}-{short_hash(job, 5)}", self._node(number), span, owner)

    def job_pods(self) -> Iterator[Pod]:
        """One run with every rollout."""
        owner = Owner(kind="Job", name=self.workload.name)
        for number, (start, _) in enumerate(self.life.generations):
            name = f"{self.workload.name}-{short_hash(f'{self._key}#{number}', 5)}"
            yield self.pod(name, self._node(number), (start, start + _JOB_SECONDS), owner)

    @property
    def _key(self) -> str:
        return f"{self.life.namespace}/{self.workload.name}"

    def _node(self, replica: int) -> Node:
        offset = hashlib.sha256(self._key.encode()).digest()[0]
        return self.nodes[(offset + replica) % len(self.nodes)]

    def pod(self, name: str, node: Node, span: tuple[int, int | None], owner: Owner | None) -> Pod:
        """Build one pod."""
        internet_bytes = self.workload.internet_gib_per_hour * BYTES_PER_GIB
        is_stateful = self.workload.kind == "StatefulSet" and self.workload.claim_gib > 0
        return Pod(
            namespace=self.life.namespace,
            name=name,
            node=node.name,
            start_seconds=span[0],
            end_seconds=span[1],
            containers=tuple(_container(container, f"{self._key}/{name}") for container in self.workload.containers),
            labels={"app.kubernetes.io/name": self.workload.name},
            owner=owner,
            claims=(f"data-{name}",) if is_stateful else (),
            traffic=Traffic(
                transmitted_bytes=0.01 * BYTES_PER_GIB + internet_bytes,
                received_bytes=0.02 * BYTES_PER_GIB,
                internet_bytes=internet_bytes,
            ),
        )


def _container(container: DemoContainer, key: str) -> Container:
    ram_bytes = container.ram_mib * BYTES_PER_MIB
    seed = int.from_bytes(hashlib.sha256(f"{key}/{container.name}".encode()).digest()[:4])
    usage = DailyUsage(
        mean_cores=container.cpu_cores * container.busy, mean_ram_bytes=ram_bytes * container.filled, seed=seed
    )
    return Container(
        name=container.name,
        cpu_request_cores=container.cpu_cores,
        ram_request_bytes=ram_bytes,
        gpus=container.gpus,
        usage=usage if container.cpu_cores else SteadyUsage(container.idle_cores, _IDLE_BYTES),
    )
