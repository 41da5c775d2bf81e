"""A stand-in for the Kubernetes API server: objects in, the real server's lists, errors and service proxy out."""

from local.standin_kubernetes.access import Access, anyone
from local.standin_kubernetes.fault import Fault
from local.standin_kubernetes.generated import generated_applications
from local.standin_kubernetes.server import StandInKubernetes
from local.standin_kubernetes.store import Store, Stored, stored

__all__ = [
    "Access",
    "Fault",
    "StandInKubernetes",
    "Store",
    "Stored",
    "anyone",
    "generated_applications",
    "stored",
]
