"""Which pods are an application's own (pitfall 63, T19, CronJobs, Rollouts, Jobs)."""

import pytest

from costintel.cost.allocation import Allocation
from costintel.cost.ownership import Ownership, Resource, owns_pod
from tests.cost.rows import row


def pod(name: str, kind: str = "", controller: str = "", namespace: str = "shop") -> Allocation:
    return row(namespace=namespace, pod=name, controller_kind=kind, controller=controller)


def owning(*resources: tuple[str, str, str]) -> Ownership:
    listed = tuple(Resource("apps", kind, namespace, name) for kind, namespace, name in resources)
    return Ownership(destination_namespace="shop", resources=listed)


def test_kind_namespace_and_name_must_all_match() -> None:
    """A Deployment web owns deployment web of its namespace, and neither a DaemonSet web nor the one next door."""
    ours = owning(("Deployment", "shop", "web"))

    assert ours.owns(pod("web-5c9d8f7b6d-aaaaa", "deployment", "web"))
    assert not ours.owns(pod("web-aaaaa", "daemonset", "web"))
    assert not ours.owns(pod("web-5c9d8f7b6d-aaaaa", "deployment", "web", namespace="team-b"))
    assert not ours.owns(pod("web-api-5c9d8f7b6d-aaaaa", "deployment", "web-api"))


def test_a_resource_without_namespace_takes_the_destinations() -> None:
    """Resources that name no namespace live where the Application deploys."""
    ours = owning(("Deployment", "", "web"))

    assert ours.owns(pod("web-5c9d8f7b6d-aaaaa", "deployment", "web"))
    assert ours.namespaces == ("shop",)


def test_a_cronjob_owns_its_jobs_pods() -> None:
    """OpenCost calls a CronJob's pods kind job with the CronJob's name; the numbered Job's own name counts as well."""
    assert owns_pod("cronjob", "poll", pod("poll-29931000-zz9yx", "job", "poll"))
    assert owns_pod("cronjob", "poll", pod("poll-29931000-zz9yx", "job", "poll-29931000"))
    assert not owns_pod("cronjob", "poll", pod("poller-29931000-zz9yx", "job", "poller"))


def test_a_job_also_matches_its_name_without_a_number() -> None:
    """A plain Job import-20260310 shows as job import, and is told from its sibling of another day by the pod's name."""
    assert owns_pod("job", "import-20260310", pod("import-20260310-x7k2p", "job", "import"))
    assert not owns_pod("job", "import-20260310", pod("import-20260311-x7k2p", "job", "import"))


def test_a_rollout_owns_its_replicasets_pods() -> None:
    """A Rollout's pods belong to it whether OpenCost named the Rollout or its ReplicaSet."""
    assert owns_pod("rollout", "api", pod("api-6b7c8d9f5b-mmmmm", "rollout", "api"))
    assert owns_pod("rollout", "api", pod("api-6b7c8d9f5b-mmmmm", "rollout", "api-6b7c8d9f5b"))
    assert not owns_pod("rollout", "api", pod("api-admin-6b7c8d9f5b-mmmmm", "rollout", "api-admin-6b7c8d9f5b"))


@pytest.mark.parametrize(
    ("kind", "name", "generated"),
    [
        ("deployment", "web", "web-5c9d8f7b6d-x2x4z"),
        ("statefulset", "db", "db-0"),
        ("daemonset", "agent", "agent-x2x4z"),
        ("job", "migrate", "migrate-x2x4z"),
        ("cronjob", "poll", "poll-29931000-x2x4z"),
        ("pod", "toolbox", "toolbox"),
    ],
)
def test_generated_names_decide_when_the_controller_is_lost(kind: str, name: str, generated: str) -> None:
    """T19: without a controller the shape of the pod's generated name tells its owner."""
    assert owns_pod(kind, name, pod(generated))


@pytest.mark.parametrize(
    ("kind", "name", "other"),
    [
        ("deployment", "web", "web-api-5c9d8f7b6d-x2x4z"),
        ("deployment", "web", "web-api-x2x4z"),
        ("statefulset", "db", "db-backup-0"),
        ("daemonset", "agent", "agent-5c9d8f7b6d-x2x4z"),
        ("service", "web", "web"),
    ],
)
def test_a_bare_prefix_never_decides(kind: str, name: str, other: str) -> None:
    """A pod whose name merely starts with the resource's name belongs to someone else."""
    assert not owns_pod(kind, name, pod(other))


def test_namespace_scope_owns_everything_in_the_namespace() -> None:
    """Without a list of resources the whole deployment namespace is the application's."""
    whole = Ownership(destination_namespace="shop", resources=None)

    assert whole.scope == "namespace"
    assert whole.owns(pod("anything"))
    assert not whole.owns(pod("anything", namespace="ledger"))


def test_an_empty_list_is_application_scope_without_pods() -> None:
    """A list that is present and empty means the application has no pods, not that it has the namespace."""
    none = Ownership(destination_namespace="shop", resources=())

    assert none.scope == "application"
    assert not none.owns(pod("anything"))


def test_a_contested_workload_is_not_counted_twice() -> None:
    """What an older Application lists too counts there and not here."""
    listed = (Resource("apps", "Deployment", "shop", "web"), Resource("apps", "Deployment", "shop", "api"))
    ours = Ownership(destination_namespace="shop", resources=listed, foreign=frozenset({("shop", "deployment", "web")}))

    assert not ours.owns(pod("web-5c9d8f7b6d-aaaaa", "deployment", "web"))
    assert ours.owns(pod("api-5c9d8f7b6d-aaaaa", "deployment", "api"))


def test_custom_resources_are_named() -> None:
    """An operator's resource hides pods that cannot be told apart, so it is said."""
    listed = (
        Resource("monitoring.coreos.com", "Prometheus", "monitoring", "main"),
        Resource("apps", "Deployment", "monitoring", "web"),
        Resource("networking.k8s.io", "Ingress", "monitoring", "web"),
    )

    assert Ownership(destination_namespace="monitoring", resources=listed).custom_kinds() == (
        "monitoring.coreos.com/Prometheus",
    )
