"""Two days and a quarter of the service's life, disturbed in many ways: the end is that of an undisturbed one."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from costintel.errors import OpenCostRefused, StorageError
from local.postgres import EmbeddedPostgres
from tests.collection.engine import HOUR
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.history_engine import DAY, HistoryEngine, history_engine, midnight
from tests.history.killing_program import state
from tests.measure.test_postgresql_lost import ended_connections
from tests.measurement.syncs import deployment

BEGIN = datetime(2026, 10, 24, 0, 20, tzinfo=UTC)
"""On the 25th European summer time ends."""
STEP = 3 * HOUR
STEPS = 19
LIVES = (
    Life(hourly_cost=0.5),
    Life(pod="api-1", controller="api", start=BEGIN + 7.2 * HOUR, end=BEGIN + 33 * HOUR),
    Life(namespace="other"),
)
Disturb = Callable[[HistoryEngine, FakeOpenCost, datetime], None]


def live(history: HistoryEngine, opencost: FakeOpenCost, disturb: Disturb) -> None:
    """Let the service live: every three hours the ticks and the hourly run, a sync in between."""
    history.record("shop", finished_at=BEGIN - 9 * DAY)
    history.record("all", finished_at=BEGIN - 9 * DAY, resources=None)
    for number in range(STEPS):
        now = BEGIN + number * STEP
        if number == 9:
            history.record("shop", finished_at=now, resources=(deployment("web"), deployment("api")))
        disturb(history, opencost, now)
        for minutes in (0, 11):
            history.engine.ask_due(now + timedelta(minutes=minutes))
        history.run(now + timedelta(minutes=11))


def nothing(_: HistoryEngine, __: FakeOpenCost, ___: datetime) -> None:
    """Disturb nothing."""


@contextmanager
def lived(server: EmbeddedPostgres, name: str, disturb: Disturb = nothing) -> Iterator[list[Any]]:
    """Give the state at the end, from a database of its own."""
    url = server.create_database(name, template="migrated")
    opencost = FakeOpenCost(lives=LIVES)
    with history_engine(url, opencost, history_days=5) as history:
        live(history, opencost, disturb)
        yield state(url)
    server.drop_database(name)


@pytest.fixture(scope="module")
def undisturbed(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[list[Any]]:
    with lived(postgres_server, "undisturbed") as found:
        yield found


def dead_for_26_hours(_: HistoryEngine, opencost: FakeOpenCost, now: datetime) -> None:
    """OpenCost refuses everything from the first noon to the second afternoon."""
    dead = BEGIN + 12 * HOUR <= now < BEGIN + 38 * HOUR
    opencost.failing = OpenCostRefused("down") if dead else None


def poisoned(_: HistoryEngine, opencost: FakeOpenCost, now: datetime) -> None:
    """One day of the past, and one hour, fail for a day and a half."""
    bad = {
        midnight(BEGIN.date()) - 2 * DAY: OpenCostRefused("poisoned"),
        BEGIN.replace(minute=0) + 5 * HOUR: OpenCostRefused("x"),
    }
    opencost.failing_at = dict(bad) if now < BEGIN + 36 * HOUR else {}


def at_five_past(history: HistoryEngine, _: FakeOpenCost, now: datetime) -> None:
    """Another run at five past midnight, and one at two minutes before, each twice."""
    if now.hour == 0 and now > BEGIN:
        for minutes in (-22, -22, -15, -15):
            history.engine.ask_due(now + timedelta(minutes=minutes))
            history.run(now + timedelta(minutes=minutes))


def test_the_undisturbed_one(undisturbed: list[Any]) -> None:
    """Five days in the end, three of them asked as a whole, two from hours; 24 h at 0.5 are 12."""
    days, _, series, progress, work = undisturbed

    assert [(row[0].day, row[1], row[2]) for row in days] == [
        (21, "complete", "day"),
        (22, "complete", "day"),
        (23, "complete", "hours"),
        (24, "complete", "hours"),
        (25, "complete", "hours"),
    ]
    assert len(series) == 10
    assert [row[:2] for row in progress] == [("all", "namespace"), ("shop", "application")]
    assert work == []


@pytest.mark.parametrize("disturb", [dead_for_26_hours, poisoned, at_five_past])
def test_the_end_is_the_same(postgres_server: EmbeddedPostgres, undisturbed: list[Any], disturb: Disturb) -> None:
    """Same days, containers, series, progress, and nothing left to do."""
    with lived(postgres_server, disturb.__name__, disturb) as found:
        assert found == undisturbed


def test_postgresql_goes_away(postgres_server: EmbeddedPostgres, undisturbed: list[Any]) -> None:
    """Every connection breaks within a question for a day, and once within a tick's."""
    broken: list[datetime] = []

    def lose(history: HistoryEngine, opencost: FakeOpenCost, now: datetime) -> None:
        def before(window: Any) -> None:
            if window.start not in broken and (window.hours == 24 or now == BEGIN + 12 * HOUR):
                broken.append(window.start)
                ended_connections(postgres_server, "/postgresql_gone")

        opencost.before = before
        history.engine.database.execute("UPDATE leases SET expires_at = now()")

    def live_on(history: HistoryEngine, opencost: FakeOpenCost, now: datetime) -> None:
        lose(history, opencost, now)
        for attempt in range(4):
            try:
                history.engine.ask_due(now)
                history.run(now + attempt * HOUR / 60)
            except StorageError:
                continue
            break

    with lived(postgres_server, "postgresql_gone", live_on) as found:
        assert len(broken) >= 3
        assert found == undisturbed


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Pacific/Auckland"])
def test_the_host_changes_to_winter_time(
    postgres_server: EmbeddedPostgres, undisturbed: list[Any], zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Days are of 24 hours whatever the host's clock on the wall does."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        with lived(postgres_server, f"zone_{zone[:4].lower()}") as found:
            assert found == undisturbed
    finally:
        monkeypatch.undo()
        time.tzset()
