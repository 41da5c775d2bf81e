"""What the environment says about a local run."""

import hashlib
import os
import re
import secrets
from collections.abc import Container, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

TOKEN_NAMES = ("PROXY_TOKEN", "WEBHOOK_TOKEN", "METRICS_TOKEN")
_OF_KUBERNETES = (
    "APPLICATIONS_FILE",
    "EKS_CLUSTER_NAME",
    "KUBECONFIG",
    "KUBERNETES_CA_FILE",
    "KUBERNETES_ENDPOINT",
    "KUBERNETES_TOKEN",
)
_OF_SERVICE_PROXY = ("EKS_CLUSTER_NAME", "KUBERNETES_TOKEN")
"""Of these, what asking OpenCost through an API server takes."""
LISTS = "PRUNE_REMOTE_COST"
"""A variable of whatever lists what lives in the cluster."""
_PASSED_ON = (
    "CLUSTER_ACCESS_APP",
    "CLUSTER_ALIASES",
    "CLUSTER_ID",
    "CLUSTER_NAME",
    "CLUSTER_SCOPE_APP",
    "CURRENCY",
    "LEASE_SECONDS",
    "LOG_LEVEL",
    "MONTH_HOURS",
    "OPENCOST_BASE_URL",
    "OPENCOST_CA_FILE",
    "OPENCOST_READ_TIMEOUT_SECONDS",
    "OPENCOST_TOKEN",
    "PRUNE_REMOTE_COST",
    *_OF_KUBERNETES,
)
_FORMS = {
    "CURRENCY": ("[A-Z]{3}", "a code of three capital letters such as USD"),
    "MONTH_HOURS": ("720|730", "720 or 730"),
    "OPENCOST_BASE_URL": (r"https?://[^/?#\s]+[^?#\s]*", "an http:// or https:// URL with a host, and no query"),
}
"""What these settings look like; the functions check the same, and more."""


class OptionsError(ValueError):
    """A variable has a value that cannot work; the text names it and what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The bearer tokens of this run. The functions only ever see their hashes."""

    proxy: str
    webhook: str
    metrics: str

    def hashes(self) -> Mapping[str, str]:
        """Give SHA-256 of each token in hex, by what it is for."""
        plain = {"proxy": self.proxy, "webhook": self.webhook, "metrics": self.metrics}
        return {name: hashlib.sha256(token.encode()).hexdigest() for name, token in plain.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to run. `settings` are the functions' own variables, passed on to them.

    `clock_offset_seconds` is what is added to the real clock; `opencost_base_url` and `database_url` are empty when the
    stand-in and the embedded PostgreSQL are wanted.
    """

    port: int
    gateway_port: int
    database_url: str
    tokens: Tokens
    clock_offset_seconds: float
    settings: Mapping[str, str]

    @property
    def opencost_base_url(self) -> str:
        """OpenCost's URL, or nothing."""
        return self.settings.get("OPENCOST_BASE_URL", "")

    def now(self) -> datetime:
        """Give the time as the functions see it."""
        return datetime.now(UTC) + timedelta(seconds=self.clock_offset_seconds)

    def settings_for(self, variables: Container[str]) -> dict[str, str]:
        """Give the settings for a function with these variables: OpenCost's only to who asks OpenCost, Kubernetes' likewise.

        Kubernetes is real only where OpenCost is.
        """
        asks_opencost = "OPENCOST_BASE_URL" in variables
        wanted = set(self.settings) - set(_OF_KUBERNETES)
        if not asks_opencost:
            wanted = {name for name in wanted if not name.startswith("OPENCOST_")}
        if asks_opencost and self.opencost_base_url:
            wanted |= set(_OF_KUBERNETES if LISTS in variables else _OF_SERVICE_PROXY)
        return {name: value for name, value in self.settings.items() if name in wanted}


def read_options(environment: Mapping[str, str]) -> Options:
    """Read the variables of the process.

    Raises:
        OptionsError: one of them cannot work.
    """
    tokens = {name: _token(environment, name) for name in TOKEN_NAMES}
    _check(environment)
    return Options(
        port=_port(environment, "PORT", 8080),
        gateway_port=_port(environment, "GATEWAY_PORT", 8081),
        database_url=environment.get("DATABASE_URL", ""),
        tokens=Tokens(proxy=tokens["PROXY_TOKEN"], webhook=tokens["WEBHOOK_TOKEN"], metrics=tokens["METRICS_TOKEN"]),
        clock_offset_seconds=_offset_seconds(environment.get("NOW", "")),
        settings={name: _whole(name, environment[name]) for name in _PASSED_ON if environment.get(name)},
    )


def _whole(name: str, text: str) -> str:
    """Make paths, of which a kubeconfig may be several, absolute: the functions run in folders of their own."""
    if not name.endswith(("_FILE", "KUBECONFIG")):
        return text
    return os.pathsep.join(str(Path(part).absolute()) for part in text.split(os.pathsep))


def _check(environment: Mapping[str, str]) -> None:
    """Refuse what a function would only refuse when it starts. Raises OptionsError."""
    for name, (form, expected) in _FORMS.items():
        if environment.get(name) and not re.fullmatch(form, environment[name].strip()):
            raise OptionsError(f"{name}: expected {expected}, got {environment[name]!r}")


def _port(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not 0 <= int(text) <= 65535:
        raise OptionsError(f"{name}: expected a port number, got {text!r}")
    return int(text)


def _token(environment: Mapping[str, str], name: str) -> str:
    token = environment.get(name) or secrets.token_urlsafe(32)
    if token.startswith("$") or not token.isascii() or not token.isprintable() or " " in token:
        raise OptionsError(f"{name}: expected printable characters without blanks, not beginning with $")
    return token


def _offset_seconds(text: str) -> float:
    """Turn `NOW` into a distance from the real clock, once, so that time goes on from there."""
    if not text:
        return 0.0
    try:
        wanted = datetime.fromisoformat(text)
    except ValueError:
        wanted = None
    if wanted is None or wanted.tzinfo is None:
        raise OptionsError(f"NOW: expected a time such as 2026-08-20T12:00:00Z, got {text!r}")
    return (wanted - datetime.now(UTC)).total_seconds()
