"""The handler of `history` in a process of its own, and the operator's command."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cli.__main__ import main
from costintel.opencost.client import OpenCostClient
from costintel.storage.leases import Leases
from tests.collection.engine import CLUSTER, HOUR
from tests.collection.recorded_server import FIRST_HOUR
from tests.history.history_engine import history_engine
from tests.history.test_recorded_days import BEFORE, RecordedDays
from tests.measurement.syncs import deployment

NOW = datetime(2026, 11, 30, 1, 20, tzinfo=UTC)
"""After Sunday's hours and the first of Monday."""
ROOT = Path(__file__).parents[2]
DAYS = {"source": "costintel.schedule", "job": "days"}
REFOLD = {"source": "costintel.operator", "job": "refold"}


@pytest.fixture
def recorded() -> Iterator[RecordedDays]:
    with RecordedDays() as server:
        server.day_calls = []
        yield server


@pytest.fixture
def with_hours(database_url: str, recorded: RecordedDays) -> str:
    """Store the recorded hours and an Application that runs `shop/web`; give the database's URL."""
    client = OpenCostClient(recorded.url)
    with history_engine(database_url, client) as history:
        history.record("web", finished_at=BEFORE, resources=(deployment("web"),))
        hours = [FIRST_HOUR + number * HOUR for number in range(24, 49)]
        for now in (NOW - HOUR / 4, NOW):
            history.engine.ensure(*hours, now=now)
    client.close()
    return database_url


def run(*events: dict[str, Any], database_url: str, opencost: str) -> tuple[list[Any], list[dict[str, Any]], set[str]]:
    """Run the handler on events; return its answers, its structured lines, and the modules it loaded."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(ROOT / "functions"), str(ROOT / "layers/common"), str(ROOT)]),
        "DATABASE_URL": database_url,
        "OPENCOST_BASE_URL": opencost,
        "DAILY_HISTORY_DAYS": "2",
        "CLOCK_OFFSET_SECONDS": str((NOW - datetime.now(UTC)).total_seconds()),
        "POWERTOOLS_SERVICE_NAME": "history",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.history.handler_program"],
        input="".join(json.dumps(event) + "\n" for event in events),
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    answers = [line[3:] for line in lines if line.startswith("=> ")]
    return (
        [answer if answer.startswith("raised") else json.loads(answer) for answer in answers],
        [json.loads(line) for line in lines if line.startswith("{")],
        set(json.loads(next(line[8:] for line in lines if line.startswith("modules ")))),
    )


def test_the_hourly_run_and_a_refold(with_hours: str, recorded: RecordedDays) -> None:
    """Sunday is closed and healed, its series folded; folding it anew changes nothing. Log and metrics say so."""
    (days, refold), lines, _ = run(DAYS, REFOLD, database_url=with_hours, opencost=recorded.url)

    assert (days["days"]["folded"], days["series"]["rows"]) == (["2026-11-29"], 2)
    assert days["days"]["asked"] == ["2026-11-29", "2026-11-28"]
    assert refold == {"series": 1, "days": 2, "rows": 0, "waiting": 0}
    told = next(line for line in lines if line.get("message") == "days")
    assert (told["level"], told["summary"]) == ("INFO", days)
    metrics = next(line for line in lines if "_aws" in line)
    assert (metrics["DaysStored"], metrics["SeriesRowsChanged"]) == ([3.0], [2.0])
    assert metrics["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]


def test_any_other_event_is_refused(database_url: str) -> None:
    """A misconfigured trigger is an error, not a success, and the error says where."""
    events: list[dict[str, Any]] = [
        {},
        {"source": "costintel.schedule", "job": "tick"},
        {**REFOLD, "applications": ["argocd:web", "web"]},
        {**REFOLD, "applications": []},
    ]

    answers, _, _ = run(*events, database_url=database_url, opencost="http://127.0.0.1:9")

    assert answers == [
        "raised InvalidInput: event: expected the schedule's days job, or the operator's refold",
        "raised InvalidInput: event: expected the schedule's days job, or the operator's refold",
        "raised InvalidInput: applications[1]: expected namespace:name",
        "raised InvalidInput: applications: expected a list of namespace:name",
    ]


def test_without_postgresql_the_run_is_told_and_not_raised() -> None:
    """The next hour comes anyway."""
    (answer,), lines, _ = run(DAYS, database_url="postgresql://127.0.0.1:9/none", opencost="http://127.0.0.1:9")

    assert list(answer) == ["error"]
    assert [line["level"] for line in lines if "message" in line] == ["WARNING"]
    assert next(line for line in lines if "_aws" in line)["JobsStopped"] == [1.0]


def test_a_cold_start_loads_no_aws_sdk_and_no_kubernetes_client() -> None:
    """They cost more time than everything else together."""
    _, _, loaded = run(database_url="postgresql://127.0.0.1:9/none", opencost="http://127.0.0.1:9")

    assert loaded.isdisjoint({"boto3", "botocore.session", "botocore.client", "kubernetes", "pydantic"})
    assert {"costintel.wiring", "httpx", "psycopg"} <= loaded


class TestCommand:
    """`costintel refold`."""

    def test_it_folds_anew(self, with_hours: str, recorded: RecordedDays, capsys: pytest.CaptureFixture[str]) -> None:
        """A row that was spoiled is put right; OpenCost is not asked."""
        run(DAYS, database_url=with_hours, opencost=recorded.url)
        with psycopg.connect(with_hours, autocommit=True) as connection:
            connection.execute("UPDATE cost_daily SET cpu_cost = 99 WHERE day = '2026-11-29'")
        recorded.day_calls.clear()

        status = main(["refold", "argocd:web"], variables=_variables(with_hours))

        assert status == 0
        assert capsys.readouterr().out == "1 series to fold\n2 days folded, 0 left\ndone: 1 rows changed\n"
        assert recorded.day_calls == []

    def test_it_says_that_others_are_at_it(
        self, with_hours: str, recorded: RecordedDays, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """It waits as long as it is told, and leaves the rest to them."""
        run(DAYS, database_url=with_hours, opencost=recorded.url)
        with history_engine(with_hours, None) as history:
            assert Leases(history.engine.database).acquire(f"{CLUSTER}/history", "somebody", 60) is not None

        status = main(["refold", "--wait-seconds", "0"], variables=_variables(with_hours))

        assert (status, capsys.readouterr().err) == (1, "another run is at it: the hourly runs do the rest\n")

    def test_a_setting_that_is_wrong_is_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        """As when a function starts."""
        status = main(
            ["refold"], variables={"DATABASE_URL": "postgresql://127.0.0.1:9/none", "DAILY_HISTORY_DAYS": "-1"}
        )

        assert status == 1
        assert capsys.readouterr().err == "costintel: DAILY_HISTORY_DAYS: expected a whole number from 0 to 3650\n"

    def test_what_is_no_application_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        """With the form that is expected."""
        with pytest.raises(SystemExit, match="2"):
            main(["refold", "web"], variables={})

        assert "expected NAMESPACE:NAME, got 'web'" in capsys.readouterr().err


def _variables(database_url: str) -> dict[str, str]:
    return {"DATABASE_URL": database_url, "DAILY_HISTORY_DAYS": "400"}
