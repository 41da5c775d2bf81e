"""What a listed Application is to us: measured, or why not. The webhook decides by the same rules."""

from typing import Final

from costintel.argocd.destination import DestinationRules
from costintel.argocd.notification import ACCESS_APPLICATION, NO_NAMESPACE, OTHER_CLUSTER
from costintel.argocd.resources import is_namespace
from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication
from costintel.cost.ownership import Ownership

MEASURED: Final = "measured"
CLASSES: Final = (MEASURED, ACCESS_APPLICATION, OTHER_CLUSTER, NO_NAMESPACE)


def classification(application: LiveApplication, *, rules: DestinationRules, access: AppRef | None) -> str:
    """Return one of CLASSES.

    `access` is the access Application, which is never measured. `no_namespace`: its destination has none that could exist,
    and no resource of it names one.
    """
    if application.application == access:
        return ACCESS_APPLICATION
    if not rules.is_local(application.destination):
        return OTHER_CLUSTER
    namespace = application.destination.namespace
    if not is_namespace(namespace):
        return NO_NAMESPACE
    owned = Ownership(destination_namespace=namespace, resources=application.resources)
    return MEASURED if namespace or owned.namespaces else NO_NAMESPACE
