"""Which destinations are the cluster this service measures."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from costintel.cost.application import Destination

_OWN_HOSTS = frozenset({"kubernetes.default.svc", "kubernetes.default.svc.cluster.local"})
_OWN_NAME = "in-cluster"
_DEFAULT_PORTS = {"https": 443, "http": 80}


class DestinationRules:
    """Tells our cluster's destinations from others'.

    Argo CD knows its own cluster as `https://kubernetes.default.svc` and `in-cluster`, in several spellings; `aliases` are
    server URLs and names under which it is registered besides.
    """

    def __init__(self, aliases: Iterable[str] = ()) -> None:
        self._aliases = frozenset(_canonical(alias) for alias in aliases if alias)

    def is_local(self, destination: Destination) -> bool:
        """Whether both the server and the name, where given, mean our cluster."""
        return self._is_own_server(destination.server) and self._is_own_name(destination.name)

    def _is_own_server(self, server: str) -> bool:
        return not server or _host(server) in _OWN_HOSTS or _canonical(server) in self._aliases

    def _is_own_name(self, name: str) -> bool:
        return name in {"", _OWN_NAME} or _canonical(name) in self._aliases


def _canonical(text: str) -> str:
    """Return a URL in lower case without slash and default port; anything else as it is."""
    if "://" not in text:
        return text.strip()
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        return text.strip()
    shown_port = "" if port in {None, _DEFAULT_PORTS.get(parts.scheme)} else f":{port}"
    return f"{parts.scheme}://{parts.hostname or ''}{shown_port}{parts.path.rstrip('/')}"


def _host(server: str) -> str:
    """Return the host of an https URL that consists of nothing but host and port, else an empty text."""
    try:
        parts = urlsplit(server)
        is_bare = parts.scheme == "https" and parts.path.strip("/") == "" and "@" not in parts.netloc
    except ValueError:
        return ""
    return (parts.hostname or "") if is_bare and not parts.query and not parts.fragment else ""
