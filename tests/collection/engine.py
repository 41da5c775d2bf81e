"""The measuring service on a real database, with whatever stands for OpenCost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from costintel.collection.deadline import Deadline
from costintel.collection.hours import Hours
from costintel.collection.questions import EnsureOutcome
from costintel.collection.stored_hours import read_headers
from costintel.cost.application import AppRef
from costintel.cost.collection import HourHeader
from costintel.measurement.age import CreationTimes
from costintel.measurement.assembly import Parts, assemble
from costintel.measurement.current import Actuals
from costintel.measurement.measuring import Measuring, Outcome
from costintel.opencost.client import OpenCostClient
from costintel.storage.collections import Collections
from costintel.storage.connecting import connect_url
from costintel.storage.connection import Database
from costintel.storage.leases import Leases
from costintel.storage.live import LiveApplications, LiveNamespaces
from costintel.storage.records import Records
from costintel.storage.work import HOUR as HOUR_WORK
from costintel.storage.work import SYNC, Work, WorkItem

CLUSTER = "local"
NOW = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)
"""The newest closed hour is then the one from 11:00."""
NEWEST = datetime(2026, 11, 30, 11, tzinfo=UTC)
HOUR = timedelta(hours=1)


@dataclass(kw_only=True)
class Engine:
    """One environment of `measure`, and what the tests look at."""

    database: Database
    lease_database: Database
    measuring: Measuring

    @property
    def hours(self) -> Hours:
        return self.measuring.hours

    @property
    def collections(self) -> Collections:
        return Collections(self.database)

    @property
    def work(self) -> Work:
        return Work(self.database)

    @property
    def records(self) -> Records:
        return Records(self.database)

    @property
    def applications(self) -> LiveApplications:
        return LiveApplications(self.database)

    @property
    def leases(self) -> Leases:
        return Leases(self.lease_database)

    def ensure(self, *hours: datetime, now: datetime = NOW, seconds: float = 300) -> EnsureOutcome:
        return self.hours.ensure(hours, now=now, deadline=Deadline.after(seconds))

    def ask_due(self, now: datetime = NOW, *, seconds: float = 300) -> EnsureOutcome:
        return self.ensure(*self.hours.due(now=now), now=now, seconds=seconds)

    def tick(self, now: datetime = NOW) -> Outcome:
        return self.measuring.tick(now=now, deadline=Deadline.after(300))

    def headers(self) -> dict[datetime, HourHeader]:
        return read_headers(self.collections, CLUSTER)

    def states(self) -> dict[datetime, str]:
        return {start: header.state.value for start, header in self.headers().items()}

    def owed(self) -> dict[datetime, WorkItem]:
        items = self.work.all(CLUSTER, HOUR_WORK)
        return {datetime.fromisoformat(item.subject): item for item in items}

    def waiting(self) -> list[WorkItem]:
        return self.work.all(CLUSTER, SYNC)

    def actual(self, name: str, now: datetime = NOW, *, namespace: str = "argocd") -> dict[str, Any] | None:
        actuals = Actuals(
            cluster=CLUSTER,
            currency="USD",
            basis_hours=720,
            collections=self.collections,
            records=self.records,
            work=self.work,
            creation_times=CreationTimes(
                cluster=CLUSTER, applications=self.applications, namespaces=LiveNamespaces(self.database)
            ),
        )
        return actuals.actual(AppRef(namespace, name), now)


@contextmanager
def engine(
    url: str,
    client: object,
    *,
    cluster_id: str = "made",
    lease_seconds: float = 60,
    read_timeout_seconds: float = 240,
    month_hours: int = 720,
) -> Iterator[Engine]:
    """Give an environment of its own: two connections to `url`, and `client` in the place of OpenCost's."""
    database, lease_database = Database(_connect(url)), Database(_connect(url))
    parts = Parts(
        cluster=CLUSTER,
        cluster_id=cluster_id,
        basis_hours=month_hours,
        lease_seconds=lease_seconds,
        read_timeout_seconds=read_timeout_seconds,
        client=cast("OpenCostClient", client),
        database=database,
        lease_database=lease_database,
    )
    try:
        yield Engine(database=database, lease_database=lease_database, measuring=assemble(parts))
    finally:
        database.close()
        lease_database.close()


def _connect(url: str) -> Callable[[], Any]:
    return lambda: connect_url(url)
