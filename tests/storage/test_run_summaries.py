"""How runs went, and what OpenCost said of itself."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from costintel.errors import InvalidInput
from costintel.storage.connection import Database
from costintel.storage.opencost_status import OpenCostCheck, OpenCostChecks
from costintel.storage.run_summaries import RunSummaries, RunSummary
from tests.storage.examples import CLUSTER, NOON

MINUTE = timedelta(minutes=1)
PRICING = {"sources": {"AWS Spot": {"enabled": True, "available": False}}, "counts": {"": 1, "csvExact": 3}}


def run(minutes: int = 0, job: str = "history", **summary: Any) -> RunSummary:
    start = NOON + minutes * MINUTE
    return RunSummary(job=job, started_at=start, finished_at=start + MINUTE, summary=summary or {"days": minutes})


@pytest.fixture
def runs(database: Database) -> RunSummaries:
    return RunSummaries(database)


@pytest.fixture
def checks(database: Database) -> OpenCostChecks:
    return OpenCostChecks(database)


def test_a_run_comes_back_as_it_was_added(runs: RunSummaries) -> None:
    """With everything it said."""
    one = run(days=3, skipped={"2026-11-29": "OpenCost timed out"}, remaining=[])
    runs.add(CLUSTER, one)

    assert runs.newest(CLUSTER, "history") == [one]
    assert runs.newest(CLUSTER, "exporter") == []
    assert runs.newest("elsewhere", "history") == []


def test_the_newest_runs_come_first(runs: RunSummaries) -> None:
    """By when they began, in whatever order they ended."""
    for minutes in (1, 3, 2):
        runs.add(CLUSTER, run(minutes))

    assert runs.newest(CLUSTER, "history", limit=2) == [run(3), run(2)]


def test_the_newest_run_of_each_job(runs: RunSummaries) -> None:
    """One per job that ever ran in the cluster."""
    for one in (run(1), run(2), run(0, "exporter")):
        runs.add(CLUSTER, one)
    runs.add("elsewhere", run(9, "tick"))

    assert runs.newest_of_each(CLUSTER) == {"history": run(2), "exporter": run(0, "exporter")}


def test_old_runs_are_forgotten(
    runs: RunSummaries, sql: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many stay of each job as are kept; other jobs and clusters are not counted."""
    monkeypatch.setattr("costintel.storage.run_summaries.KEPT", 3)
    runs.add(CLUSTER, run(0, "exporter"))
    runs.add("elsewhere", run(0))
    for minutes in range(5):
        runs.add(CLUSTER, run(minutes))

    assert runs.newest(CLUSTER, "history", limit=9) == [run(4), run(3), run(2)]
    assert sql.execute("SELECT count(*) FROM run_summaries").fetchone() == (5,)


def test_the_same_run_is_kept_once(runs: RunSummaries) -> None:
    """A second summary of it replaces the first."""
    runs.add(CLUSTER, run(days=1))
    runs.add(CLUSTER, run(days=2))

    assert runs.newest(CLUSTER, "history", limit=9) == [run(days=2)]


def test_a_summary_that_cannot_be_kept_is_named(runs: RunSummaries) -> None:
    """Nothing is added then."""
    with pytest.raises(InvalidInput, match="summary of history: expected finite numbers"):
        runs.add(CLUSTER, run(seconds=float("nan")))

    assert runs.newest(CLUSTER, "history") == []


def check(**fields: Any) -> OpenCostCheck:
    usual: dict[str, Any] = {
        "reachable": True,
        "version": "1.120.2",
        "pricing": PRICING,
        "error": "",
        "checked_at": NOON,
    }
    return OpenCostCheck(**{**usual, **fields})


def test_there_is_no_check_at_first(checks: OpenCostChecks) -> None:
    """Nobody looked yet, or only at another cluster's."""
    checks.save("elsewhere", check())

    assert checks.find(CLUSTER) is None


def test_a_check_replaces_the_former(checks: OpenCostChecks) -> None:
    """Every field; a cloud without pricing sources is something that was told."""
    checks.save(CLUSTER, check())
    checks.save(CLUSTER, check(version="1.121.0", pricing={}, checked_at=NOON + MINUTE))

    assert checks.find(CLUSTER) == check(version="1.121.0", pricing={}, checked_at=NOON + MINUTE)


def test_what_opencost_told_once_stays_known(checks: OpenCostChecks) -> None:
    """When it cannot be reached its version and prices are those it last told; its error is short and can be kept."""
    checks.save(CLUSTER, check())
    error = "timeout\0" + "x" * 600
    checks.save(CLUSTER, check(reachable=False, version=None, pricing=None, error=error, checked_at=NOON + MINUTE))

    assert checks.find(CLUSTER) == check(
        reachable=False, error="timeout\N{REPLACEMENT CHARACTER}" + "x" * 492, checked_at=NOON + MINUTE
    )


def test_an_opencost_that_never_told_is_unknown(checks: OpenCostChecks) -> None:
    """Not an empty version."""
    silent = check(reachable=False, version=None, pricing=None, error="refused")
    checks.save(CLUSTER, silent)

    assert checks.find(CLUSTER) == silent
