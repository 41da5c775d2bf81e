"""Put together what folds and reads series: it needs nothing but the database."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from costintel.argocd.destination import DestinationRules
from costintel.collection.days_changes import ChangedDays
from costintel.collection.folding import Folding
from costintel.cost.application import AppRef
from costintel.history.census import CensusTaker
from costintel.history.planning import Planner
from costintel.history.reading import SeriesReader
from costintel.history.refolding import Refolding
from costintel.history.series import Series
from costintel.history.turns import Turns
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.daily import Daily
from costintel.storage.folded_days import FoldedDays
from costintel.storage.leases import Leases
from costintel.storage.live_lists import LiveLists
from costintel.storage.record_history import RecordHistory
from costintel.storage.work import Work


@dataclass(frozen=True, kw_only=True)
class SeriesParts:
    """The database and the settings that series depend on; `access` is the access Application."""

    cluster: str
    history_days: int
    destinations: DestinationRules
    access: AppRef | None
    database: Database


def assemble_series(parts: SeriesParts) -> Series:
    """Return what folds series."""
    database = parts.database
    daily, folded, records = Daily(database), FoldedDays(database), RecordHistory(database)
    return Series(
        cluster=parts.cluster,
        history_days=parts.history_days,
        collections=Collections(database),
        daily=daily,
        folded=folded,
        census=_census(parts, records),
        planner=Planner(cluster=parts.cluster, daily=daily, folded=folded, records=records),
        changes=ChangedDays(cluster=parts.cluster, work=Work(database)),
    )


def assemble_refolding(parts: SeriesParts, *, clock: Callable[[], datetime]) -> Refolding:
    """Return what folds series outside of the hourly run."""
    return Refolding(series=assemble_series(parts), turns=turns_of(parts), clock=clock)


def assemble_reader(parts: SeriesParts) -> SeriesReader:
    """Return what reads series."""
    database = parts.database
    collections, records = Collections(database), RecordHistory(database)
    return SeriesReader(
        cluster=parts.cluster,
        history_days=parts.history_days,
        collections=collections,
        daily=Daily(database),
        folded=FoldedDays(database),
        records=records,
        census=_census(parts, records),
        folding=Folding(cluster=parts.cluster, collections=collections),
    )


def turns_of(parts: SeriesParts) -> Turns:
    """Return whose turn it is to fold."""
    return Turns(cluster=parts.cluster, leases=Leases(parts.database))


def _census(parts: SeriesParts, records: RecordHistory) -> CensusTaker:
    return CensusTaker(
        cluster=parts.cluster,
        destinations=parts.destinations,
        access=parts.access,
        records=records,
        lists=LiveLists(parts.database),
    )
