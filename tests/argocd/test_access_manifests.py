"""The access Application and the rights in the cluster fit each other, the code and the chart."""

import re
from pathlib import Path
from typing import Any

import yaml

from api import chart
from costintel.argocd.gate import ACCESS_LABEL, GateReason, GateRule
from costintel.cluster.applications import read_application
from costintel.cluster.kinds import APPLICATIONS, HPAS, NAMESPACES, VPAS
from costintel.cost.application import AppRef
from costintel.opencost.service_proxy import NAMESPACE, SERVICE, service_proxy_url

DEPLOY = Path(__file__).parents[2] / "deploy/argocd"
GROUP = "cost-intel-readers"


def objects(name: str) -> dict[str, dict[str, Any]]:
    """Return a file's objects by kind."""
    found = list(yaml.safe_load_all((DEPLOY / name).read_text(encoding="utf-8")))
    assert len({one["kind"] for one in found}) == len(found)
    return {one["kind"]: one for one in found}


ACCESS = objects("access-application.yaml")
APPLICATION, PROJECT = ACCESS["Application"], ACCESS["AppProject"]["spec"]
CLUSTER = objects("cluster-role.yaml")


def compared(application: dict[str, Any]) -> dict[str, Any]:
    """Return the Application as Argo CD keeps it once it has compared the empty chart."""
    about = {**application["metadata"], "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {**application, "metadata": about, "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}}}


def test_the_application_is_a_gate() -> None:
    """As our manifest makes it, read as the live list reads it, it opens the cluster to its readers."""
    live = read_application(compared(APPLICATION))
    gate = GateRule.parse("", AppRef("argocd", "cost-intel-access")).decide(live, is_listed=True)

    assert (gate.application, gate.reason) == (AppRef("argocd", "cost-intel-access"), GateReason.ACCESS_APPLICATION)
    assert APPLICATION["metadata"]["labels"] == {ACCESS_LABEL: "true"}


def test_before_the_comparison_it_is_none() -> None:
    """Nobody knows yet what it manages."""
    uncompared = {**compared(APPLICATION), "status": {}}
    gate = GateRule.parse("", AppRef("argocd", "cost-intel-access")).decide(
        read_application(uncompared), is_listed=True
    )

    assert gate.reason is GateReason.NOT_COMPARED


def test_it_is_made_of_the_chart_that_is_served() -> None:
    """Name, version and the path of the repository are those of the routes."""
    source = APPLICATION["spec"]["source"]

    assert (source["chart"], source["targetRevision"]) == (chart.NAME, chart.VERSION)
    assert re.fullmatch(r"https://[a-z0-9.-]+/charts", source["repoURL"])


def test_nothing_is_synced_by_itself() -> None:
    """There is nothing to sync; comparing is enough."""
    assert "syncPolicy" not in APPLICATION["spec"]


def test_the_project_permits_exactly_this_and_no_kind_of_resource() -> None:
    """One chart repository, one destination, every kind forbidden, in the cluster and in namespaces."""
    spec = APPLICATION["spec"]
    everything = [{"group": "*", "kind": "*"}]

    assert ACCESS["AppProject"]["metadata"] == {
        "name": spec["project"],
        "namespace": APPLICATION["metadata"]["namespace"],
    }
    assert PROJECT["sourceRepos"] == [spec["source"]["repoURL"]]
    assert PROJECT["destinations"] == [spec["destination"]]
    assert PROJECT["clusterResourceBlacklist"] == PROJECT["namespaceResourceBlacklist"] == everything
    assert set(PROJECT) == {
        "description",
        "sourceRepos",
        "destinations",
        "clusterResourceBlacklist",
        "namespaceResourceBlacklist",
    }


def test_the_destination_is_ours_by_its_server() -> None:
    """Argo CD 2 refuses an Application by name in a project that lists a server."""
    assert APPLICATION["spec"]["destination"]["server"] == "https://kubernetes.default.svc"


def test_the_cluster_role_permits_the_lists_and_nothing_else() -> None:
    """The rules are, letter by letter, those that a refused list asks for."""
    text = (DEPLOY / "cluster-role.yaml").read_text(encoding="utf-8")
    rules = [
        line.removeprefix("- ")
        for line in text.split("kind: ClusterRoleBinding", 1)[0].splitlines()
        if line.startswith("- ")
    ]

    assert sorted(rules) == sorted(kind.rule for kind in (APPLICATIONS, NAMESPACES, VPAS, HPAS))
    assert {verb for rule in CLUSTER["ClusterRole"]["rules"] for verb in rule["verbs"]} == {"get", "list"}


def test_opencost_is_reached_by_its_literal_name() -> None:
    """The role's resource name is the segment of the URL, and the role is in the namespace of the URL."""
    role = CLUSTER["Role"]

    assert role["metadata"]["namespace"] == NAMESPACE
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["services/proxy"], "resourceNames": [SERVICE], "verbs": ["get"]}
    ]
    assert f"/namespaces/{role['metadata']['namespace']}/services/{SERVICE}/proxy" in service_proxy_url(
        "https://example"
    )


def test_roles_are_bound_to_the_access_entrys_group() -> None:
    """Each binding names its own role and the one group."""
    for role, binding in (("ClusterRole", "ClusterRoleBinding"), ("Role", "RoleBinding")):
        bound = CLUSTER[binding]
        group = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": GROUP}

        assert bound["roleRef"] == {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": role,
            "name": CLUSTER[role]["metadata"]["name"],
        }
        assert bound["subjects"] == [group]
        assert bound["metadata"].get("namespace") == CLUSTER[role]["metadata"].get("namespace")
    assert not GROUP.startswith("system:")


def test_the_readme_and_the_comments_name_what_is_there() -> None:
    """The policy line in the README is about this Application in this project, and so is the setting in the comment."""
    readme = (DEPLOY / "README.md").read_text(encoding="utf-8")
    spec, about = APPLICATION["spec"], APPLICATION["metadata"]

    assert f"applications, get, {spec['project']}/{about['name']}, allow" in readme
    assert f"CLUSTER_ACCESS_APP={about['namespace']}:{about['name']}" in (DEPLOY / "access-application.yaml").read_text(
        encoding="utf-8"
    )
