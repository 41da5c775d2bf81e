"""The handler of `exporter` in a process of its own, with a Kubernetes and an OpenCost that stand in."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from local.demo.cluster import demo_cluster
from local.demo.live import live_objects
from local.standin import StandIn
from local.standin_kubernetes import Access, StandInKubernetes, Store, stored
from tests.exporter.installation import TOKEN

ROOT = Path(__file__).parents[2]
LIVE = {"source": "costintel.schedule", "job": "live"}
NOW = datetime(2026, 11, 30, 10, 20, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a handler's process answered and printed."""

    answers: list[Any]
    output: str
    modules: list[str]

    @property
    def told(self) -> list[dict[str, Any]]:
        """The log lines of its runs."""
        return [line for line in self._lines if line.get("message") == "live"]

    @property
    def metrics(self) -> dict[str, float]:
        """What was counted, by metric."""
        counted = [line for line in self._lines if "_aws" in line]
        names = [(one["Name"], line) for line in counted for one in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]]
        return {name: sum(line[name]) for name, line in names}

    @property
    def _lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]


RunHandler = Callable[..., Ran]


@pytest.fixture(scope="session")
def opencost() -> Iterator[StandIn]:
    """Run an OpenCost over the demo cluster for all tests; none of them changes it."""
    with StandIn(demo_cluster(NOW), clock=lambda: NOW + timedelta(hours=30)) as stand_in:
        yield stand_in


@pytest.fixture
def kubernetes() -> Iterator[StandInKubernetes]:
    """Run an API server with the demo's objects."""
    store = Store()
    for resource, items in live_objects(NOW).items():
        store.put_bodies(resource, map(stored, items))
    with StandInKubernetes(store, access=Access(accepts=TOKEN.__eq__)) as stand_in:
        yield stand_in


@pytest.fixture
def run_handler(database_url: str, opencost: StandIn) -> RunHandler:
    """Give what runs the handler on events, in a fresh process; without Kubernetes unless `settings` name one.

    The clock stands at NOW when the first begins, and goes on from there.
    """
    offset_seconds = (NOW - datetime.now(UTC)).total_seconds()

    def run(*events: Mapping[str, Any], **settings: str) -> Ran:
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([str(ROOT / "functions"), str(ROOT / "layers/common"), str(ROOT)]),
            "DATABASE_URL": database_url,
            "OPENCOST_BASE_URL": opencost.base_url,
            "CLUSTER_ACCESS_APP": "argocd:cost-intel-access",
            "CLOCK_OFFSET_SECONDS": str(offset_seconds),
            "POWERTOOLS_SERVICE_NAME": "exporter",
            **settings,
        }
        done = subprocess.run(
            [sys.executable, "-m", "tests.exporter.handler_program"],
            input="".join(json.dumps(event) + "\n" for event in events),
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return _ran(done.stdout)

    return run


def at(kubernetes: StandInKubernetes) -> dict[str, str]:
    """Give the settings that lead to an API server."""
    return {"KUBERNETES_ENDPOINT": kubernetes.endpoint, "KUBERNETES_TOKEN": TOKEN}


def _ran(output: str) -> Ran:
    lines = output.splitlines()
    answers = [line[3:] for line in lines if line.startswith("=> ")]
    modules = next(json.loads(line[8:]) for line in lines if line.startswith("modules "))
    return Ran(
        answers=[answer if answer.startswith("raised") else json.loads(answer) for answer in answers],
        output=output,
        modules=modules,
    )
