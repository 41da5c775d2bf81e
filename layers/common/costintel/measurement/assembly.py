"""Put the measuring service together from its adapters."""

from dataclasses import dataclass

from costintel.collection.conversation import ClusterIds, Conversations
from costintel.collection.folding import Folding
from costintel.collection.hours import Hours
from costintel.collection.live import Live
from costintel.collection.trailing import TrailingHour
from costintel.measurement.first_current import FirstCurrent
from costintel.measurement.measuring import Measuring
from costintel.measurement.progress import Progress
from costintel.measurement.recording import Recording
from costintel.opencost.client import OpenCostClient
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.leases import Leases
from costintel.storage.records import Records
from costintel.storage.work import Work


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The adapters and settings of the measuring service.

    `lease_database` is a second connection, on which a thread renews the lease while the first one stores an hour.
    """

    cluster: str
    cluster_id: str
    basis_hours: int
    lease_seconds: float
    read_timeout_seconds: float
    client: OpenCostClient
    database: Database
    lease_database: Database


def assemble(parts: Parts) -> Measuring:
    """Return the measuring service."""
    collections, work = Collections(parts.database), Work(parts.database)
    conversations = _conversations(parts)
    folding = Folding(cluster=parts.cluster, collections=collections)
    live = Live(cluster=parts.cluster, collections=collections, folding=folding)
    recording = Recording(
        cluster=parts.cluster,
        basis_hours=parts.basis_hours,
        collections=collections,
        records=Records(parts.database),
        folding=folding,
        live=live,
    )
    trailing = TrailingHour(cluster=parts.cluster, conversations=conversations, collections=collections, work=work)
    first_current = FirstCurrent(
        cluster=parts.cluster,
        work=work,
        records=recording.records,
        collections=collections,
        trailing=trailing,
        recording=recording,
    )
    return Measuring(
        cluster=parts.cluster,
        work=work,
        collections=collections,
        hours=Hours(cluster=parts.cluster, conversations=conversations, collections=collections, work=work),
        live=live,
        progress=Progress(
            cluster=parts.cluster,
            work=work,
            records=recording.records,
            recording=recording,
            first_current=first_current,
        ),
        first_current=first_current,
    )


def _conversations(parts: Parts) -> Conversations:
    return Conversations(
        cluster=parts.cluster,
        client=parts.client,
        cluster_ids=ClusterIds(configured=parts.cluster_id),
        leases=Leases(parts.database),
        renewals=Leases(parts.lease_database),
        lease_seconds=parts.lease_seconds,
        read_timeout_seconds=parts.read_timeout_seconds,
    )
