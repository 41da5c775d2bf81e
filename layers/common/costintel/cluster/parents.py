"""Apps of apps: which Application manages another one's object."""

from collections.abc import Iterable
from dataclasses import replace

from costintel.argocd.destination import DestinationRules
from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication


def with_parents(applications: Iterable[LiveApplication], rules: DestinationRules) -> tuple[LiveApplication, ...]:
    """Return the Applications of a whole list with their parents.

    Of several Applications that list the same one the oldest is its parent, as with workloads. One that deploys to another
    cluster lists objects there: they are not ours, whatever they are called.
    """
    listed = tuple(applications)
    parents: dict[AppRef, AppRef] = {}
    for parent in sorted(listed, key=lambda one: (one.created_at, one.application)):
        if rules.is_local(parent.destination):
            for child in _children(parent):
                parents.setdefault(child, parent.application)
    return tuple(replace(one, parent=parents[one.application]) if one.application in parents else one for one in listed)


def _children(parent: LiveApplication) -> Iterable[AppRef]:
    """Yield the Applications among its resources; a resource without a namespace is in the destination's."""
    for resource in parent.resources or ():
        if resource.kind == "Application" and resource.group == "argoproj.io":
            child = AppRef(resource.namespace or parent.destination.namespace, resource.name)
            if child != parent.application:
                yield child
