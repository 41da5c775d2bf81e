"""What a live list says of an Application's syncs."""

from datetime import datetime

from costintel.argocd.destination import DestinationRules
from costintel.argocd.gate import ACCESS_LABEL
from costintel.argocd.notification import ACCESS_APPLICATION
from costintel.cluster.classification import classification
from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication, LiveSync
from costintel.cost.sync import Sync, sync_id


def class_of(application: LiveApplication, *, rules: DestinationRules, access: AppRef | None) -> str:
    """Return what an Application is to us (see cluster.classification).

    The access Application is known by its name, and by the label that our manifest gives it.
    """
    if ACCESS_LABEL in application.labels:
        return ACCESS_APPLICATION
    return classification(application, rules=rules, access=access)


def listed_syncs(application: LiveApplication) -> list[LiveSync]:
    """Return the successful syncs it remembers, oldest first, each once: its history, and its last operation.

    A sync of some of its resources only is no part of the history. The history's times of a sync are the operation's.
    """
    found = {sync.finished_at: sync for sync in application.history}
    if application.last_sync is not None:
        found[application.last_sync.finished_at] = application.last_sync
    return [found[finished_at] for finished_at in sorted(found)]


def newest_listed(application: LiveApplication) -> LiveSync | None:
    """Return its newest successful sync."""
    return max(listed_syncs(application), key=lambda sync: sync.finished_at, default=None)


def sync_of(cluster: str, application: LiveApplication, sync: LiveSync, *, listed_at: datetime) -> Sync:
    """Return a listed sync as one that is measured, with today's destination and resources.

    What its Application's state was is known of the newest sync only. It counts as received with the list.
    """
    is_newest = sync == newest_listed(application)
    return Sync(
        id=sync_id(cluster, application.application, sync.finished_at),
        application=application.application,
        project=application.project,
        destination=application.destination,
        resources=application.resources,
        resources_omitted=False,
        finished_at=sync.finished_at,
        finished_at_known=True,
        started_at=sync.started_at,
        created_at=application.created_at,
        revision=sync.revision,
        revisions=sync.revisions,
        sync_status=application.sync_status if is_newest else "",
        health_status=application.health_status if is_newest else "",
        initiated_by=sync.initiated_by,
        images=application.images if is_newest else (),
        received_at=listed_at,
    )
