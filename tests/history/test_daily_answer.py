"""What `/{app}/daily` answers."""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from api.history_documents import DailyAnswer
from costintel.cost.application import AppRef
from costintel.cost.day_range import DayRange
from tests.collection.engine import NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.figures import answers
from tests.history.history_engine import DAY, HistoryEngine, midnight

SHOP = AppRef("argocd", "shop")
TODAY = NOW.date()
LAST = TODAY - DAY
BEGIN = midnight(LAST) - 3 * DAY
WEB = Life(hourly_cost=0.5, start=BEGIN)
ZERO = {"cpu": 0.0, "ram": 0.0, "gpu": 0.0, "storage": 0.0, "network": 0.0, "loadBalancer": 0.0}


@pytest.fixture(params=["UTC", "America/Los_Angeles", "Pacific/Kiritimati"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give this machine another zone, and back its own."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


def started(open_history: OpenHistory, now: datetime = NOW, **faults: Any) -> HistoryEngine:
    history = open_history(FakeOpenCost(lives=[WEB], **faults), history_days=6)
    history.record("shop", finished_at=BEGIN - DAY)
    history.hour(now)
    return history


def daily(history: HistoryEngine, days: DayRange, now: datetime = NOW) -> dict[str, Any]:
    found = answers(history).daily(SHOP, days, now)
    assert found is not None
    DailyAnswer.model_validate(found)
    return found


def test_a_day_s_members(open_history: OpenHistory) -> None:
    """Twelve a day, a quarter of the request used: nine idle. It was asked as a whole: its first hours are not stored."""
    found = daily(started(open_history), DayRange(first=LAST, last=LAST))

    assert (found["from"], found["to"], found["scope"], found["currency"]) == (
        "2026-11-29",
        "2026-11-29",
        "application",
        "USD",
    )
    assert found["days"] == [
        {
            "day": "2026-11-29",
            "state": "complete",
            "source": "day",
            "measuredHours": 24.0,
            "cost": {**ZERO, "cpu": 12.0, "total": 12.0},
            "idle": {"cpu": 9.0, "ram": 0.0, "total": 9.0, "complete": True},
            "efficiency": {"cpu": 0.25, "ram": None},
        }
    ]


def test_a_gap_is_a_day_without_a_cost(open_history: OpenHistory) -> None:
    """Never missing, never zero."""
    history = started(open_history, blind={midnight(LAST - DAY)})

    days = daily(history, DayRange(first=LAST - 5 * DAY, last=TODAY))["days"]

    assert [(day["state"], day["cost"] and day["cost"]["total"]) for day in days] == [
        ("before_history", None),
        ("before_history", None),
        ("complete", 12.0),
        ("complete", 12.0),
        ("gap", None),
        ("complete", 12.0),
        ("provisional", 6.0),
    ]
    assert [day["day"] for day in days] == [(LAST - number * DAY).isoformat() for number in range(5, -2, -1)]
    gap = days[-3]
    assert [gap[name] for name in ("source", "measuredHours", "cost", "idle")] == [None] * 4


def test_any_zone_gives_the_same_days(open_history: OpenHistory, zone: str) -> None:
    """At five past midnight UTC, wherever the machine thinks it is: today is the 30th, without an hour yet."""
    now = midnight(TODAY) + timedelta(minutes=5)
    history = started(open_history, now - DAY / 2)
    history.engine.ask_due(now)

    days = daily(history, DayRange.parse("2026-11-26", None, today=TODAY), now)["days"]

    assert [day["day"] for day in days] == ["2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29", "2026-11-30"], zone
    assert [day["state"] for day in days] == ["complete"] * 3 + ["provisional"] * 2
    assert [day["cost"] and day["cost"]["total"] for day in days] == [12.0, 12.0, 12.0, 11.5, None]


def test_an_unknown_application_has_no_days(open_history: OpenHistory) -> None:
    """Nothing was ever recorded of it."""
    history = open_history(FakeOpenCost())

    assert answers(history).daily(SHOP, DayRange(first=LAST, last=TODAY), NOW) is None
