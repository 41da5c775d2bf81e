"""OpenCost fails in every way it knows, over real HTTP: nothing is lost, nothing becomes zero, figures come after recovery."""

import itertools
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from costintel.opencost.client import OpenCostClient
from local.postgres import EmbeddedPostgres
from local.standin.fault import parse_fault
from local.standin.recorded import recorded_cluster
from local.standin.server import StandIn
from tests.collection.engine import HOUR, Engine, engine
from tests.collection.recorded_server import RECORDED
from tests.measurement.syncs import a_sync, send

MINUTE = timedelta(minutes=1)
START = datetime(2026, 11, 29, 3, 20, tzinfo=UTC)
"""Before any outage of the recorded cluster; 24 hours to 03:00 are stored by then."""
FINISHED = START + 51 * MINUTE
"""04:11: its early window ends at 04:00 and needs the one hour more that the faults hit."""
NOW = FINISHED + MINUTE
REFUSALS: dict[str, dict[str, Any]] = {
    "status 500": {"status": 500},
    "truncated connection": {"truncate": "connection"},
    "truncated body": {"truncate": "body"},
    "html": {"html": True},
    "nan as null": {"nan": "null_numbers"},
    "nan as code 500": {"nan": "code_500"},
    "nan as nothing": {"nan": "empty_body"},
    "reset": {"reset": True},
}
_BASELINE = "faults_baseline"
_numbers = itertools.count(1)
BLINDNESS = {"empty": {"empty": True}, "default prices": {"default_prices": True}}


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    with StandIn(recorded_cluster(RECORDED), clock=lambda: START + 12 * HOUR) as server:
        yield server


@pytest.fixture
def opencost(stand_in: StandIn) -> Iterator[StandIn]:
    yield stand_in
    stand_in.faults.clear()
    stand_in.calls.clear()


@pytest.fixture(scope="module")
def baseline(stand_in: StandIn, postgres_server: EmbeddedPostgres, migrated_template: str) -> str:
    """Make a database with the 24 hours to 03:00, of which each test gets a copy."""
    url = postgres_server.create_database(_BASELINE, template=migrated_template)
    client = OpenCostClient(stand_in.base_url)
    with engine(url, client) as first:
        first.tick(START)
    client.close()
    return _BASELINE


@pytest.fixture
def measuring(opencost: StandIn, postgres_server: EmbeddedPostgres, baseline: str) -> Iterator[Engine]:
    """Give an engine with those hours, and a sync that needs the next one."""
    name = f"faults_{next(_numbers)}"
    client = OpenCostClient(opencost.base_url, read_timeout_seconds=2)
    with engine(postgres_server.create_database(name, template=baseline), client, read_timeout_seconds=2) as measuring:
        opencost.calls.clear()
        send(measuring, a_sync(finished_at=FINISHED), now=NOW)
        yield measuring
    client.close()
    postgres_server.drop_database(name)


def early_of(engine: Engine, now: datetime) -> Any:
    answer = engine.actual("shop-web", now)
    assert answer is not None
    return answer["record"]["early"]


def test_without_a_fault(measuring: Engine) -> None:
    """Three pods of a quarter core at 0.0316 a core-hour for 24 hours, give or take the minutes of a rollout."""
    measuring.tick(NOW)

    early = early_of(measuring, NOW)

    assert early["measuredHours"] == 24.0
    assert early["cost"]["cpu"] == pytest.approx(0.7508, rel=0.01)


@pytest.mark.parametrize("fault", REFUSALS.values(), ids=list(REFUSALS))
def test_an_answer_that_is_none(measuring: Engine, opencost: StandIn, fault: dict[str, Any]) -> None:
    """The hour is not stored and the sync waits; a minute after OpenCost is back its figure has all 24 hours."""
    opencost.faults.add(parse_fault(fault))

    measuring.tick(NOW)

    assert early_of(measuring, NOW) is None
    assert len(measuring.headers()) == 24
    opencost.faults.clear()

    measuring.tick(NOW + MINUTE)

    early = early_of(measuring, NOW)
    assert early["measuredHours"] == 24.0
    assert early["cost"]["cpu"] == pytest.approx(0.7508, rel=0.01)


@pytest.mark.parametrize("fault", BLINDNESS.values(), ids=list(BLINDNESS))
def test_an_answer_with_blind_eyes(measuring: Engine, opencost: StandIn, fault: dict[str, Any]) -> None:
    """The figure does not wait: 23 hours at the right rate; ten minutes after OpenCost sees again it has 24."""
    opencost.faults.add(parse_fault(fault))

    measuring.tick(NOW)

    early = early_of(measuring, NOW)
    assert early["measuredHours"] == 23.0
    assert early["monthly"]["cpu"] == pytest.approx(30 * 0.7508, rel=0.02)
    opencost.faults.clear()

    measuring.tick(NOW + 10 * MINUTE)

    early = early_of(measuring, NOW)
    assert early["measuredHours"] == 24.0
    assert early["cost"]["cpu"] == pytest.approx(0.7508, rel=0.01)


def test_no_usage_is_not_idle(measuring: Engine, opencost: StandIn) -> None:
    """CAdvisor is away (T44): cost is there, idle says "at least"."""
    opencost.faults.add(parse_fault({"lost": "cadvisor"}))

    measuring.tick(NOW)

    early = early_of(measuring, NOW)
    assert (early["measuredHours"], early["idle"]["complete"]) == (24.0, False)


def test_a_hanging_opencost(measuring: Engine, opencost: StandIn) -> None:
    """After the timeout it is left alone as long as the call ran, then asked for half an hour at a time."""
    opencost.faults.add(parse_fault({"hang": True, "calls": 1}))
    measuring.tick(NOW)
    assert early_of(measuring, NOW) is None
    assert measuring.tick(NOW + 10 * MINUTE).hours.asked == ()
    opencost.calls.clear()

    patience = time.monotonic() + 20
    while early_of(measuring, NOW) is None and time.monotonic() < patience:
        measuring.tick(NOW + 10 * MINUTE)
        time.sleep(0.1)

    windows = {entry["window"] for entry in opencost.calls.summary()["windows"]}
    assert windows == {
        "2026-11-29T03:00:00Z,2026-11-29T03:30:00Z",
        "2026-11-29T03:30:00Z,2026-11-29T04:00:00Z",
    }
    assert early_of(measuring, NOW)["cost"]["cpu"] == pytest.approx(0.7508, rel=0.01)


def test_an_outage_of_hours(measuring: Engine, opencost: StandIn) -> None:
    """OpenCost answers 500 for five hours: every hour of that time is asked afterwards, and nothing is missing."""
    opencost.faults.add(parse_fault({"status": 500}))
    for number in range(60):
        measuring.tick(NOW + number * 5 * MINUTE)
    assert len(measuring.headers()) == 24
    opencost.faults.clear()

    measuring.tick(NOW + 5 * HOUR)

    assert len(measuring.headers()) == 24 + 6
    assert early_of(measuring, NOW)["measuredHours"] == 24.0
