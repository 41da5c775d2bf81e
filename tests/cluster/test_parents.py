"""Apps of apps."""

from typing import Any

from costintel.argocd.destination import DestinationRules
from costintel.cluster.applications import read_application
from costintel.cluster.parents import with_parents
from costintel.cost.application import AppRef
from tests.cluster.objects import application, listed, sample_applications


def parent(
    name: str, *children: str, server: str = "https://kubernetes.default.svc", **metadata: str
) -> dict[str, Any]:
    """Make an Application in argocd that lists Applications there."""
    entries = [listed("Application", child, group="argoproj.io", namespace="argocd") for child in children]
    spec = {"destination": {"server": server, "namespace": "argocd"}}
    return application(name, spec=spec, metadata=metadata, status={"resources": entries})


def parents_of(*items: dict[str, Any]) -> dict[str, str]:
    found = with_parents(map(read_application, items), DestinationRules())
    return {str(one.application): str(one.parent) for one in found if one.parent}


def test_the_sample_has_one_parent() -> None:
    """platform-root lists shop-web and shop-worker; the ApplicationSet it lists too is no Application."""
    assert parents_of(*sample_applications().values()) == {
        "argocd:shop-web": "argocd:platform-root",
        "argocd:shop-worker": "argocd:platform-root",
    }


def test_names_in_other_namespaces_are_others() -> None:
    """A parent lists argocd's `web`; the one of team-a has no parent."""
    assert parents_of(parent("root", "web"), application("web"), application("web", "team-a")) == {
        "argocd:web": "argocd:root"
    }


def test_a_resource_without_namespace_is_in_the_destinations() -> None:
    """As everywhere."""
    entry = listed("Application", "web", group="argoproj.io", namespace="")
    root = application(
        "root", spec={"destination": {"name": "in-cluster", "namespace": "team-a"}}, status={"resources": [entry]}
    )

    assert parents_of(root, application("web", "team-a")) == {"team-a:web": "argocd:root"}


def test_the_older_of_two_parents_counts() -> None:
    """Whatever the order of the list; of two as old, the first by namespace and name."""
    young = parent("a-young", "web", creationTimestamp="2026-08-02T00:00:00Z")
    old = parent("b-old", "web", "api", creationTimestamp="2026-08-01T00:00:00Z")
    same = parent("a-same", "api", creationTimestamp="2026-08-01T00:00:00Z")

    assert parents_of(young, old, same, application("web"), application("api")) == {
        "argocd:web": "argocd:b-old",
        "argocd:api": "argocd:a-same",
    }


def test_objects_on_another_cluster_are_not_ours() -> None:
    """An Application that deploys elsewhere lists what lives there, under names that exist here too."""
    assert parents_of(parent("root", "web", server="https://10.0.0.1"), application("web")) == {}


def test_nobody_is_its_own_parent() -> None:
    """An Application may manage its own object."""
    assert parents_of(parent("root", "root", "web"), application("web")) == {"argocd:web": "argocd:root"}


def test_a_kind_of_the_same_name_is_another() -> None:
    """Only Argo CD's Application is one."""
    entry = listed("Application", "web", group="app.k8s.io", namespace="argocd")

    assert parents_of(application("root", status={"resources": [entry]}), application("web")) == {}


def test_a_parent_that_is_listed_only() -> None:
    """Of Applications that are not in the list nothing is said."""
    found = with_parents([read_application(parent("root", "gone"))], DestinationRules())

    assert [(one.application, one.parent) for one in found] == [(AppRef("argocd", "root"), None)]
