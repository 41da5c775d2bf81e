"""Live lists for the tests: of `shop-web`, which deploys `web` into `shop`, unless told otherwise."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from costintel.argocd.destination import DestinationRules
from costintel.cost.application import AppRef
from costintel.cost.live import ListOutcome, LiveApplication, LiveNamespace, LiveSync
from costintel.measurement.reconciliation import Findings, Reconciliation
from costintel.storage.known_syncs import KnownSyncs
from costintel.storage.live import LiveNamespaces
from costintel.storage.work import CORRECTION, INSTALL, PRUNE, WorkItem
from tests.collection.engine import CLUSTER, NOW, Engine
from tests.measurement.syncs import LONG_AGO, WEB, into

ACCESS = AppRef("argocd", "cost-intel-access")


def live_sync(finished_at: datetime, revision: str = "9f1c2d3", **changes: Any) -> LiveSync:
    usual = LiveSync(
        finished_at=finished_at,
        started_at=finished_at - timedelta(seconds=20),
        revision=revision,
        revisions=(),
        initiated_by="automated",
    )
    return replace(usual, **changes)


def live_application(name: str = "shop-web", *, app_namespace: str = "argocd", **changes: Any) -> LiveApplication:
    usual = LiveApplication(
        application=AppRef(app_namespace, name),
        project="default",
        destination=into("shop"),
        created_at=LONG_AGO,
        labels={},
        deleting=False,
        resources=(WEB,),
        last_sync=None,
        history=(),
        sync_status="Synced",
        health_status="Healthy",
        images=("web:1.0",),
        application_set="",
    )
    return replace(usual, **changes)


def synced(application: LiveApplication, *syncs: LiveSync) -> LiveApplication:
    """Give an Application after these syncs, oldest first: all in its history, the newest its last operation."""
    return replace(application, history=syncs, last_sync=syncs[-1])


@dataclass(frozen=True, kw_only=True)
class Lists:
    """Stores complete lists and compares them with what is known, as the exporter does."""

    engine: Engine
    prunes_remote: bool = False

    def take(self, *applications: LiveApplication, at: datetime = NOW) -> Findings:
        outcome = ListOutcome(items=applications, complete=True, listed_at=at)
        self.engine.applications.replace(CLUSTER, outcome)
        status = self.engine.applications.status(CLUSTER)
        assert status is not None
        assert status.first_complete_at is not None
        return self.reconciliation.compare(outcome, first_complete_at=status.first_complete_at)

    def take_namespaces(self, *namespaces: LiveNamespace, at: datetime = NOW) -> None:
        outcome = ListOutcome(items=namespaces, complete=True, listed_at=at)
        LiveNamespaces(self.engine.database).replace(CLUSTER, outcome)

    @property
    def reconciliation(self) -> Reconciliation:
        return Reconciliation(
            cluster=CLUSTER,
            destinations=DestinationRules(),
            access=ACCESS,
            prunes_remote=self.prunes_remote,
            work=self.engine.work,
            records=self.engine.records,
            known_syncs=KnownSyncs(self.engine.database),
        )

    def installs(self) -> list[WorkItem]:
        return self.engine.work.all(CLUSTER, INSTALL)

    def corrections(self) -> list[WorkItem]:
        return self.engine.work.all(CLUSTER, CORRECTION)

    def prunes(self) -> list[WorkItem]:
        return self.engine.work.all(CLUSTER, PRUNE)
