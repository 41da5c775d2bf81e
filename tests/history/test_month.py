"""What `/{app}/month` answers from stored days and records."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from api.history_documents import MonthAnswer
from costintel.cost.application import AppRef
from tests.collection.engine import HOUR, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.figures import answers, keep, pods
from tests.history.history_engine import DAY, HistoryEngine, midnight

SHOP = AppRef("argocd", "shop")
TODAY = NOW.date()
LAST = midnight(TODAY) - DAY
BEGIN = LAST - 10 * DAY
# Twelve a day since the 19th; on the 29th twice that.
STEADY = Life(hourly_cost=0.5, start=BEGIN)
SPIKE = Life(pod="web-5c9d8f7b6d-bbbbb", hourly_cost=0.5, start=LAST, end=LAST + DAY)
TWELVE, TWENTY_FOUR = pods(1, cores=1, price=0.5), pods(2, cores=1, price=0.5)


def started(open_history: OpenHistory, *lives: Life, now: datetime = NOW) -> HistoryEngine:
    history = open_history(FakeOpenCost(lives=lives), history_days=12)
    history.record("shop", finished_at=BEGIN - 40 * DAY)
    history.engine.tick(now)
    history.hour(now)
    history.engine.tick(now)
    return history


def month(history: HistoryEngine, now: datetime = NOW) -> dict[str, Any]:
    found = answers(history).month(SHOP, now)
    assert found is not None
    MonthAnswer.model_validate(found)
    return found


def test_month_to_date_forecast_and_rates(open_history: OpenHistory) -> None:
    """10 x 12 + 24 + 6 = 150 by noon of the 30th; half a day at 96 / 7 is to come: 156.857143.

    A day is 12 + 6 from noon to noon, 540 a month; the week 96 in 168 hours, 411.428571.
    """
    found = month(started(open_history, STEADY, SPIKE))

    assert (found["scope"], found["currency"]) == ("application", "USD")
    assert found["month"] == {"start": "2026-11-01T00:00:00Z", "end": "2026-12-01T00:00:00Z"}
    assert found["toDate"]["cost"]["total"] == 150.0
    assert (found["toDate"]["completeDays"], found["toDate"]["measuredHours"]) == (11, 276.0)
    assert (found["forecast"]["total"], found["forecast"]["estimatedDays"]) == (156.857143, 0.5)
    assert found["dayRate"]["monthly"]["total"] == 540.0
    assert found["weekRate"]["monthly"]["total"] == 411.428571


def test_a_day_that_stands_out(open_history: OpenHistory) -> None:
    """24 against a median of 12 without any spread: 12 / 0.60 = 20."""
    found = month(started(open_history, STEADY, SPIKE))["anomaly"]

    assert (found["day"], found["state"]) == ("2026-11-29", "anomaly")
    assert (found["cost"], found["baseline"], found["baselineDays"], found["score"]) == (24.0, 12.0, 10, 20.0)


def test_a_steady_day_does_not(open_history: OpenHistory) -> None:
    """The same day without its second pod."""
    found = month(started(open_history, STEADY))["anomaly"]

    assert (found["state"], found["score"]) == ("normal", 0.0)


@pytest.mark.parametrize(
    ("finished_at", "state"),
    [
        (LAST - timedelta(minutes=100), "changed_with_sync"),
        (LAST + 18 * HOUR, "anomaly"),
        (LAST - 9 * DAY, "anomaly"),
    ],
    ids=["the evening before: all 12", "six hours before its end: 3 of 12", "long ago: in the median already"],
)
def test_a_sync_settled_in_between_explains_half_or_more(
    open_history: OpenHistory, finished_at: datetime, state: str
) -> None:
    """Its change is 12 a day; what counts is the part of the day that came after it."""
    history = started(open_history, STEADY, SPIKE)
    keep(history, finished_at, early=TWELVE, settled=TWENTY_FOUR, revision="7e57ab1e")

    found = month(history)["anomaly"]

    assert (found["state"], found["revision"]) == (state, "7e57ab1e" if state == "changed_with_sync" else None)


def test_a_saving_explains_no_rise(open_history: OpenHistory) -> None:
    """A sync that halved the cost is not why it doubled."""
    history = started(open_history, STEADY, SPIKE)
    keep(history, LAST - HOUR, early=TWENTY_FOUR, settled=TWELVE)

    assert month(history)["anomaly"]["state"] == "anomaly"


def test_at_five_past_midnight_nothing_stands_out(open_history: OpenHistory) -> None:
    """Today has no hour and yesterday lacks one: neither is judged, the last closed day is."""
    now = LAST + DAY + timedelta(minutes=5)
    history = open_history(FakeOpenCost(lives=[STEADY]), history_days=12)
    history.record("shop", finished_at=BEGIN - 40 * DAY)
    history.hour(now - 12 * HOUR)
    history.engine.ask_due(now)
    history.run(now)

    found = month(history, now)

    assert (found["anomaly"]["day"], found["anomaly"]["state"]) == ("2026-11-28", "normal")
    assert found["anomaly"]["baselineDays"] == 9
    assert found["toDate"]["cost"]["total"] == 10 * 12 + 11.5


def test_without_a_complete_day_nothing_is_judged(open_history: OpenHistory) -> None:
    """The Application's first morning."""
    start = midnight(TODAY) + 6 * HOUR
    history = open_history(FakeOpenCost(lives=[Life(start=start, hourly_cost=0.5)]), history_days=3)
    history.record("shop", finished_at=start, created_at=start)
    history.hour(NOW)

    found = month(history)

    assert (found["anomaly"]["day"], found["anomaly"]["state"]) == (None, "not_enough_history")
    assert (found["forecast"], found["noForecast"], found["weekRate"]) == (None, "not_enough_days", None)
    assert found["toDate"]["cost"]["total"] == 3.0


def test_an_unknown_application_has_no_month(open_history: OpenHistory) -> None:
    """Nothing was ever recorded of it."""
    assert answers(open_history(FakeOpenCost())).month(SHOP, NOW) is None
