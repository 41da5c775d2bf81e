"""Folds, lists, records and waiting syncs, put into real tables."""

from datetime import datetime, timedelta
from typing import Any

from costintel.argocd.destination import DestinationRules
from costintel.cost.application import AppRef, Destination
from costintel.cost.collection import LiveHeader
from costintel.cost.container import ContainerCost
from costintel.cost.live import ListOutcome, LiveApplication
from costintel.cost.sync import Record, Sync
from costintel.measurement.catalogue import Catalogue
from costintel.measurement.catalogue_reading import CatalogueReader
from costintel.measurement.entries import Entry
from costintel.measurement.subjects import SubjectRules
from costintel.measurement.task import new_payload
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.live import LiveApplications
from costintel.storage.work import Work
from tests.catalogue.landscape import IN_CLUSTER, LONG_AGO, NOON, deployment, header, sync

CLUSTER = "local"
NOW = NOON + timedelta(minutes=20)
LISTED_AT = NOON + timedelta(minutes=15)
DB = AppRef("argocd", "db")


def reader(database: Database) -> CatalogueReader:
    rules = SubjectRules(destinations=DestinationRules(), access=AppRef("argocd", "access"))
    return CatalogueReader(cluster=CLUSTER, basis_hours=720, rules=rules, database=database)


def store_fold(database: Database, *rows: ContainerCost, of: LiveHeader | None = None) -> None:
    namespaces: dict[str, list[ContainerCost]] = {}
    for row in rows:
        namespaces.setdefault(row.namespace, []).append(row)
    Collections(database).store_live(CLUSTER, of or header(), namespaces.items())


def store_list(database: Database, *listed: LiveApplication, at: datetime = LISTED_AT, complete: bool = True) -> None:
    outcome = ListOutcome(items=listed, complete=complete, listed_at=at, error="" if complete else "403")
    LiveApplications(database).replace(CLUSTER, outcome)


def record(of: Sync, **changes: Any) -> Record:
    usual: dict[str, Any] = {
        "sync": of,
        "cluster": CLUSTER,
        "measured_on": "sync",
        "found_by": "webhook",
        "scope": "application",
        "measured_at": of.received_at,
        "settles_at": None,
        "early": {"cost": {"total": 1}, "monthly": None},
        "settled": None,
        "is_settled": False,
    }
    return Record(**{**usual, **changes})


def web_sync(**changes: Any) -> Sync:
    usual: dict[str, Any] = {
        "project": "shop",
        "destination": Destination(server=IN_CLUSTER, namespace="shop"),
        "resources": (deployment("web"),),
        "created_at": LONG_AGO,
        "finished_at": NOON - timedelta(days=3),
        "received_at": NOON - timedelta(days=3),
    }
    return sync(**{**usual, **changes})


def put_waiting(database: Database, waiting: Sync) -> None:
    Work(database).insert_syncs(CLUSTER, {waiting.id: new_payload(waiting)}, waiting.received_at)


def entries(made: Catalogue) -> dict[str, Entry]:
    return {str(entry.subject.application): entry for entry in made.entries}
