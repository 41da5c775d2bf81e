"""The history of an engine: the hourly run, series and reading on a real database, at moments that tests choose."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

from costintel.argocd.destination import DestinationRules
from costintel.collection.deadline import Deadline
from costintel.cost.application import AppRef
from costintel.cost.daily import DailyCost
from costintel.cost.day import DayHeader
from costintel.cost.live import ListOutcome, LiveApplication
from costintel.cost.sync import Record, Sync
from costintel.history.assembly import Parts, assemble
from costintel.history.history import History, Report
from costintel.history.reading import SeriesReader, SeriesView
from costintel.history.refolding import Refolding
from costintel.history.series import SeriesOutcome
from costintel.history.series_assembly import SeriesParts, assemble_reader, assemble_refolding, assemble_series
from costintel.opencost.client import OpenCostClient
from costintel.storage.daily import Daily
from costintel.storage.live import LiveApplications
from tests.collection.engine import CLUSTER, NOW, Engine, engine
from tests.measurement.syncs import LONG_AGO, a_sync

DAY = timedelta(days=1)
EVER = (date(2025, 1, 1), date(2028, 1, 1))


@dataclass(kw_only=True)
class HistoryEngine:
    """One environment of `history`; `now` is its clock."""

    engine: Engine
    client: object
    history_days: int = 400
    access: AppRef | None = None
    now: datetime = NOW

    @property
    def parts(self) -> SeriesParts:
        return SeriesParts(
            cluster=CLUSTER,
            history_days=self.history_days,
            destinations=DestinationRules(),
            access=self.access,
            database=self.engine.database,
        )

    def clock(self) -> datetime:
        return self.now

    def history(self) -> History:
        found = assemble(
            Parts(
                series=self.parts,
                cluster_id="made",
                lease_seconds=60,
                read_timeout_seconds=240,
                client=cast("OpenCostClient", self.client),
                lease_database=self.engine.lease_database,
                clock=self.clock,
            )
        )
        # A test's lease is free or it is not: nobody waits for it.
        return replace(found, patience_seconds=0)

    def run(self, now: datetime | None = None, *, seconds: float = 900) -> Report:
        self.now = now or self.now
        return self.history().run(deadline=Deadline.after(seconds))

    def hour(self, now: datetime) -> Report:
        """Let the ticks of the hour do their work, doubtful hours included, then the hourly run."""
        for minutes in (0, 11):
            self.engine.ask_due(now + timedelta(minutes=minutes))
        return self.run(now + timedelta(minutes=11))

    def fold(self, *, seconds: float = 900, only: Iterable[AppRef] | None = None) -> SeriesOutcome:
        return assemble_series(self.parts).fold(
            now=self.now, deadline=Deadline.after(seconds), only=None if only is None else list(only)
        )

    def refolding(self) -> Refolding:
        return assemble_refolding(self.parts, clock=self.clock)

    def reader(self) -> SeriesReader:
        return assemble_reader(self.parts)

    def read(self, name: str, first: date, last: date) -> SeriesView:
        view = self.reader().series(AppRef("argocd", name), first, last, now=self.now)
        assert view is not None
        return view

    def record(self, name: str, *, finished_at: datetime = LONG_AGO, **changes: Any) -> Sync:
        """Keep a record of a sync of `name`, without a figure."""
        sync = a_sync(name, **{"finished_at": finished_at, "created_at": None, **changes})
        self.engine.records.save(record_of(sync))
        return sync

    def list_applications(self, *names: str, at: datetime | None = None, complete: bool = True, **changes: Any) -> None:
        """Store what a list of Applications shows."""
        items = tuple(live_application(name, **changes) for name in names)
        outcome = ListOutcome(
            items=items, complete=complete, listed_at=at or self.now, error="" if complete else "cut off"
        )
        LiveApplications(self.engine.database).replace(CLUSTER, outcome)

    def series(self, name: str, scope: str = "application") -> dict[date, DailyCost]:
        rows = Daily(self.engine.database).series(CLUSTER, AppRef("argocd", name), scope, *EVER)
        return {row.day: row for row in rows}

    def costs(self, name: str, scope: str = "application") -> dict[date, float]:
        return {day: row.cost.total for day, row in self.series(name, scope).items()}

    def headers(self) -> dict[date, DayHeader]:
        return {header.day: header for header in self.engine.collections.day_headers(CLUSTER, *EVER)}

    def versions(self) -> list[tuple[Any, ...]]:
        """Return which version of each row of the series there is: another one where it was written again."""
        return self.engine.database.fetch_all(
            lambda _: tuple,
            "SELECT application_name, scope, day, xmin::text, ctid::text FROM cost_daily ORDER BY 1, 2, 3",
        )


def record_of(sync: Sync, *, measured_on: str = "sync") -> Record:
    return Record(
        sync=sync,
        cluster=CLUSTER,
        measured_on=measured_on,
        found_by="webhook" if measured_on == "sync" else "install",
        scope="namespace" if sync.resources is None else "application",
        measured_at=sync.received_at,
        settles_at=None,
        early=None,
        settled=None,
        is_settled=True,
    )


def live_application(name: str, **changes: Any) -> LiveApplication:
    sync = a_sync(name)
    base: dict[str, Any] = {
        "application": sync.application,
        "project": sync.project,
        "destination": sync.destination,
        "created_at": LONG_AGO,
        "labels": {},
        "deleting": False,
        "resources": sync.resources,
        "last_sync": None,
        "history": (),
        "sync_status": "Synced",
        "health_status": "Healthy",
        "images": (),
        "application_set": "",
    }
    return LiveApplication(**(base | changes))


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


@contextmanager
def history_engine(url: str, client: object, **settings: Any) -> Iterator[HistoryEngine]:
    """Give an environment of its own: two connections to `url`, and `client` in the place of OpenCost's."""
    with engine(url, client) as made:
        yield HistoryEngine(engine=made, client=client, **settings)
