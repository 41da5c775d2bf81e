"""A whole installation in one process: exporter and measure on a real database, OpenCost and Kubernetes as stand-ins."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from costintel.argocd.destination import DestinationRules
from costintel.cluster.cluster import open_cluster
from costintel.cluster.settings import ClusterSettings
from costintel.collection.deadline import Deadline
from costintel.cost.application import AppRef
from costintel.cost.sync import Record
from costintel.measurement.live_state import LiveState, Refreshed
from costintel.measurement.measuring import Outcome
from costintel.measurement.reconciliation import Reconciliation
from costintel.opencost.client import OpenCostClient
from costintel.storage.known_syncs import KnownSyncs
from local.standin_kubernetes import StandInKubernetes, Store, stored
from tests.collection.engine import CLUSTER, Engine, engine

TOKEN = "token-of-the-tests"
MINUTE = timedelta(minutes=1)


@dataclass(kw_only=True)
class Clock:
    """A clock that stands still until it is moved."""

    moment: datetime

    def __call__(self) -> datetime:
        return self.moment


@dataclass(kw_only=True)
class Installation:
    """`exporter` and `measure`, as their schedules start them; the minutes go by at once."""

    clock: Clock
    kubernetes: StandInKubernetes
    engine: Engine
    live_state: LiveState
    ticks: list[Outcome] = field(default_factory=list)

    def list_all(self) -> Refreshed:
        return self.live_state.refresh(Deadline.after(300))

    def tick(self) -> Outcome:
        self.ticks.append(self.engine.tick(self.clock.moment))
        return self.ticks[-1]

    def pass_minutes(self, count: int) -> None:
        """Let minutes pass: `measure` ticks at each, `exporter` lists at every fifth of the hour."""
        for _ in range(count):
            self.clock.moment += MINUTE
            if self.clock.moment.minute % 5 == 0:
                self.list_all()
            self.tick()

    def records(self) -> dict[str, Record]:
        """Give the newest record of each Application, by `namespace:name`."""
        found = self.engine.records.latest_of_all(CLUSTER, None)
        return {str(record.sync.application): record for record in found}

    def record(self, name: str) -> Record | None:
        reference = AppRef.parse(name)
        assert reference is not None
        return self.engine.records.latest(CLUSTER, reference)


@contextmanager
def installation(
    database_url: str, opencost: Any, objects: Mapping[str, list[dict[str, Any]]], clock: Clock, **settings: Any
) -> Iterator[Installation]:
    """Open an installation whose API server has `objects` by resource; `opencost` is a client, or stands for one."""
    store = Store()
    for resource, items in objects.items():
        store.put_bodies(resource, map(stored, items))
    with StandInKubernetes(store) as kubernetes, engine(database_url, opencost, cluster_id="") as measure:
        rules = DestinationRules()
        cluster = ClusterSettings(endpoint=kubernetes.endpoint, token=TOKEN)
        state = LiveState(
            cluster=CLUSTER,
            database=measure.database,
            open_cluster=lambda: open_cluster(cluster, rules=rules, clock=clock),
            reconciliation=Reconciliation(
                cluster=CLUSTER,
                destinations=rules,
                access=settings.get("access"),
                prunes_remote=settings.get("prunes_remote", False),
                work=measure.work,
                records=measure.records,
                known_syncs=KnownSyncs(measure.database),
            ),
            client=opencost if isinstance(opencost, OpenCostClient) else OpenCostClient("http://127.0.0.1:9"),
            now=clock,
        )
        yield Installation(clock=clock, kubernetes=kubernetes, engine=measure, live_state=state)
