"""Every route with the group that decides who may use it. What is not listed here is not served."""

import re
from dataclasses import dataclass
from enum import Enum

from api.chart import FILE

ROOT = "/api"
"""Argo CD's proxy is asked under /api; routes at the root answer there too."""

_PARAMETER = re.compile(r"<(\w+)>")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\%]|//")


class Group(Enum):
    """What a request must bring along."""

    PROBES = "nothing"
    CHARTS = "nothing: Argo CD's repository server has no token of ours, and there is nothing to see"
    ANY_APPLICATION = "the proxy token, and a header that names any application"
    CLUSTER = "the proxy token, and a header that names the gate application"
    APPLICATION = "the proxy token, and a header that names the application of the path"


OPEN = frozenset({Group.PROBES, Group.CHARTS})
"""Groups of routes that are answered to anyone."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route. GET includes HEAD."""

    method: str
    rule: str
    group: Group

    @property
    def allowed(self) -> tuple[str, ...]:
        """The methods a caller may use."""
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)

    def parameters(self, path: str) -> dict[str, str] | None:
        """Return the path's parameters, None if it is not this route's."""
        match = re.fullmatch(_PARAMETER.sub(r"(?P<\1>[^/]+)", self.rule), path)
        return match.groupdict() if match else None


HEALTH = "/health"
READY = "/ready"
CHART_INDEX = "/charts/index.yaml"
CHART_FILE = f"/charts/{FILE}"
CONFIG = f"{ROOT}/cost-analysis/config"
APPLICATIONS = f"{ROOT}/cost-analysis/applications"
ACTUAL = f"{ROOT}/cost-analysis/<app>/actual"
DAILY = f"{ROOT}/cost-analysis/<app>/daily"
TREND = f"{ROOT}/cost-analysis/<app>/trend"
MONTH = f"{ROOT}/cost-analysis/<app>/month"

ENDPOINTS = (
    Endpoint("GET", HEALTH, Group.PROBES),
    Endpoint("GET", READY, Group.PROBES),
    Endpoint("GET", CHART_INDEX, Group.CHARTS),
    Endpoint("GET", CHART_FILE, Group.CHARTS),
    Endpoint("GET", CONFIG, Group.ANY_APPLICATION),
    Endpoint("GET", APPLICATIONS, Group.CLUSTER),
    Endpoint("GET", ACTUAL, Group.APPLICATION),
    Endpoint("GET", DAILY, Group.APPLICATION),
    Endpoint("GET", TREND, Group.APPLICATION),
    Endpoint("GET", MONTH, Group.APPLICATION),
)


@dataclass(frozen=True, slots=True)
class Found:
    """The route of a request: `path` as the router knows it, and the application named in it (empty without)."""

    endpoint: Endpoint
    path: str
    application_name: str


def find(path: str) -> Found | None:
    """Return the route that serves `path`, None if there is none."""
    if is_malformed(path):
        return None
    for endpoint in ENDPOINTS:
        candidate = path if endpoint.rule.startswith(f"{ROOT}/") else path.removeprefix(ROOT)
        parameters = endpoint.parameters(candidate)
        if parameters is not None:
            return Found(endpoint, candidate, parameters.get("app", ""))
    return None


def is_malformed(path: str) -> bool:
    """Whether `path` is one that no route can have: dot segments, empty ones, encoded or control characters, backslashes.

    argocd-server decodes the path before it forwards it, so that `%2e%2e` arrives as `..`.
    """
    return _UNSAFE.search(path) is not None or not {".", ".."}.isdisjoint(path.split("/"))
