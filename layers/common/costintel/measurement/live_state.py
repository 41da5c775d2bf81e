"""What lives in the cluster, brought up to date: every few minutes each kind is listed, stored, and told what follows from it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from costintel.cluster.cluster import Cluster
from costintel.cluster.listing import LIST_SECONDS
from costintel.collection.deadline import Deadline
from costintel.cost.live import ListOutcome, LiveApplication
from costintel.errors import ConfigurationError, OpenCostError, StorageError, StorageUnavailable
from costintel.measurement.reconciliation import Findings, Reconciliation
from costintel.opencost.client import OpenCostClient
from costintel.opencost.status import OpenCostStatus
from costintel.storage.connection import Database
from costintel.storage.live import LiveApplications, LiveHpas, LiveNamespaces, LiveVpas
from costintel.storage.live_lists import APPLICATIONS, HPAS, NAMESPACES, VPAS
from costintel.storage.live_table import LiveTable
from costintel.storage.opencost_status import OpenCostCheck, OpenCostChecks
from costintel.storage.run_summaries import RunSummaries, RunSummary

JOB: Final = "live"
NOT_CONFIGURED: Final = "no Kubernetes is configured: install, reconciliation and recommendations are off"
_SPARE_SECONDS: Final = 15.0
"""What storing a list may take after it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """How one kind was listed: its objects, and the rows written and removed. `error` says why it is not complete."""

    complete: bool
    items: int = 0
    written: int = 0
    removed: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """One run: `lists` by kind, empty without Kubernetes; `findings` when the Applications were listed completely."""

    is_configured: bool
    lists: Mapping[str, Listed]
    findings: Findings | None
    opencost: OpenCostCheck

    @property
    def warnings(self) -> tuple[str, ...]:
        """What did not work, and what that means."""
        failed = tuple(one.error for one in self.lists.values() if one.error)
        opencost = () if self.opencost.reachable else (f"OpenCost: {self.opencost.error}",)
        return (*failed, *opencost)

    @property
    def summary(self) -> dict[str, Any]:
        """What is kept of the run, as JSON."""
        return {
            "kubernetes": "configured" if self.is_configured else NOT_CONFIGURED,
            "lists": {kind: asdict(one) for kind, one in self.lists.items()},
            "findings": {} if self.findings is None else asdict(self.findings),
            "opencost": {
                "reachable": self.opencost.reachable,
                "version": self.opencost.version,
                "error": self.opencost.error,
            },
        }


@dataclass(frozen=True, kw_only=True)
class LiveState:
    """Keeps the tables of live objects. `open_cluster` gives None when no Kubernetes is configured."""

    cluster: str
    database: Database
    open_cluster: Callable[[], Cluster | None]
    reconciliation: Reconciliation
    client: OpenCostClient
    now: Callable[[], datetime]

    def refresh(self, deadline: Deadline) -> Refreshed:
        """Look at OpenCost, list each kind, and leave a summary of the run; one list that fails does not stop the others.

        Raises StorageUnavailable, and StorageError when the summary is refused; what is stored by then stays.
        """
        started_at = self.now()
        check = self._check_opencost()
        OpenCostChecks(self.database).save(self.cluster, check)
        found = self._list_all(deadline)
        refreshed = Refreshed(
            is_configured=found is not None,
            lists={} if found is None else found.lists,
            findings=None if found is None else found.findings,
            opencost=check,
        )
        run = RunSummary(job=JOB, started_at=started_at, finished_at=self.now(), summary=refreshed.summary)
        RunSummaries(self.database).add(self.cluster, run)
        return refreshed

    def _list_all(self, deadline: Deadline) -> "_Lists | None":
        cluster = self.open_cluster()
        if cluster is None:
            return None
        lists = _Lists(state=self, deadline=deadline)
        with cluster:
            # Namespaces first: their ages count in what the Applications lead to.
            lists.take(NAMESPACES, LiveNamespaces(self.database), cluster.namespaces)
            lists.take_applications(LiveApplications(self.database), cluster.applications)
            lists.take(VPAS, LiveVpas(self.database), cluster.vertical_autoscalers)
            lists.take(HPAS, LiveHpas(self.database), cluster.horizontal_autoscalers)
        return lists

    def _check_opencost(self) -> OpenCostCheck:
        status = self.client.status()
        error = "" if status.version is not None else self._opencost_error(status)
        return OpenCostCheck(
            reachable=not error,
            version=status.version,
            pricing=_pricing(status),
            error=error,
            checked_at=self.now(),
        )

    def _opencost_error(self, status: OpenCostStatus) -> str:
        """Return why OpenCost is not reached, empty if it is: releases of it do without one route or the other."""
        if status.pricing_sources is not None or status.pricing_counts is not None:
            return ""
        try:
            self.client.cluster_id()
        except OpenCostError as error:
            return str(error)
        return ""


@dataclass(kw_only=True)
class _Lists:
    """The lists of one run."""

    state: LiveState
    deadline: Deadline
    lists: dict[str, Listed] = field(default_factory=dict)
    findings: Findings | None = None

    def take(self, kind: str, table: LiveTable[Any], ask: Callable[[], ListOutcome[Any]]) -> ListOutcome[Any]:
        """List a kind and store what came of it; return that, not complete if it could not be stored."""
        outcome = self._asked(kind, ask)
        try:
            replaced = table.replace(self.state.cluster, outcome)
        except StorageUnavailable:
            raise
        except StorageError as error:
            self.lists[kind] = Listed(complete=False, error=f"{kind}: {error}")
            return ListOutcome(items=(), complete=False, listed_at=outcome.listed_at, error=str(error))
        self.lists[kind] = Listed(
            complete=outcome.complete,
            items=len(outcome.items),
            written=replaced.written,
            removed=replaced.removed,
            error=outcome.error,
        )
        return outcome

    def take_applications(self, table: LiveApplications, ask: Callable[[], ListOutcome[LiveApplication]]) -> None:
        """List the Applications, and write down what follows from a complete list, unless another run has a newer one."""
        outcome = self.take(APPLICATIONS, table, ask)
        status = table.status(self.state.cluster)
        if status is None or status.first_complete_at is None or status.last_complete_at != outcome.listed_at:
            return
        self.findings = self.state.reconciliation.compare(outcome, first_complete_at=status.first_complete_at)

    def _asked(self, kind: str, ask: Callable[[], ListOutcome[Any]]) -> ListOutcome[Any]:
        if not self.deadline.allows(LIST_SECONDS + _SPARE_SECONDS):
            return self._failed(f"{kind}: no time was left in this run")
        try:
            return ask()
        except ConfigurationError as error:
            return self._failed(str(error))

    def _failed(self, error: str) -> ListOutcome[Any]:
        return ListOutcome(items=(), complete=False, listed_at=self.state.now(), error=error)


def _pricing(status: OpenCostStatus) -> dict[str, Any] | None:
    """Return where OpenCost's prices come from, None when it told nothing of it."""
    if status.pricing_sources is None and status.pricing_counts is None:
        return None
    sources = (
        None
        if status.pricing_sources is None
        else {name: asdict(source) for name, source in status.pricing_sources.items()}
    )
    return {"sources": sources, "counts": None if status.pricing_counts is None else dict(status.pricing_counts)}
