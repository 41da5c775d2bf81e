"""What the live list says of one Application: whether it is the gate, and whether it is here at all."""

from dataclasses import dataclass
from datetime import datetime

from costintel.argocd.destination import DestinationRules
from costintel.argocd.gate import Gate, GateRule
from costintel.cost.application import AppRef
from costintel.storage.live import LiveApplications


@dataclass(frozen=True, kw_only=True)
class Gatekeeper:
    """Asks the table of Applications, which keeps the last complete list whatever became of later ones."""

    cluster: str
    rule: GateRule
    destinations: DestinationRules
    applications: LiveApplications

    def gate(self) -> Gate:
        """Return the gate as of the last complete list. Raises StorageError."""
        if self.rule.asks_for is None:
            return self.rule.decide(None, is_listed=False)
        live = self.applications.find(self.cluster, self.rule.asks_for)
        return self.rule.decide(live, is_listed=live is not None or self._listed_at() is not None)

    def gate_project(self, gate: Gate) -> str | None:
        """Return the AppProject of the gate, which Argo CD's proxy asks the caller for; None when it is not known."""
        live = None if gate.application is None else self.applications.find(self.cluster, gate.application)
        return None if live is None else live.project

    def elsewhere_since(self, application: AppRef) -> datetime | None:
        """Return when the last complete list showed that an Application deploys to another cluster, None if it did not."""
        live = self.applications.find(self.cluster, application)
        return None if live is None or self.destinations.is_local(live.destination) else self._listed_at()

    def _listed_at(self) -> datetime | None:
        status = self.applications.status(self.cluster)
        return None if status is None else status.last_complete_at
