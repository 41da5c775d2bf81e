"""The entry point in an interpreter of its own, as Lambda starts it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.api.answering import ACTUAL, CHECKOUT_HEADERS, TOKEN
from tests.argocd.events import Sent, token_hash

ROOT = Path(__file__).parents[2]
# Of botocore only its own namespace is there: Powertools registers a hook with it.
FORBIDDEN = (
    "boto3",
    "botocore.",
    "httpx",
    "kubernetes",
    "aws_xray_sdk",
    "api.documents",
    "api.cluster_documents",
    "api.openapi",
)
MOST_MODULES = 640
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": f"{ROOT / 'layers/common'}:{ROOT / 'functions'}",
    "POWERTOOLS_SERVICE_NAME": "api",
    "POWERTOOLS_METRICS_NAMESPACE": "CostIntel",
    "PROXY_TOKEN_HASHES": token_hash(TOKEN),
    # Nobody listens there: a request that needs the database finds it away.
    "DATABASE_URL": "postgresql://example@127.0.0.1:9/example?connect_timeout=2",
}


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env={**ENVIRONMENT, **environment}, capture_output=True, text=True, check=False
    )


def handled(event: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the log lines, the metrics and last the answer of one event."""
    code = f"import json\nfrom api.handler import handler\nprint(json.dumps(handler(json.loads({json.dumps(event)!r}), None)))"
    finished = run(code)
    assert finished.returncode == 0, finished.stderr
    return [json.loads(line) for line in finished.stdout.splitlines()]


def test_the_whole_function_loads_nothing_it_does_not_need() -> None:
    """No AWS client, no HTTP client, no Kubernetes client; the number of modules is bounded."""
    finished = run("import sys\nimport api.handler\nprint('\\n'.join(sys.modules))")
    loaded = finished.stdout.split()

    assert finished.returncode == 0, finished.stderr
    assert [name for name in loaded if name.startswith(FORBIDDEN)] == []
    assert len(loaded) <= MOST_MODULES


def test_the_routes_themselves_know_no_database() -> None:
    """The driver comes with the composition root only."""
    finished = run("import sys\nimport api.app\nprint('\\n'.join(sys.modules))")
    loaded = finished.stdout.split()

    assert [name for name in loaded if name.startswith(("psycopg", "costintel.storage", *FORBIDDEN))] == []


def test_health_is_answered_without_a_database() -> None:
    """The function starts and answers while the database is away; one log line says so."""
    log, answer = handled(Sent(path="/health").v2())

    assert (answer["statusCode"], json.loads(answer["body"])) == (200, {"status": "ok"})
    assert (log["level"], log["message"], log["route"], log["status"]) == ("INFO", "answered", "/health", 200)


def test_a_database_that_is_away_is_logged_and_counted() -> None:
    """503 for the caller, the cause in the log, one metric without a dimension per application."""
    *logs, metric, answer = handled(Sent(path=ACTUAL, headers=CHECKOUT_HEADERS).v2())

    assert answer["statusCode"] == 503
    assert logs[-1]["message"] == "storage_unavailable"
    assert {log["correlation_id"] for log in logs} == {"example-request"}
    assert logs[-1]["application"] == "argocd:checkout"
    assert metric["StorageFailures"] == [1.0]
    assert metric["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]
    assert TOKEN not in json.dumps([*logs, metric])


def test_a_bad_setting_stops_the_start_by_name() -> None:
    """A misconfigured function fails when it starts, and says what is wrong."""
    finished = run("import api.handler", PROXY_TOKEN_HASHES="not-a-hash")

    assert finished.returncode != 0
    assert "PROXY_TOKEN_HASHES: expected 64 hex digits" in finished.stderr
