"""The handler of `measure`, in its own process, over HTTP and a real PostgreSQL."""

import os
import subprocess
import sys
from datetime import timedelta

import psycopg

from costintel.argocd.message import sync_message
from costintel.cost.ownership import Resource
from tests.collection.recorded_server import RecordedServer
from tests.measure.conftest import NOW, ROOT, TICK, RunHandler, batch
from tests.measurement.syncs import a_sync

FINISHED = NOW - timedelta(minutes=5)
WEB = sync_message(a_sync("web", finished_at=FINISHED, resources=(Resource("apps", "Deployment", "", "web"),)))


def test_a_tick_stores_the_newest_24_hours(run_handler: RunHandler, recorded: RecordedServer) -> None:
    """It answers with an empty object, and its log and metrics say what it did."""
    ran = run_handler(TICK, opencost=recorded.url)

    assert ran.answers == [{}]
    assert sum(recorded.calls.values()) == 24
    told = next(line for line in ran.logs if line.get("message") == "tick")
    assert (told["level"], told["hours_stored"], told["hours_failed"]) == ("INFO", 24, 0)
    metrics = next(line for line in ran.logs if "_aws" in line)
    assert metrics["HoursStored"] == [24.0]
    assert metrics["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]


def test_a_batch_is_measured_and_only_what_failed_comes_again(
    run_handler: RunHandler, recorded: RecordedServer, database_url: str
) -> None:
    """Of three messages the malformed one is reported; the sync that came twice has one record, with its figure."""
    ran = run_handler(batch({"one": WEB, "two": WEB, "bad": "{}"}), opencost=recorded.url)

    assert ran.answers == [{"batchItemFailures": [{"itemIdentifier": "bad"}]}]
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT application_name, early IS NOT NULL, stage FROM cost_actuals").fetchall()
    assert rows == [("web", True, "early")]


def test_the_same_batch_again_changes_nothing(run_handler: RunHandler, recorded: RecordedServer) -> None:
    """SQS delivers at least once: the second time nothing is new, and nothing is asked."""
    run_handler(batch({"one": WEB}), opencost=recorded.url)
    recorded.calls.clear()

    ran = run_handler(batch({"one": WEB}), opencost=recorded.url)

    assert ran.answers == [{"batchItemFailures": []}]
    assert recorded.calls == {}


def test_any_other_event_is_refused(run_handler: RunHandler, recorded: RecordedServer) -> None:
    """A misconfigured trigger is an error, not a success."""
    events: list[dict[str, str]] = [{}, {"source": "costintel.schedule"}, {"source": "aws.s3"}, {"Records": "none"}]

    answers = run_handler(*events, opencost=recorded.url).answers

    assert answers == ["raised InvalidInput: event: expected a batch of SQS or the schedule's tick"] * 4


def test_without_postgresql_every_message_comes_again(run_handler: RunHandler, recorded: RecordedServer) -> None:
    """Both are reported, and the tick is told and not raised: the schedule comes again in a minute anyway."""
    ran = run_handler(
        batch({"one": WEB, "two": WEB}), TICK, opencost=recorded.url, DATABASE_URL="postgresql://127.0.0.1:9/none"
    )

    assert ran.answers == [{"batchItemFailures": [{"itemIdentifier": "one"}, {"itemIdentifier": "two"}]}, {}]
    assert [line["level"] for line in ran.logs if "message" in line] == ["WARNING", "WARNING"]


def test_opencost_s_failure_does_not_fail_the_batch(run_handler: RunHandler, database_url: str) -> None:
    """The sync is remembered; neither OpenCost's address nor our token is in the log."""
    ran = run_handler(batch({"one": WEB}), opencost="http://127.0.0.1:9/model", OPENCOST_TOKEN="secret-token")

    assert ran.answers == [{"batchItemFailures": []}]
    assert "secret-token" not in ran.output
    with psycopg.connect(database_url) as connection:
        waiting = connection.execute("SELECT count(*) FROM work WHERE kind = 'sync'").fetchone()
    assert waiting == (1,)


def test_a_cold_start_loads_no_aws_sdk_and_no_kubernetes_client(
    run_handler: RunHandler, recorded: RecordedServer
) -> None:
    """They cost more time than everything else together."""
    loaded = set(run_handler(opencost=recorded.url).modules)

    # Powertools names itself to `botocore`, the bare package, which loads nothing else.
    assert loaded.isdisjoint({"boto3", "botocore.session", "botocore.client", "kubernetes", "pydantic"})
    assert {"costintel.wiring", "httpx", "psycopg"} <= loaded


def test_the_api_s_wiring_loads_no_http_client() -> None:
    """What `build_api` puts together reaches nothing but the database."""
    program = (
        "import sys; from costintel.config import Environment; from costintel.wiring import build_api;"
        "build_api(Environment({'DATABASE_URL': 'postgresql://127.0.0.1:9/none'}));"
        "print('httpx' in sys.modules, 'costintel.opencost.client' in sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "layers/common")},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["False", "False"]
