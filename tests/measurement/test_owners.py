"""Owners are found by index exactly as if each application were asked."""

from hypothesis import given, settings
from hypothesis import strategies as st

from costintel.cost.container import ContainerCost, container_cost
from costintel.cost.owners import Owners
from costintel.cost.ownership import Ownership, Resource
from tests.cost.rows import row

KINDS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Rollout", "Pod", "ConfigMap")
NAMES = ("web", "web-api", "nightly", "nightly-29400000", "db")
PODS = (
    "web",
    "web-5c9d8f7b6d-aaaaa",
    "web-api-5c9d8f7b6d-bbbbb",
    "db-0",
    "nightly-29400000-abcde",
    "nightly-abcde",
    "web-zzzzz",
)
CONTROLLERS = ("", "web", "web-api", "web-5c9d8f7b6d", "nightly", "nightly-29400000", "db", "web-api-5c9d8f7b6d")
CONTROLLER_KINDS = ("", "deployment", "statefulset", "daemonset", "replicaset", "job", "rollout")

resources = st.builds(
    Resource, st.just("apps"), st.sampled_from(KINDS), st.sampled_from(("", "shop", "data")), st.sampled_from(NAMES)
)
ownerships = st.builds(
    lambda namespace, listed: Ownership(destination_namespace=namespace, resources=listed),
    st.sampled_from(("shop", "data")),
    st.none() | st.lists(resources, max_size=4).map(tuple),
)
containers = st.builds(
    lambda namespace, pod, kind, controller: container_cost(
        row(namespace=namespace, pod=pod, controller_kind=kind, controller=controller)
    ),
    st.sampled_from(("shop", "data")),
    st.sampled_from(PODS),
    st.sampled_from(CONTROLLER_KINDS),
    st.sampled_from(CONTROLLERS),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(ownerships, max_size=5), containers)
def test_the_index_finds_who_owns_a_pod(listed: list[Ownership], container: ContainerCost) -> None:
    """For any lists and any pod the same owners come out."""
    by_key = {str(number): ownership for number, ownership in enumerate(listed)}

    expected = {key for key, ownership in by_key.items() if ownership.owns(container)}

    assert Owners(by_key).of(container) == expected


def test_storage_that_nothing_uses_belongs_to_whole_namespaces_only() -> None:
    """Unmounted volumes are no application's, whatever their made-up pod is called."""
    volumes = container_cost(
        row(pod="shop-unmounted-pvcs", container="__unmounted__", controller="", controller_kind="")
    )
    listed = Ownership(destination_namespace="shop", resources=(Resource("", "Pod", "shop", "shop-unmounted-pvcs"),))
    whole = Ownership(destination_namespace="shop", resources=None)

    assert Owners({"listed": listed, "whole": whole}).of(volumes) == {"whole"}


def test_a_foreign_claim_owns_nothing() -> None:
    """A workload that counts for another Application is not this one's."""
    web = Resource("apps", "Deployment", "shop", "web")
    own = Ownership(destination_namespace="shop", resources=(web,), foreign=frozenset({("shop", "deployment", "web")}))

    assert Owners({"own": own}).of(container_cost(row())) == set()
