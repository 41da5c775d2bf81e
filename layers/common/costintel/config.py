"""Settings from the environment: each function reads its own once, and a bad one stops it with the setting's name."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from costintel.cost.application import AppRef
from costintel.cost.projection import MONTH_HOURS
from costintel.errors import ConfigurationError

_ALL = frozenset({"webhook", "measure", "history", "exporter", "api", "migrate"})
_DATABASE = frozenset({"measure", "history", "exporter", "api", "migrate"})
_ASKING = frozenset({"measure", "history"})
_EXPORTER = frozenset({"exporter"})
_OPENCOST = frozenset({"measure", "history", "exporter"})
_MOST_HISTORY_DAYS = 3650


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One environment variable: which functions read it, what it means, what stands in for it."""

    name: str
    functions: frozenset[str]
    meaning: str
    default: str = ""


SETTINGS = (
    Setting(
        name="CLUSTER_NAME", functions=_ALL, meaning="our name of the cluster; part of every sync's id", default="local"
    ),
    Setting(
        name="CLUSTER_ID",
        functions=_ASKING,
        meaning="OpenCost's id of the cluster; asked from /clusterInfo when empty",
    ),
    Setting(
        name="CLUSTER_ALIASES",
        functions=frozenset({"webhook", "history", "exporter", "api"}),
        meaning="server URLs and destination names, comma-separated, that are this cluster too",
    ),
    Setting(
        name="CLUSTER_SCOPE_APP",
        functions=frozenset({"api"}),
        meaning="`namespace:name` of the Application whose readers may see the whole cluster; `off` closes it to everybody",
    ),
    Setting(
        name="CLUSTER_ACCESS_APP",
        functions=frozenset({"webhook", "history", "exporter", "api"}),
        meaning="`namespace:name` of the access Application, which is never measured; set it once its manifest is applied",
    ),
    Setting(
        name="CURRENCY",
        functions=frozenset({"measure", "api"}),
        meaning="ISO 4217 code of OpenCost's prices",
        default="USD",
    ),
    Setting(
        name="MONTH_HOURS",
        functions=frozenset({"measure", "api"}),
        meaning="hours of the month that figures are projected to: 720 or 730",
        default="720",
    ),
    Setting(
        name="DAILY_HISTORY_DAYS",
        functions=frozenset({"history", "api"}),
        meaning="how many days are kept; 0 switches days and series off and leaves what is stored",
        default="400",
    ),
    Setting(
        name="CLOCK_OFFSET_SECONDS",
        functions=_ALL,
        meaning="moves the service's clock, for demos and tests",
        default="0",
    ),
    Setting(name="QUEUE_URL", functions=frozenset({"webhook"}), meaning="the SQS queue that carries syncs"),
    Setting(
        name="WEBHOOK_TOKEN_HASHES",
        functions=frozenset({"webhook"}),
        meaning="SHA-256 (hex) of the accepted webhook tokens, comma-separated, each with an optional `@` expiry (RFC 3339)",
    ),
    Setting(
        name="PROXY_TOKEN_HASHES",
        functions=frozenset({"api"}),
        meaning="the same for the token Argo CD's extension proxy sends",
    ),
    Setting(
        name="METRICS_TOKEN_HASHES", functions=frozenset({"api"}), meaning="the same for the token Prometheus sends"
    ),
    Setting(name="DATABASE_URL", functions=_DATABASE, meaning="a PostgreSQL URL that replaces the five settings below"),
    Setting(name="DATABASE_HOST", functions=_DATABASE, meaning="the RDS instance's host"),
    Setting(name="DATABASE_PORT", functions=_DATABASE, meaning="its port", default="5432"),
    Setting(name="DATABASE_NAME", functions=_DATABASE, meaning="the database", default="costintel"),
    Setting(name="DATABASE_USER", functions=_DATABASE, meaning="the role, authenticated by IAM"),
    Setting(
        name="DATABASE_CA_FILE", functions=_DATABASE, meaning="the CA bundle that RDS's certificate is verified with"
    ),
    Setting(
        name="OPENCOST_BASE_URL",
        functions=_OPENCOST,
        meaning="http(s) URL of OpenCost; may have a path, such as Kubecost's /model",
    ),
    Setting(name="OPENCOST_TOKEN", functions=_OPENCOST, meaning="bearer token sent to OpenCost"),
    Setting(
        name="OPENCOST_CA_FILE", functions=_OPENCOST, meaning="CA bundle that OpenCost's certificate is verified with"
    ),
    Setting(
        name="OPENCOST_READ_TIMEOUT_SECONDS",
        functions=_OPENCOST,
        meaning="how long one answer of OpenCost may take",
        default="240",
    ),
    Setting(
        name="LEASE_SECONDS",
        functions=_ASKING,
        meaning="how long the lease on the conversation with OpenCost lasts between renewals",
        default="60",
    ),
    Setting(
        name="KUBERNETES_ENDPOINT",
        functions=_EXPORTER,
        meaning="https:// address of the cluster's API server; without it, install, reconciliation and recommendations are off",
    ),
    Setting(
        name="KUBERNETES_CA_FILE",
        functions=_EXPORTER,
        meaning="CA bundle that the API server's certificate is verified with",
    ),
    Setting(
        name="EKS_CLUSTER_NAME",
        functions=_OPENCOST,
        meaning="the EKS cluster that tokens for its API server, and for OpenCost behind its service proxy, are made for",
    ),
    Setting(name="AWS_REGION", functions=_OPENCOST, meaning="the cluster's region; on AWS Lambda sets it"),
    Setting(
        name="KUBERNETES_TOKEN",
        functions=_OPENCOST,
        meaning="a fixed token for the API server; counts only without `EKS_CLUSTER_NAME`",
    ),
    Setting(
        name="KUBECONFIG", functions=_EXPORTER, meaning="a kubeconfig that replaces the settings above; for one machine"
    ),
    Setting(
        name="APPLICATIONS_FILE",
        functions=_EXPORTER,
        meaning="a JSON List that replaces the list of Applications (`kubectl get applications -A -o json`)",
    ),
    Setting(
        name="PRUNE_REMOTE_COST",
        functions=_EXPORTER,
        meaning="`true` deletes what was stored for Applications that deploy to other clusters",
        default="false",
    ),
    Setting(name="LOG_LEVEL", functions=_ALL, meaning="of the structured logs", default="INFO"),
)

