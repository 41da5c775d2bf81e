"""How to reach the cluster's API server, from the environment."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from costintel.errors import ConfigurationError

NAMES = (
    "KUBERNETES_ENDPOINT",
    "KUBERNETES_CA_FILE",
    "EKS_CLUSTER_NAME",
    "AWS_REGION",
    "KUBERNETES_TOKEN",
    "KUBECONFIG",
    "APPLICATIONS_FILE",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """Where the cluster is: an endpoint, a kubeconfig, a file of Applications, or nowhere.

    With `endpoint`: `ca_file` verifies it (empty: the system's authorities), and the token is made for `eks_cluster_name` in
    `region`, or is `token`. `applications_file` replaces the list of Applications, and nothing else.
    """

    endpoint: str = ""
    ca_file: str = ""
    eks_cluster_name: str = ""
    region: str = ""
    token: str = ""
    kubeconfig: str = ""
    applications_file: str = ""

    @property
    def has_api(self) -> bool:
        """Whether there is an API server to ask."""
        return bool(self.endpoint or self.kubeconfig)

    @property
    def is_configured(self) -> bool:
        """Whether anything at all says what lives in the cluster."""
        return self.has_api or bool(self.applications_file)


def read_settings(text: Callable[[str], str]) -> ClusterSettings:
    """Read the settings through `text`, which gives each of NAMES, empty where it is not set. Raises ConfigurationError."""
    endpoint = text("KUBERNETES_ENDPOINT").rstrip("/")
    settings = ClusterSettings(
        endpoint=_checked(endpoint) if endpoint else "",
        ca_file=text("KUBERNETES_CA_FILE"),
        eks_cluster_name=text("EKS_CLUSTER_NAME"),
        region=text("AWS_REGION"),
        token=text("KUBERNETES_TOKEN"),
        kubeconfig=text("KUBECONFIG"),
        applications_file=text("APPLICATIONS_FILE"),
    )
    if endpoint and not (settings.eks_cluster_name or settings.token):
        raise ConfigurationError("EKS_CLUSTER_NAME: expected the cluster's name, because KUBERNETES_ENDPOINT is set")
    if endpoint and settings.eks_cluster_name and not settings.region:
        raise ConfigurationError("AWS_REGION: expected the region of the EKS cluster")
    return settings


def _checked(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    has_more = parts.path or parts.query or parts.fragment or parts.username
    is_plain = parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost", "::1"}
    if not (parts.scheme == "https" or is_plain) or not parts.hostname or has_more:
        raise ConfigurationError("KUBERNETES_ENDPOINT: expected an https:// address without a path")
    return endpoint
