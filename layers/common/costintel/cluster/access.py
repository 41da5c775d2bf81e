"""The official client of the API server, set up for one of the ways to reach it. Loaded only when a list is asked for."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from costintel.cluster.bearer import EksToken, FixedToken, TokenSource
from costintel.cluster.connection import Connection
from costintel.cluster.settings import ClusterSettings
from costintel.errors import ConfigurationError

if TYPE_CHECKING:
    from kubernetes.client import ApiClient


def token_source(settings: ClusterSettings, *, values: Mapping[str, str] = os.environ) -> TokenSource:
    """Return what makes the tokens for `settings.endpoint`; `values` holds the function's own credentials."""
    if settings.eks_cluster_name:
        return EksToken(settings.eks_cluster_name, region=settings.region, values=values)
    return FixedToken(settings.token)


def open_connection(settings: ClusterSettings, *, values: Mapping[str, str] = os.environ) -> Connection:
    """Return a connection that is opened with its first request. Raises ConfigurationError then, for files that cannot be used."""
    if settings.endpoint:
        source = token_source(settings, values=values)
        return Connection(lambda: _client_of(settings, source), renew=source.renew)
    # A new client reads the file anew, and asks the program in it for a new token.
    return Connection(lambda: _client_of_kubeconfig(settings.kubeconfig), renew=lambda: None)


def _client_of(settings: ClusterSettings, source: TokenSource) -> "ApiClient":
    from kubernetes.client import Configuration  # noqa: PLC0415

    if settings.ca_file and not Path(settings.ca_file).is_file():
        raise ConfigurationError("KUBERNETES_CA_FILE: expected a readable file of PEM certificates")
    configuration: Any = Configuration(
        host=settings.endpoint,
        ssl_ca_cert=settings.ca_file or None,
        proxy="",  # none, instead of what the environment names
        api_key={"BearerToken": ""},
        api_key_prefix={"BearerToken": "Bearer"},
    )
    configuration.refresh_api_key_hook = _fresh(source)
    return _client(configuration)


def _fresh(source: TokenSource) -> Callable[[Any], None]:
    """Return the client's hook before every request: it puts the token that is good now into the client's settings."""

    def put(configuration: Any) -> None:  # noqa: ANN401 - the client's own settings
        configuration.api_key["BearerToken"] = source.token()

    return put


def _client_of_kubeconfig(path: str) -> "ApiClient":
    from kubernetes.client import Configuration  # noqa: PLC0415
    from kubernetes.config import ConfigException, load_kube_config  # noqa: PLC0415
    from yaml import YAMLError  # noqa: PLC0415

    configuration = Configuration()
    load: Callable[..., Any] = load_kube_config
    try:
        load(config_file=path, client_configuration=configuration)
    except (ConfigException, YAMLError, OSError, ValueError, TypeError) as error:
        raise ConfigurationError("KUBECONFIG: expected a kubeconfig whose current context can be used") from error
    return _client(configuration)


def _client(configuration: Any) -> "ApiClient":  # noqa: ANN401 - the client's settings, whose annotation knows no False
    from kubernetes.client import ApiClient  # noqa: PLC0415

    # Left alone, urllib3 sends a GET three more times, which makes every timeout four times as long.
    configuration.retries = False
    client = ApiClient(configuration)
    client.user_agent = "cost-intel"
    return client
