"""What this installation has switched on, for the browser."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from costintel.argocd.gate import Gate
from costintel.collection.rfc3339 import text_of
from costintel.measurement.gatekeeper import Gatekeeper
from costintel.storage.live_lists import APPLICATIONS, HPAS, NAMESPACES, VPAS, LiveLists, LiveListStatus
from costintel.version import VERSION

KINDS = (APPLICATIONS, NAMESPACES, VPAS, HPAS)
CLUSTER_PAGES = "cluster_pages"
INSTALL = "install"
RECONCILIATION = "reconciliation"
RECOMMENDATIONS = "recommendations"
FEATURES = (CLUSTER_PAGES, INSTALL, RECONCILIATION, RECOMMENDATIONS)
NEVER_LISTED = "never_listed"
"""No Kubernetes is configured, or nothing was listed yet."""
LIST_FAILED = "list_failed"
"""There never was a complete list of what the feature needs."""


@dataclass(frozen=True, kw_only=True)
class Features:
    """Answers `/config` from the settings and the tables."""

    cluster: str
    currency: str
    basis_hours: int
    gatekeeper: Gatekeeper
    lists: LiveLists

    def config(self) -> dict[str, Any]:
        """Return what the browser needs to know as JSON. Raises StorageError."""
        gate = self.gatekeeper.gate()
        lists = self.lists.all(self.cluster)
        return {
            "version": VERSION,
            "cluster": self.cluster,
            "currency": self.currency,
            "monthHours": self.basis_hours,
            "gate": {
                "application": None if gate.application is None else str(gate.application),
                "project": self.gatekeeper.gate_project(gate),
                "reason": gate.reason.value,
            },
            "kubernetes": {
                "isConfigured": bool(lists),
                "lists": [_list(lists[kind]) for kind in KINDS if kind in lists],
            },
            "off": [{"feature": feature, "reason": reason} for feature, reason in _off(gate, lists)],
        }


def _list(status: LiveListStatus) -> dict[str, Any]:
    """Return how a list went; its error is for the log."""
    complete_at = status.last_complete_at
    return {
        "kind": status.kind,
        "isComplete": status.complete,
        "listedAt": text_of(status.listed_at),
        "lastCompleteAt": None if complete_at is None else text_of(complete_at),
    }


def _off(gate: Gate, lists: Mapping[str, LiveListStatus]) -> Iterator[tuple[str, str]]:
    """Yield what does not work, and why."""
    if gate.application is None:
        yield CLUSTER_PAGES, gate.reason.value
    for feature, kind in ((INSTALL, APPLICATIONS), (RECONCILIATION, APPLICATIONS), (RECOMMENDATIONS, VPAS)):
        status = lists.get(kind)
        if status is None or status.last_complete_at is None:
            yield feature, NEVER_LISTED if not lists else LIST_FAILED
