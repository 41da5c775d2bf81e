"""The ways to reach a cluster: endpoint and token, TLS with a CA, a kubeconfig, a file, or none of them."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from costintel.argocd.destination import DestinationRules
from costintel.cluster.cluster import open_cluster
from costintel.cluster.settings import NAMES, ClusterSettings, read_settings
from costintel.errors import ConfigurationError
from local.standin_kubernetes import Access, StandInKubernetes
from tests.cluster.conftest import NOW, TOKEN, OpenCluster, StartStandIn
from tests.cluster.objects import SAMPLES, application, namespace_object
from tests.opencost.certificates import write_certificate

ROOT = Path(__file__).parents[2]
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "ASIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "session"}


def settings_of(**values: str) -> ClusterSettings:
    return read_settings(lambda name: values.get(name, ""))


def kubeconfig(path: Path, stand_in: StandInKubernetes, user: Mapping[str, object]) -> str:
    """Write a kubeconfig; JSON is YAML too."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "k", "cluster": {"server": stand_in.endpoint}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "current-context": "c",
    }
    path.write_text(json.dumps(document))
    return str(path)


def test_no_setting_is_no_kubernetes() -> None:
    """Measuring works without; there is no cluster to list."""
    assert open_cluster(settings_of(), rules=DestinationRules(), clock=lambda: NOW) is None


def test_settings_are_read_by_name() -> None:
    """Each has its place."""
    values = {
        "KUBERNETES_ENDPOINT": "https://k.example.com/",
        "KUBERNETES_CA_FILE": "ca.pem",
        "EKS_CLUSTER_NAME": "prod-1",
        "AWS_REGION": "eu-west-1",
        "APPLICATIONS_FILE": "apps.json",
    }

    assert settings_of(**values) == ClusterSettings(
        endpoint="https://k.example.com",
        ca_file="ca.pem",
        eks_cluster_name="prod-1",
        region="eu-west-1",
        applications_file="apps.json",
    )
    assert set(values) < set(NAMES)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"KUBERNETES_ENDPOINT": "k.example.com"}, "KUBERNETES_ENDPOINT: expected an https:// address without a path"),
        (
            {"KUBERNETES_ENDPOINT": "http://k.example.com", "KUBERNETES_TOKEN": "t"},
            "KUBERNETES_ENDPOINT: expected an https:// address without a path",
        ),
        (
            {"KUBERNETES_ENDPOINT": "https://k.example.com/k8s", "KUBERNETES_TOKEN": "t"},
            "KUBERNETES_ENDPOINT: expected an https:// address without a path",
        ),
        (
            {"KUBERNETES_ENDPOINT": "https://k.example.com"},
            "EKS_CLUSTER_NAME: expected the cluster's name, because KUBERNETES_ENDPOINT is set",
        ),
        (
            {"KUBERNETES_ENDPOINT": "https://k.example.com", "EKS_CLUSTER_NAME": "prod-1"},
            "AWS_REGION: expected the region of the EKS cluster",
        ),
    ],
)
def test_settings_that_cannot_work_are_named(values: dict[str, str], error: str) -> None:
    """A token never travels unencrypted but to our own machine, and an endpoint needs a token."""
    with pytest.raises(ConfigurationError) as caught:
        settings_of(**values)

    assert str(caught.value) == error


def test_eks_tokens_are_sent_with_every_request(start_stand_in: StartStandIn) -> None:
    """The API server gets one made with the credentials of the moment, not of the start."""
    seen: list[str] = []

    def accepts(token: str) -> bool:
        seen.append(token)
        return token.startswith("k8s-aws-v1.")

    stand_in = start_stand_in(access=Access(accepts=accepts))
    values = dict(CREDENTIALS)
    settings = ClusterSettings(endpoint=stand_in.endpoint, eks_cluster_name="prod-1", region="eu-west-1")
    cluster = open_cluster(settings, rules=DestinationRules(), clock=lambda: NOW, values=values)
    assert cluster is not None
    with cluster:
        assert cluster.namespaces().complete
        assert cluster.namespaces().complete
        values["AWS_ACCESS_KEY_ID"] = "ASIAOTHER"
        assert cluster.namespaces().complete

    assert seen[0] == seen[1] != seen[2]


