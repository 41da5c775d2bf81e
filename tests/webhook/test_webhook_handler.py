"""The entry point in an interpreter of its own, as Lambda starts it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.argocd.bodies import body
from tests.argocd.events import token_hash
from tests.webhook.receivers import TOKEN, posted

ROOT = Path(__file__).parents[2]
FORBIDDEN = (
    "boto3",
    "psycopg",
    "httpx",
    "kubernetes",
    "pydantic",
    "aws_xray_sdk",
    "aws_lambda_powertools.event_handler",
)
MOST_MODULES = 450
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": f"{ROOT / 'layers/common'}:{ROOT / 'functions'}",
    "AWS_REGION": "eu-west-1",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "example",
    "AWS_SECRET_ACCESS_KEY": "example",
    "POWERTOOLS_SERVICE_NAME": "webhook",
    "POWERTOOLS_METRICS_NAMESPACE": "CostIntel",
    "QUEUE_URL": "http://127.0.0.1:9/123456789012/syncs",
    "WEBHOOK_TOKEN_HASHES": token_hash(TOKEN),
}


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env={**ENVIRONMENT, **environment}, capture_output=True, text=True, check=False
    )


def handled(event: dict[str, Any], **environment: str) -> list[dict[str, Any]]:
    """Return the log lines, the metrics and last the answer of one event."""
    code = f"import json\nfrom webhook.handler import handler\nprint(json.dumps(handler(json.loads({json.dumps(event)!r}), None)))"
    finished = run(code, **environment)
    assert finished.returncode == 0, finished.stderr
    return [json.loads(line) for line in finished.stdout.splitlines()]


def test_it_loads_nothing_it_does_not_need() -> None:
    """The cold start is the webhook's slowest moment; the database, HTTP and resolver packages stay out of it."""
    finished = run("import sys\nimport webhook.handler\nprint('\\n'.join(sys.modules))")
    loaded = finished.stdout.split()

    assert [name for name in loaded if name.startswith(FORBIDDEN)] == []
    assert len(loaded) <= MOST_MODULES


def test_a_skipped_sync_is_answered_logged_and_counted() -> None:
    """One log line with the reason, one metric without a dimension per application."""
    log, metric, answer = handled(posted(body(syncResult="Failed")).v2())

    assert answer["statusCode"] == 200
    assert (log["level"], log["message"], log["application"]) == ("INFO", "sync_not_succeeded", "argocd:shop-web")
    assert log["correlation_id"] == "example-request"
    assert metric["SyncsSkipped"] == [1.0]
    assert metric["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "CostIntel"
    assert metric["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]


def test_a_refused_token_is_counted_and_never_logged() -> None:
    """A wrong token shows as a warning with its code only."""
    log, metric, answer = handled(posted(body(), headers=(("Authorization", "Bearer wrong-token"),)).v2())

    assert answer["statusCode"] == 401
    assert (log["level"], log["message"]) == ("WARNING", "token_refused")
    assert metric["TokensRefused"] == [1.0]
    assert "wrong-token" not in json.dumps([log, metric])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("QUEUE_URL", "", "QUEUE_URL: expected a value"),
        ("WEBHOOK_TOKEN_HASHES", "not-a-hash", "WEBHOOK_TOKEN_HASHES: expected 64 hex digits"),
        ("CLUSTER_ACCESS_APP", "cost-access", "CLUSTER_ACCESS_APP: expected namespace:name"),
    ],
)
def test_a_bad_setting_stops_the_start_by_name(name: str, value: str, message: str) -> None:
    """A misconfigured function fails when it starts, and says which setting."""
    finished = run("import webhook.handler", **{name: value})

    assert finished.returncode != 0
    assert message in finished.stderr


def test_the_settings_of_the_cluster_are_used() -> None:
    """Aliases and the access Application come from the environment."""
    aliased = posted(body(destinationServer="", destinationName="prod", syncResult="Failed")).v2()
    *_, local = handled(aliased, CLUSTER_ALIASES="prod,https://api.example.com")
    *_, remote = handled(aliased)
    *_, access = handled(posted(body()).v2(), CLUSTER_ACCESS_APP="argocd:shop-web")

    assert [json.loads(answer["body"])["reason"] for answer in (local, remote, access)] == [
        "sync_not_succeeded",
        "other_cluster",
        "access_application",
    ]
