"""Which Applications of a list are measured: the sample's, 5,000 generated ones, and the odd ones."""

from collections import Counter
from typing import Any

import pytest

from costintel.argocd.destination import DestinationRules
from costintel.cluster.applications import read_application
from costintel.cluster.classification import classification
from costintel.cost.application import AppRef
from local.standin_kubernetes import generated_applications
from tests.cluster.objects import application, listed, sample_applications

OWN = "https://kubernetes.default.svc"
SAMPLE = {
    "argocd:platform-root": ("measured", 5),
    "argocd:shop-web": ("measured", 1),
    "argocd:shop-worker": ("measured", 3),
    "team-a:web": ("measured", 2),
    "team-b:web": ("measured", 1),
    "argocd:kube-prometheus-stack": ("measured", 6),
    "argocd:postgres-eu": ("measured", 3),
    "argocd:checkout-us-east-1": ("other_cluster", 1),
    "argocd:checkout-eu-central-1": ("other_cluster", 1),
    "argocd:cluster-rbac": ("no_namespace", 1),
}
GENERATED = {
    "by-server": ("measured", 3000),
    "by-name": ("measured", 600),
    "with-slash": ("measured", 150),
    "with-port": ("measured", 150),
    "no-resources-yet": ("measured", 200),
    "app-of-apps": ("measured", 100),
    "resources-elsewhere": ("measured", 100),
    "cluster-scoped": ("no_namespace", 100),
    "other-server": ("other_cluster", 300),
    "other-name": ("other_cluster", 200),
    "alike-server": ("other_cluster", 50),
    "server-and-other-name": ("other_cluster", 50),
}


def class_of(item: object, *aliases: str, access: AppRef | None = None) -> str:
    return classification(read_application(item), rules=DestinationRules(aliases), access=access)


def test_the_sample() -> None:
    """Each Application's class, and how many of its resources could own pods."""
    found = {
        name: (class_of(item), len(read_application(item).resources or ()))
        for name, item in sample_applications().items()
    }

    assert found == SAMPLE


def test_five_thousand_generated_applications() -> None:
    """Every variant has one class, and every Application of it is counted."""
    found = Counter(
        (item["metadata"]["labels"]["variant"], class_of(item)) for item in generated_applications(5000, object_bytes=0)
    )

    assert found == {(variant, of_class): count for variant, (of_class, count) in GENERATED.items()}


def test_the_access_application_is_never_measured() -> None:
    """Only the one of that namespace and name."""
    access = AppRef("argocd", "cost-intel-access")

    assert class_of(application("cost-intel-access"), access=access) == "access_application"
    assert class_of(application("cost-intel-access", "team-a"), access=access) == "measured"


def test_an_alias_is_our_cluster_too() -> None:
    """The same cluster may be registered under its public address."""
    item = application(spec={"destination": {"server": "https://api.example.com:6443", "namespace": "shop"}})

    assert class_of(item) == "other_cluster"
    assert class_of(item, "https://api.example.com:6443") == "measured"


@pytest.mark.parametrize(
    ("destination", "resources", "expected"),
    [
        ({"server": OWN, "namespace": "shop"}, None, "measured"),
        ({"server": OWN, "namespace": "Shop Prod"}, None, "no_namespace"),
        ({"server": OWN}, None, "no_namespace"),
        ({"server": OWN}, [listed("Deployment", "web", group="apps", namespace="shop")], "measured"),
        ({"server": OWN}, [listed("Deployment", "web", group="apps", namespace="")], "no_namespace"),
        ({"server": OWN}, [listed("ConfigMap", "settings", namespace="shop")], "no_namespace"),
        ({"name": "in-cluster", "server": "https://10.0.0.1", "namespace": "shop"}, None, "other_cluster"),
        ({"name": "prod", "namespace": "shop"}, None, "other_cluster"),
    ],
)
def test_odd_destinations(destination: dict[str, Any], resources: list[Any] | None, expected: str) -> None:
    """A namespace that cannot exist is none; without one the resources must name theirs."""
    status = {"sync": {"status": "Synced"}, "resources": resources} if resources is not None else {}

    assert class_of(application(spec={"destination": destination}, status=status)) == expected
