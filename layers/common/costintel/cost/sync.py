"""A finished sync, and the record kept of its cost."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource

FigureDocument = Mapping[str, Any]
"""A figure as it is stored and served: JSON, money with six decimals (see measurement.document)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """One finished sync of an Application, as its notification or the live list tells it.

    `resources` None: not known (namespace scope). `resources_omitted`: there was a list, too long to carry; the live list has it.
    `finished_at_known` False: an outdated template left it out, and the hour it arrived in stands there.
    """

    id: str
    application: AppRef
    project: str
    destination: Destination
    resources: tuple[Resource, ...] | None
    resources_omitted: bool
    finished_at: datetime
    finished_at_known: bool
    started_at: datetime | None
    created_at: datetime | None
    """When the Application was created, if the notification says."""
    revision: str
    revisions: tuple[str, ...]
    sync_status: str
    health_status: str
    initiated_by: str
    images: tuple[str, ...]
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is kept of one measured sync.

    `early` is None when nothing of its window was measured; `settled` until its 24 hours are in. `first_current` is the
    trailing hour of an application too young to be in any stored hour.
    """

    sync: Sync
    cluster: str
    measured_on: str
    """`sync` or `install`."""
    found_by: str
    """`webhook`, `reconciliation` or `install`."""
    scope: str
    measured_at: datetime
    settles_at: datetime | None
    early: FigureDocument | None
    settled: FigureDocument | None
    is_settled: bool
    first_current: FigureDocument | None = None


def sync_id(cluster: str, application: AppRef, finished_at: datetime) -> str:
    """Return the id of a sync: 32 hex digits of SHA-256 over cluster, Application and finish in UTC seconds.

    The same sync gives the same id however often and by whom it is reported.
    """
    return _id(cluster, application, str(int(finished_at.timestamp())))


def install_id(cluster: str, application: AppRef) -> str:
    """Return the id of the record of an Application that was measured without a sync: made like a sync's, and none's."""
    return _id(cluster, application, "install")


def _id(cluster: str, application: AppRef, moment: str) -> str:
    text = "\n".join((cluster, application.namespace, application.name, moment))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
