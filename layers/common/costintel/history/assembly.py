"""Put the hourly run together from its adapters."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from costintel.collection.conversation import ClusterIds, Conversations
from costintel.collection.days import Days
from costintel.collection.hours import Hours
from costintel.history.history import History
from costintel.history.retention import Retention
from costintel.history.series_assembly import SeriesParts, assemble_series, turns_of
from costintel.opencost.client import OpenCostClient
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.daily import Daily
from costintel.storage.day_marks import DayMarks
from costintel.storage.hour_assets import HourAssets
from costintel.storage.leases import Leases
from costintel.storage.record_history import RecordHistory
from costintel.storage.records import Records
from costintel.storage.run_summaries import RunSummaries
from costintel.storage.work import Work


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The adapters and settings of the hourly run.

    `lease_database` is a second connection, on which a thread renews the lease while the first one stores a day.
    """

    series: SeriesParts
    cluster_id: str
    lease_seconds: float
    read_timeout_seconds: float
    client: OpenCostClient
    lease_database: Database
    clock: Callable[[], datetime]


def assemble(parts: Parts) -> History:
    """Return the hourly run."""
    shared, database = parts.series, parts.series.database
    collections, daily = Collections(database), Daily(database)
    return History(
        cluster=shared.cluster,
        history_days=shared.history_days,
        days=_days(parts),
        series=assemble_series(shared),
        retention=Retention(
            cluster=shared.cluster,
            history_days=shared.history_days,
            collections=collections,
            daily=daily,
            records=Records(database),
            history=RecordHistory(database),
        ),
        turns=turns_of(shared),
        summaries=RunSummaries(database),
        clock=parts.clock,
    )


def _days(parts: Parts) -> Days:
    cluster, database = parts.series.cluster, parts.series.database
    collections, work = Collections(database), Work(database)
    conversations = Conversations(
        cluster=cluster,
        client=parts.client,
        cluster_ids=ClusterIds(configured=parts.cluster_id),
        leases=Leases(database),
        renewals=Leases(parts.lease_database),
        lease_seconds=parts.lease_seconds,
        read_timeout_seconds=parts.read_timeout_seconds,
    )
    return Days(
        cluster=cluster,
        history_days=parts.series.history_days,
        conversations=conversations,
        collections=collections,
        work=work,
        hours=Hours(cluster=cluster, conversations=conversations, collections=collections, work=work),
        marks=DayMarks(database),
        hour_assets=HourAssets(database),
        clock=parts.clock,
    )
