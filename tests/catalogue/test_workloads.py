"""Containers added up by what owns them."""

from costintel.cost.workload import NOTHING, together
from tests.catalogue.landscape import added_up, container, volume


def test_containers_of_one_controller_are_one_workload() -> None:
    """Two pods of a Deployment with two containers each: one workload, its costs added, both pods known."""
    rows = [
        container("shop", "web", 1.0, pod=f"web-7d9f8c6b5d-{pod}", container=name, ram_cost=0.25)
        for pod in ("aaaaa", "bbbbb")
        for name in ("main", "sidecar")
    ]

    [workload] = added_up(*rows)

    assert workload.cost.amounts.cpu == 4.0
    assert workload.cost.amounts.ram == 1.0
    assert workload.pods == {"web-7d9f8c6b5d-aaaaa", "web-7d9f8c6b5d-bbbbb"}
    assert (workload.namespace, workload.controller_kind, workload.controller) == ("shop", "deployment", "web")


def test_idle_and_efficiency_add_up() -> None:
    """12 of 24 and 24 of 24 core-hours used: three quarters; idle 0.5 and 0."""
    rows = [
        container("shop", "web", 1.0),
        container("shop", "web", 1.0, container="busy", cpu_core_hours_used=24.0, idle_cpu_cost=0.0),
    ]

    [workload] = added_up(*rows)

    assert workload.cost.efficiency.cpu == 0.75
    assert workload.cost.efficiency.ram is None
    assert (workload.cost.idle.cpu, workload.cost.idle.ram, workload.cost.idle.complete) == (0.5, 0.0, True)


def test_unmeasured_usage_of_one_container_is_told_of_all() -> None:
    """One container whose idle is not complete makes the sum "at least"."""
    rows = [container("shop", "web"), container("shop", "web", container="dark", idle_complete=False)]

    [workload] = added_up(*rows)

    assert workload.cost.idle.complete is False


def test_the_first_start_counts() -> None:
    """A workload runs since its first container."""
    rows = [container("shop", "web", start=2000), container("shop", "web", pod="web-7d9f8c6b5d-bbbbb", start=1000)]

    [workload] = added_up(*rows)

    assert workload.cost.start == 1000


def test_pods_without_a_known_controller_stay_apart() -> None:
    """Only the shape of their names can tell whose they are."""
    rows = [container("shop", "", pod=pod, controller_kind="") for pod in ("web-7d9f8c6b5d-aaaaa", "db-0", "db-0")]

    assert [workload.pod for workload in added_up(*rows)] == ["web-7d9f8c6b5d-aaaaa", "db-0"]


def test_pods_of_one_job_name_stay_apart() -> None:
    """OpenCost gives several Jobs one name; the pod's tells which one it was."""
    rows = [
        container("shop", "import", pod=pod, controller_kind="job")
        for pod in ("import-1700000000-aaaaa", "import-1700003600-bbbbb")
    ]

    assert len(added_up(*rows)) == 2


def test_kinds_and_namespaces_are_told_apart() -> None:
    """The same name as another kind, or elsewhere, is another workload."""
    rows = [
        container("shop", "web"),
        container("shop", "web", pod="web-0", controller_kind="statefulset"),
        container("team", "web"),
    ]

    assert len(added_up(*rows)) == 3


def test_what_did_not_run_belongs_to_its_namespace() -> None:
    """Unmounted volumes are a workload without pods and without a start."""
    [workload] = added_up(volume("shop", 0.5))

    assert workload.cost.amounts.storage == 0.5
    assert (workload.running, workload.pods, workload.cost.start) == (False, frozenset(), None)


def test_nothing_costs_nothing() -> None:
    """No workload at all: zero, complete, and no efficiency."""
    assert together([]) is NOTHING
    assert NOTHING.amounts.total == 0.0
    assert NOTHING.efficiency.cpu is None


def test_workloads_together_are_the_exact_sum() -> None:
    """Ten times 0.1 is 1, whatever floats say on the way."""
    parts = added_up(*(container("shop", f"web-{number}", 0.1) for number in range(10)))

    assert together(parts).amounts.cpu == 1.0