_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Environment:
    """The settings as they stand in the environment, each read through a method that checks its form."""

    values: Mapping[str, str]

    def text(self, name: str) -> str:
        """Return a setting, or its default; blanks around it do not count."""
        return (self.values.get(name) or _DEFAULTS[name]).strip()

    def required(self, name: str) -> str:
        """Return a setting. Raises ConfigurationError if it is empty."""
        value = self.text(name)
        if not value:
            raise ConfigurationError(f"{name}: expected a value, found none")
        return value

    def number(self, name: str, *, above: float = 0) -> float:
        """Return a setting as a number greater than `above`. Raises ConfigurationError."""
        try:
            value = float(self.text(name))
        except ValueError:
            value = above
        if not above < value < float("inf"):
            raise ConfigurationError(f"{name}: expected a number above {above:g}")
        return value

    def listed(self, name: str) -> tuple[str, ...]:
        """Return the non-empty parts of a comma-separated setting."""
        return tuple(part.strip() for part in self.text(name).split(",") if part.strip())

    def switch(self, name: str) -> bool:
        """Return whether a setting is `true`. Raises ConfigurationError unless it is that or `false`, in any case."""
        text = self.text(name).lower()
        if text not in {"true", "false"}:
            raise ConfigurationError(f"{name}: expected true or false")
        return text == "true"

    def currency(self) -> str:
        """Return CURRENCY. Raises ConfigurationError unless it is three capital letters."""
        code = self.text("CURRENCY")
        if not (len(code) == 3 and code.isascii() and code.isalpha() and code.isupper()):
            raise ConfigurationError("CURRENCY: expected a code of three capital letters such as USD")
        return code

    def month_hours(self) -> int:
        """Return MONTH_HOURS. Raises ConfigurationError unless it is 720 or 730."""
        text = self.text("MONTH_HOURS")
        if text not in {str(hours) for hours in MONTH_HOURS}:
            raise ConfigurationError("MONTH_HOURS: expected 720 or 730")
        return int(text)

    def history_days(self) -> int:
        """Return DAILY_HISTORY_DAYS. Raises ConfigurationError unless it is a whole number from 0 to 3650."""
        text = self.text("DAILY_HISTORY_DAYS")
        if not (text.isascii() and text.isdigit() and int(text) <= _MOST_HISTORY_DAYS):
            raise ConfigurationError(f"DAILY_HISTORY_DAYS: expected a whole number from 0 to {_MOST_HISTORY_DAYS}")
        return int(text)

    def access_application(self) -> AppRef | None:
        """Return CLUSTER_ACCESS_APP, None when empty. Raises ConfigurationError unless it is `namespace:name`."""
        text = self.text("CLUSTER_ACCESS_APP")
        reference = AppRef.parse(text)
        if text and reference is None:
            raise ConfigurationError("CLUSTER_ACCESS_APP: expected namespace:name")
        return reference

    def http_url(self, name: str) -> str:
        """Return a setting as an http(s) URL without a slash at its end. Raises ConfigurationError."""
        url = self.required(name).rstrip("/")
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
            raise ConfigurationError(f"{name}: expected an http:// or https:// URL with a host, and no query")
        return url
