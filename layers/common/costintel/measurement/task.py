"""A sync that is still to be measured, with how far that has come."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from costintel.argocd.message import sync_from_dict, sync_to_dict
from costintel.cost.sync import Sync
from costintel.cost.window import Window, early_window, settled_window
from costintel.storage.work import WorkItem

WEBHOOK = "webhook"
RECONCILIATION = "reconciliation"
INSTALL = "install"
"""Who found what a record is about; a record measured on anything but an install is of a sync."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncTask:
    """One row of `work` about a sync.

    `early_basis` and `settled_basis` name the answers that the record's figures were folded from, empty before there is a
    figure: should one of those hours be asked again or judged anew, the figure is made again. `ran`: a container of its own
    was seen running before the sync.
    """

    sync: Sync
    not_before: datetime
    attempts: int = 0
    found_by: str = WEBHOOK
    early_basis: str = ""
    settled_basis: str = ""
    ran: bool = False

    @classmethod
    def of(cls, item: WorkItem) -> Self:
        """Read a row of `work`."""
        payload = item.payload
        return cls(
            sync=sync_from_dict(payload["sync"]),
            not_before=item.not_before,
            attempts=item.attempts,
            found_by=payload.get("foundBy", WEBHOOK),
            early_basis=payload.get("earlyBasis", ""),
            settled_basis=payload.get("settledBasis", ""),
            ran=payload.get("ran", False),
        )

    @property
    def payload(self) -> Mapping[str, Any]:
        """What the row keeps."""
        return {
            **new_payload(self.sync, found_by=self.found_by),
            "earlyBasis": self.early_basis,
            "settledBasis": self.settled_basis,
            "ran": self.ran,
        }

    @property
    def early(self) -> Window:
        """The 24 hours before the sync."""
        return early_window(self.sync.finished_at)

    @property
    def settled(self) -> Window:
        """The 24 hours after it."""
        return settled_window(self.sync.finished_at)

    def measured(self, stage: "Stage", basis: str, *, ran: bool) -> "SyncTask":
        """Return it after a figure was made from `basis`."""
        if stage.is_settled:
            return replace(self, settled_basis=basis)
        return replace(self, early_basis=basis, ran=self.ran or ran)


@dataclass(frozen=True, slots=True, order=True)
class Stage:
    """One of a sync's two figures."""

    is_settled: bool

    def window(self, task: SyncTask) -> Window:
        """Return the window the figure is about."""
        return task.settled if self.is_settled else task.early

    def basis(self, task: SyncTask) -> str:
        """Return what the figure was made from; empty while there is none."""
        return task.settled_basis if self.is_settled else task.early_basis


EARLY = Stage(is_settled=False)
SETTLED = Stage(is_settled=True)
STAGES = (EARLY, SETTLED)


def new_payload(sync: Sync, *, found_by: str = WEBHOOK) -> dict[str, Any]:
    """Return the row of a sync that nothing was done for yet."""
    return {"sync": sync_to_dict(sync), "foundBy": found_by}