def test_missing_credentials_stop_at_the_first_list(stand_in: StandInKubernetes) -> None:
    """A wrong setup is no failed list."""
    settings = ClusterSettings(endpoint=stand_in.endpoint, eks_cluster_name="prod-1", region="eu-west-1")
    cluster = open_cluster(settings, rules=DestinationRules(), clock=lambda: NOW, values={})
    assert cluster is not None

    with cluster, pytest.raises(ConfigurationError, match="AWS_ACCESS_KEY_ID"):
        cluster.namespaces()


def test_the_clusters_ca_is_trusted(
    start_stand_in: StartStandIn, open_standin_cluster: OpenCluster, tmp_path: Path
) -> None:
    """With the CA file of the cluster its certificate holds."""
    ca_file, tls = write_certificate(tmp_path)
    cluster = open_standin_cluster(start_stand_in(tls=tls), ca_file=str(ca_file))

    assert cluster.namespaces().complete


def test_another_certificate_is_not_trusted(
    start_stand_in: StartStandIn, open_standin_cluster: OpenCluster, tmp_path: Path
) -> None:
    """Without the CA no token is sent, and the error says why."""
    stand_in = start_stand_in(tls=write_certificate(tmp_path)[1])
    outcome = open_standin_cluster(stand_in).namespaces()

    assert outcome.error == "namespaces: the API server's certificate is not trusted by the CA"
    assert stand_in.calls.summary()["total"] == 0


def test_a_missing_ca_file_is_named(stand_in: StandInKubernetes, open_standin_cluster: OpenCluster) -> None:
    """By its setting."""
    with pytest.raises(ConfigurationError, match="KUBERNETES_CA_FILE: expected a readable file"):
        open_standin_cluster(stand_in, ca_file="/nowhere.pem").namespaces()


def test_a_kubeconfig_with_a_token(stand_in: StandInKubernetes, tmp_path: Path) -> None:
    """Server and token of its current context are used."""
    path = kubeconfig(tmp_path / "config", stand_in, {"token": TOKEN})
    cluster = open_cluster(ClusterSettings(kubeconfig=path), rules=DestinationRules(), clock=lambda: NOW)
    assert cluster is not None

    with cluster:
        assert cluster.namespaces().complete


def test_a_kubeconfig_with_a_program(stand_in: StandInKubernetes, tmp_path: Path) -> None:
    """As `aws eks get-token`: its token is used, and after a refused one it is asked again."""
    program = tmp_path / "get_token.py"
    count = tmp_path / "count"
    program.write_text(
        "import json, pathlib\n"
        f"count = pathlib.Path({str(count)!r})\n"
        "count.write_text((count.read_text() if count.exists() else '') + 'x')\n"
        f"token = {TOKEN!r} if len(count.read_text()) > 1 else 'stale'\n"
        "api = 'client.authentication.k8s.io/v1beta1'\n"
        "print(json.dumps({'apiVersion': api, 'kind': 'ExecCredential', 'status': {'token': token}}))\n"
    )
    command = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": sys.executable,
        "args": ["-S", str(program)],
        "interactiveMode": "Never",
    }
    path = kubeconfig(tmp_path / "config", stand_in, {"exec": command})
    cluster = open_cluster(ClusterSettings(kubeconfig=path), rules=DestinationRules(), clock=lambda: NOW)
    assert cluster is not None
    with cluster:
        outcome = cluster.namespaces()

    assert outcome.error == ""
    assert [call["status"] for call in stand_in.calls.summary()["calls"]] == [401, 200]


