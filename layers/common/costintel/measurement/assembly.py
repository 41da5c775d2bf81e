"""Put the measuring service together from its adapters."""

from dataclasses import dataclass

from costintel.collection.conversation import ClusterIds, Conversations
from costintel.collection.folding import Folding
from costintel.collection.hours import Hours
from costintel.collection.live import Live
from costintel.collection.trailing import TrailingHour
from costintel.measurement.age import CreationTimes
from costintel.measurement.correction import Corrections
from costintel.measurement.first_current import FirstCurrent
from costintel.measurement.install import Installs
from costintel.measurement.measuring import Measuring
from costintel.measurement.progress import Progress
from costintel.measurement.pruning import Pruning
from costintel.measurement.recording import Recording
from costintel.opencost.client import OpenCostClient
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.leases import Leases
from costintel.storage.live import LiveApplications, LiveNamespaces
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
    cluster = parts.cluster
    collections, work, records = Collections(parts.database), Work(parts.database), Records(parts.database)
    conversations = _conversations(parts)
    recording = _recording(parts)
    first_current = FirstCurrent(
        cluster=cluster,
        work=work,
        records=records,
        collections=collections,
        trailing=TrailingHour(cluster=cluster, conversations=conversations, collections=collections, work=work),
        recording=recording,
    )
    return Measuring(
        cluster=cluster,
        work=work,
        collections=collections,
        hours=Hours(cluster=cluster, conversations=conversations, collections=collections, work=work),
        live=recording.live,
        progress=Progress(
            cluster=cluster, work=work, records=records, recording=recording, first_current=first_current
        ),
        first_current=first_current,
        installs=_installs(parts, recording),
        corrections=_corrections(parts),
        pruning=Pruning(cluster=cluster, work=work, records=records),
    )


def _recording(parts: Parts) -> Recording:
    collections = Collections(parts.database)
    folding = Folding(cluster=parts.cluster, collections=collections)
    return Recording(
        cluster=parts.cluster,
        basis_hours=parts.basis_hours,
        collections=collections,
        records=Records(parts.database),
        folding=folding,
        live=Live(cluster=parts.cluster, collections=collections, folding=folding),
        creation_times=CreationTimes(
            cluster=parts.cluster,
            applications=LiveApplications(parts.database),
            namespaces=LiveNamespaces(parts.database),
        ),
    )


def _installs(parts: Parts, recording: Recording) -> Installs:
    return Installs(
        cluster=parts.cluster,
        work=Work(parts.database),
        records=Records(parts.database),
        collections=Collections(parts.database),
        applications=LiveApplications(parts.database),
        recording=recording,
    )


def _corrections(parts: Parts) -> Corrections:
    return Corrections(
        cluster=parts.cluster,
        database=parts.database,
        work=Work(parts.database),
        records=Records(parts.database),
        applications=LiveApplications(parts.database),
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
