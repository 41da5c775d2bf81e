"""Who owns which workload, and where it counts."""

from collections.abc import Iterable
from datetime import timedelta

import pytest

from costintel.cost.application import AppRef, Destination
from costintel.cost.container import ContainerCost
from costintel.cost.ownership import Resource
from costintel.cost.workload import Workload
from costintel.measurement.shares import divide
from costintel.measurement.subject import Subject
from tests.catalogue.landscape import LONG_AGO, added_up, container, deployment, subject, volume

YOUNGER = LONG_AGO + timedelta(days=30)


def owned(rows: list[ContainerCost], *subjects: Subject) -> tuple[list[list[str]], list[list[str]], list[str]]:
    """Return the controllers of each Application's own figure, of its counted share, and of what nobody owns."""
    shares = divide(added_up(*rows), subjects)
    return [names(part) for part in shares.own], [names(part) for part in shares.counted], names(shares.unowned)


def names(parts: Iterable[Workload]) -> list[str]:
    return sorted(one.controller or one.pod for one in parts)


def test_an_application_owns_what_it_lists_and_nothing_else() -> None:
    """`web` is listed, `web-admin` is not, whatever its name begins with."""
    rows = [container("shop", "web"), container("shop", "web-admin")]

    assert owned(rows, subject("a", "shop", deployment("web"))) == ([["web"]], [["web"]], ["web-admin"])


def test_a_resource_may_be_in_another_namespace() -> None:
    """A listed namespace goes before the destination's."""
    rows = [container("shop", "web"), container("jobs", "web")]

    own, _, unowned = owned(rows, subject("a", "shop", deployment("web", "jobs")))

    assert (own, unowned) == ([["web"]], ["web"])
    assert divide(added_up(*rows), [subject("a", "shop", deployment("web", "jobs"))]).own[0][0].namespace == "jobs"


def test_the_older_of_two_that_list_a_workload_owns_it() -> None:
    """Whichever order they come in; the younger has nothing of it in its own figure either."""
    young = subject("a", "shop", deployment("web"), created_at=YOUNGER)
    old = subject("b", "shop", deployment("web"))

    assert owned([container("shop", "web")], young, old) == ([[], ["web"]], [[], ["web"]], [])
    assert owned([container("shop", "web")], old, young) == ([["web"], []], [["web"], []], [])


def test_of_the_same_age_the_name_decides() -> None:
    """Namespace first, then name."""
    one = subject("z", "shop", deployment("web"), application=AppRef("argocd", "z"))
    other = subject("a", "shop", deployment("web"), application=AppRef("team", "a"))

    assert owned([container("shop", "web")], other, one)[1] == [[], ["web"]]


def test_without_a_creation_time_the_first_record_decides() -> None:
    """An Application of unknown age that was recorded in February is older than one made in March."""
    recorded = subject("a", "shop", deployment("web"), created_at=None, first_recorded_at=LONG_AGO + timedelta(days=31))
    created = subject("b", "shop", deployment("web"), created_at=LONG_AGO + timedelta(days=60))

    assert owned([container("shop", "web")], created, recorded)[1] == [[], ["web"]]


def test_whole_namespaces_have_everything_in_their_own_figure() -> None:
    """Two of namespace scope in one namespace each show all of it; it counts at the older one."""
    rows = [container("shop", "web"), container("shop", "db"), volume("shop", 0.5)]
    young = subject("a", "shop", resources=None, created_at=YOUNGER)
    old = subject("b", "shop", resources=None)

    own, counted, unowned = owned(rows, young, old)

    everything = ["__unmounted__", "db", "web"]
    assert own == [everything, everything]
    assert counted == [[], everything]
    assert unowned == []