@pytest.mark.parametrize("text", [None, "", "not: [a kubeconfig", '{"current-context": "c"}'])
def test_a_kubeconfig_that_cannot_be_used_is_named(text: str | None, tmp_path: Path) -> None:
    """Missing, empty, broken or without its context."""
    path = tmp_path / "config"
    if text is not None:
        path.write_text(text)
    cluster = open_cluster(ClusterSettings(kubeconfig=str(path)), rules=DestinationRules(), clock=lambda: NOW)
    assert cluster is not None

    with pytest.raises(ConfigurationError, match="KUBECONFIG: expected a kubeconfig whose current context can be used"):
        cluster.namespaces()


def test_a_file_of_applications() -> None:
    """The sample is a whole list, with parents; what else lives there is unavailable, not none."""
    settings = ClusterSettings(applications_file=str(SAMPLES / "argocd/applications.json"))
    cluster = open_cluster(settings, rules=DestinationRules(), clock=lambda: NOW)
    assert cluster is not None
    outcome = cluster.applications()

    assert (outcome.complete, len(outcome.items), outcome.listed_at) == (True, 10, NOW)
    assert sum(one.parent is not None for one in outcome.items) == 2
    assert cluster.namespaces().error == "namespaces: there is no API server to ask, only APPLICATIONS_FILE"
    assert not cluster.vertical_autoscalers().complete


def test_a_file_replaces_only_the_applications(
    stand_in: StandInKubernetes, open_standin_cluster: OpenCluster, tmp_path: Path
) -> None:
    """With an API server beside it the rest comes from there."""
    stand_in.store.put("namespaces", namespace_object("shop"))
    path = tmp_path / "apps.json"
    path.write_text(json.dumps({"items": [application("web")]}))
    cluster = open_standin_cluster(stand_in, applications_file=str(path))

    assert [one.application.name for one in cluster.applications().items] == ["web"]
    assert [one.name for one in cluster.namespaces().items] == ["shop"]
    assert list(stand_in.calls.summary()["paths"]) == ["/api/v1/namespaces"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, "it cannot be read (No such file or directory)"),
        ("{", "expected JSON"),
        ("[]", "items: expected a list of Applications, as in a JSON List"),
        ('{"items": {}}', "items: expected a list of Applications, as in a JSON List"),
        (
            json.dumps({"items": [application("web"), {"metadata": {"name": "x", "namespace": "argocd"}}]}),
            "items[1].metadata.creationTimestamp: expected an RFC 3339 time, such as 2026-08-20T09:58:57Z",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_no_list(text: str | None, error: str, tmp_path: Path) -> None:
    """The error names the entry and the field."""
    path = tmp_path / "apps.json"
    if text is not None:
        path.write_text(text)
    cluster = open_cluster(ClusterSettings(applications_file=str(path)), rules=DestinationRules(), clock=lambda: NOW)
    assert cluster is not None
    outcome = cluster.applications()

    assert (outcome.complete, outcome.items, outcome.error) == (False, (), f"APPLICATIONS_FILE: {error}")


def test_nothing_heavy_is_loaded_before_the_first_list() -> None:
    """Neither the client nor botocore: other functions import the same modules, and a cold start is short."""
    program = (
        "import sys\n"
        "from costintel.argocd.destination import DestinationRules\n"
        "from costintel.cluster.cluster import open_cluster\n"
        "from costintel.cluster.settings import ClusterSettings\n"
        "settings = ClusterSettings(endpoint='https://k', eks_cluster_name='c', region='r')\n"
        "assert open_cluster(settings, rules=DestinationRules(), clock=lambda: None)\n"
        "heavy = {'kubernetes', 'urllib3', 'botocore', 'httpx', 'psycopg', 'yaml', 'requests'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "layers/common")},
    )

    assert done.stdout.strip() == "[]"


def test_signing_alone_loads_no_client() -> None:
    """Whoever asks OpenCost through the API server needs the token, and neither the client nor urllib3's pools."""
    program = (
        "import sys\n"
        "from costintel.cluster.bearer import EksToken\n"
        f"EksToken('c', region='eu-west-1', values={CREDENTIALS!r}).token()\n"
        "print(sorted({'kubernetes', 'boto3', 'requests', 'yaml'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "layers/common")},
    )

    assert done.stdout.strip() == "[]"
