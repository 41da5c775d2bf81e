"""The gate: the Application that a caller must be allowed to read before routes about the whole cluster are answered.

Argo CD's extension proxy checks nothing but the right to read one Application, so that right is what opens the cluster: either an
Application named by the operator, or the access Application of deploy/argocd/, which deploys nothing and exists for this alone.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from costintel.argocd.problem import GATE_OFF, NOT_GATE, Problem
from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication
from costintel.errors import ConfigurationError

ACCESS_LABEL = "cost-intel/cluster-access"
"""Label of the access Application, with any value: it is set on purpose, by who may change the Application."""
_OFF = frozenset({"off", "false", "no", "0"})


class GateReason(StrEnum):
    """Why the gate is which Application, or none."""

    CONFIGURED = "configured"
    """CLUSTER_SCOPE_APP names it."""
    ACCESS_APPLICATION = "access_application"
    """CLUSTER_ACCESS_APP names it, and the live list has it as it should be."""
    SWITCHED_OFF = "switched_off"
    """CLUSTER_SCOPE_APP says so."""
    NOT_CONFIGURED = "not_configured"
    """Neither setting names one."""
    NO_LIVE_LIST = "no_live_list"
    """Applications were never listed completely."""
    NOT_LISTED = "not_listed"
    """There is no such Application."""
    BEING_DELETED = "being_deleted"
    NOT_LABELLED = "not_labelled"
    NOT_COMPARED = "not_compared"
    """Argo CD does not say what it manages."""
    LISTS_RESOURCES = "lists_resources"
    """It manages something, so it is not there for access alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The gate Application; None when the routes about the whole cluster are closed to everybody."""

    application: AppRef | None
    reason: GateReason

    def refusal(self, application: AppRef) -> Problem | None:
        """Return why a caller who may read `application` is refused, None when it is the gate."""
        if self.application is None:
            detail = "Routes about the whole cluster are closed; /config says why"
            return Problem(GATE_OFF, detail, {"reason": self.reason.value})
        if application != self.application:
            return Problem(NOT_GATE, "Argocd-Application-Name names another application than the gate")
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """What the settings say of the gate."""

    scope: AppRef | None
    access: AppRef | None
    is_switched_off: bool

    @classmethod
    def parse(cls, scope: str, access: AppRef | None, *, setting: str = "CLUSTER_SCOPE_APP") -> Self:
        """Read the gate's name, or the word that closes it. Raises ConfigurationError naming `setting`."""
        is_off = scope.lower() in _OFF
        named = AppRef.parse(scope)
        if scope and named is None and not is_off:
            raise ConfigurationError(f"{setting}: expected namespace:name, or off")
        return cls(scope=named, access=access, is_switched_off=is_off)

    @property
    def asks_for(self) -> AppRef | None:
        """The Application whose live state decides; None when the settings alone do."""
        return None if self.scope is not None or self.is_switched_off else self.access

    def decide(self, live: LiveApplication | None, *, is_listed: bool) -> Gate:
        """Return the gate.

        `live` is what the last complete list has of `asks_for`, None if it is not in there; `is_listed` says whether there was a
        complete list at all. A list that failed since then changes nothing.
        """
        if self.scope is not None:
            return Gate(application=self.scope, reason=GateReason.CONFIGURED)
        if self.is_switched_off:
            return Gate(application=None, reason=GateReason.SWITCHED_OFF)
        if self.access is None:
            return Gate(application=None, reason=GateReason.NOT_CONFIGURED)
        reason = _doubt(live) if is_listed else GateReason.NO_LIVE_LIST
        if reason is not None:
            return Gate(application=None, reason=reason)
        return Gate(application=self.access, reason=GateReason.ACCESS_APPLICATION)


def _doubt(live: LiveApplication | None) -> GateReason | None:
    """Return in which way an Application is not what our manifest makes, None when it is."""
    if live is None:
        return GateReason.NOT_LISTED
    if live.deleting:
        return GateReason.BEING_DELETED
    if ACCESS_LABEL not in live.labels:
        return GateReason.NOT_LABELLED
    if live.resources is None:
        return GateReason.NOT_COMPARED
    return GateReason.LISTS_RESOURCES if live.resources else None
