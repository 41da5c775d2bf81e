"""Whole days from a backend that loses the first five minutes of each window (T14)."""

import pytest

from costintel.cost.window import Window
from tests.collection.conftest import OpenEngine
from tests.collection.days_engine import DAY, LAST, DayEngine
from tests.collection.engine import HOUR, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.collection.test_days_backfill import started

START = NOW.replace(hour=0, minute=0) - 24 * HOUR
FIVE = HOUR / 12


def test_what_lasts_is_extended_when_nobody_knows_the_day_before(open_engine: OpenEngine) -> None:
    """Newest first, the day before is not there yet: 23:55 hours become 24, and 0.96 is whole."""
    days = started(open_engine(FakeOpenCost(late=True)), history_days=2)

    days.run(NOW)

    assert days.headers()[LAST].observed_hours == 24
    assert days.cost(LAST) == pytest.approx(0.96, abs=1e-9)


def test_a_short_job_at_midnight_is_not_extended(open_engine: OpenEngine) -> None:
    """It may have begun at five past; ten minutes of it were seen."""
    job = Life(pod="job-1", start=START - 24 * HOUR, end=START - 24 * HOUR + 3 * FIVE, hourly_cost=6.0)
    days = started(open_engine(FakeOpenCost(lives=[Life(), job], late=True)), history_days=2)

    days.run(NOW)

    assert days.rows(LAST - DAY)["shop", "job-1", "web"].cpu_cost == pytest.approx(1.0, abs=1e-9)


def test_the_day_before_decides_where_it_is_known(open_engine: OpenEngine) -> None:
    """Of two pods that begin at five past in the answer the one that ran into the day is extended, whatever it lasted."""
    ran_on = Life(pod="job-1", start=START - HOUR, end=START + 3 * FIVE, hourly_cost=6.0)
    began = Life(pod="new-1", start=START + FIVE, end=START + 5 * HOUR, hourly_cost=6.0)
    opencost = FakeOpenCost(lives=[Life(), ran_on, began], late=True)
    engine = open_engine(opencost)
    days = started(engine, history_days=3)
    opencost.blind = {START}
    days.run(NOW)
    opencost.blind.clear()
    engine.ask_due(NOW + HOUR)

    days.run(NOW + HOUR)

    rows = days.rows(LAST)
    assert rows["shop", "job-1", "web"].cpu_cost == pytest.approx(1.5, abs=1e-9)
    assert rows["shop", "new-1", "web"].cpu_cost == pytest.approx(6 * (5 - 1 / 12), abs=1e-9)


def test_the_hour_before_decides_where_the_day_is_not_known(open_engine: OpenEngine) -> None:
    """The day is asked as a whole, and only the last hour before it is stored."""
    ran_on = Life(pod="job-1", start=START - HOUR, end=START + 3 * FIVE, hourly_cost=6.0)
    opencost = FakeOpenCost(lives=[Life(), ran_on], late=True)
    engine = open_engine(opencost)
    days = started(engine, history_days=1)
    engine.ensure(START - HOUR, now=NOW)

    days.run(NOW)

    assert [window for window in opencost.calls if window.hours == 24] == [Window(START, START + 24 * HOUR)]
    assert days.rows(LAST)["shop", "job-1", "web"].cpu_cost == pytest.approx(1.5, abs=1e-9)


def test_the_engine_is_the_made_one(open_engine: OpenEngine) -> None:
    """Without late windows the same rows come out: the repair adds nothing else."""
    job = Life(pod="job-1", start=START + FIVE, end=START + 2 * HOUR, hourly_cost=6.0)
    days = started(open_engine(FakeOpenCost(lives=[Life(), job])), history_days=1)

    days.run(NOW)

    assert isinstance(days, DayEngine)
    assert days.rows(LAST)["shop", "job-1", "web"].cpu_cost == pytest.approx(11.5, abs=1e-9)