def test_what_is_listed_counts_before_what_is_only_in_the_namespace() -> None:
    """Even when the Application of namespace scope is older: its list is not known, the other's is."""
    rows = [container("shop", "web"), container("shop", "db")]
    whole = subject("a", "shop", resources=None)
    listing = subject("b", "shop", deployment("web"), created_at=YOUNGER)

    own, counted, unowned = owned(rows, whole, listing)

    assert own == [["db", "web"], ["web"]]
    assert counted == [["db"], ["web"]]
    assert unowned == []


def test_unmounted_volumes_belong_to_nobody_who_lists_his_own() -> None:
    """They belong to the namespace."""
    rows = [container("shop", "web"), volume("shop", 0.5)]

    assert owned(rows, subject("a", "shop", deployment("web")))[2] == ["__unmounted__"]


def test_two_claims_on_one_pod_count_once() -> None:
    """A CronJob and the very Job it made are two claims; the pod counts at the older Application and stands at both."""
    row = container("shop", "import", pod="import-1700000000-abcde", controller_kind="job")
    young = subject("a", "shop", Resource("batch", "CronJob", "", "import"), created_at=YOUNGER)
    old = subject("b", "shop", Resource("batch", "Job", "", "import-1700000000"))

    assert owned([row], young, old) == ([["import"], ["import"]], [[], ["import"]], [])


def test_an_application_of_another_cluster_owns_nothing_here() -> None:
    """Even though a namespace and a workload here have the same names."""
    remote = subject(
        "a",
        "shop",
        deployment("web"),
        destination=Destination(server="https://other.example", namespace="shop"),
        is_here=False,
    )

    assert owned([container("shop", "web")], remote) == ([[]], [[]], ["web"])


@pytest.mark.parametrize(
    ("kind", "name", "row"),
    [
        ("Deployment", "web", container("shop", "web")),
        ("StatefulSet", "db", container("shop", "db", pod="db-0", controller_kind="statefulset")),
        ("DaemonSet", "agent", container("shop", "agent", pod="agent-abcde", controller_kind="daemonset")),
        ("CronJob", "nightly", container("shop", "nightly", pod="nightly-1700000000-abcde", controller_kind="job")),
        (
            "CronJob",
            "nightly",
            container("shop", "nightly-28345678", pod="nightly-28345678-abcde", controller_kind="job"),
        ),
        ("Job", "import-1700000000", container("shop", "import", pod="import-1700000000-abcde", controller_kind="job")),
        ("Rollout", "web", container("shop", "web-7d9f8c6b5d", controller_kind="replicaset")),
        ("Rollout", "web", container("shop", "web-7d9f8c6b5d", controller_kind="rollout")),
        ("Deployment", "web", container("shop", "", pod="web-7d9f8c6b5d-bcdfg", controller_kind="")),
        ("StatefulSet", "my-db", container("shop", "", pod="my-db-12", controller_kind="")),
        ("CronJob", "nightly", container("shop", "", pod="nightly-28345678-abcde", controller_kind="")),
        ("Pod", "debug", container("shop", "", pod="debug", controller_kind="")),
    ],
)
def test_every_way_of_owning_is_found(kind: str, name: str, row: ContainerCost) -> None:
    """The index by name finds all that the ownership rules accept."""
    lists = subject("a", "shop", Resource("", kind, "", name))

    assert len(owned([row], lists)[0][0]) == 1


@pytest.mark.parametrize(
    ("kind", "name", "row"),
    [
        ("Deployment", "web", container("shop", "web", controller_kind="statefulset")),
        ("Deployment", "web", container("team", "web")),
        ("Deployment", "we", container("shop", "", pod="web-7d9f8c6b5d-bcdfg", controller_kind="")),
        ("Job", "import-1700000001", container("shop", "import", pod="import-1700000000-abcde", controller_kind="job")),
    ],
)
def test_what_is_not_owned_is_not_found(kind: str, name: str, row: ContainerCost) -> None:
    """A near miss of kind, namespace or name."""
    assert owned([row], subject("a", "shop", Resource("", kind, "", name)))[0] == [[]]
