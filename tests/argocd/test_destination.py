"""Which destinations are our cluster."""

import pytest

from costintel.argocd.destination import DestinationRules
from costintel.cost.application import Destination

ALIASES = ("https://0A1B2C3D.gr7.eu-west-1.eks.amazonaws.com", "prod eu", "https://api.example.com:6443/k8s/")


@pytest.mark.parametrize(
    "server",
    [
        "",
        "https://kubernetes.default.svc",
        "https://kubernetes.default.svc/",
        "https://kubernetes.default.svc:443",
        "https://kubernetes.default.svc:443/",
        "https://kubernetes.default.svc.cluster.local",
        "https://kubernetes.default.svc.cluster.local:443/",
        "HTTPS://Kubernetes.Default.svc",
    ],
)
@pytest.mark.parametrize("name", ["", "in-cluster"])
def test_the_spellings_of_our_own_cluster_are_local(server: str, name: str) -> None:
    """Argo CD's own cluster has several spellings, by server, by name, by both and by neither."""
    assert DestinationRules().is_local(Destination(server=server, name=name, namespace="shop"))


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ("https://0A1B2C3D.gr7.eu-west-1.eks.amazonaws.com", ""),
        ("", "prod"),
        ("", "In-Cluster"),
        ("", "in-cluster-2"),
        ("https://kubernetes.default.svc", "prod"),
        ("https://10.0.0.1", "in-cluster"),
        ("https://kubernetes.default.svc.evil.example.com", ""),
        ("https://kubernetes.default.svc@evil.example.com", ""),
        ("https://kubernetes.default.svc/other", ""),
        ("http://kubernetes.default.svc", ""),
        ("kubernetes.default.svc", ""),
        ("https://[kubernetes", ""),
    ],
)
def test_others_are_remote(server: str, name: str) -> None:
    """Whatever is not one of the spellings, in server or in name, is another cluster."""
    assert not DestinationRules().is_local(Destination(server=server, name=name, namespace="shop"))


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ("https://0a1b2c3d.GR7.eu-west-1.eks.amazonaws.com", ""),
        ("https://0A1B2C3D.gr7.eu-west-1.eks.amazonaws.com:443/", ""),
        ("", "prod eu"),
        ("https://api.example.com:6443/k8s", ""),
        ("https://0A1B2C3D.gr7.eu-west-1.eks.amazonaws.com", "prod eu"),
        ("https://kubernetes.default.svc", "prod eu"),
    ],
)
def test_aliases_are_local(server: str, name: str) -> None:
    """Configured URLs count without case, default port and slash at the end; configured names as they are."""
    assert DestinationRules(ALIASES).is_local(Destination(server=server, name=name))


@pytest.mark.parametrize(("server", "name"), [("https://api.example.com/k8s", ""), ("", "prod"), ("", "Prod EU")])
def test_what_only_resembles_an_alias_is_remote(server: str, name: str) -> None:
    """Another port, another name, another case of a name are other clusters."""
    assert not DestinationRules(ALIASES).is_local(Destination(server=server, name=name))
