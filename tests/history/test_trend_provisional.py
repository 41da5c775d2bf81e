"""What a sync seems to have changed before its 24 hours are over."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from costintel.cost.application import AppRef
from tests.collection.engine import NEWEST
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.figures import answers, keep, pods
from tests.history.history_engine import HistoryEngine

SHOP = AppRef("argocd", "shop")
HOUR = timedelta(hours=1)
# The sync finished at 07:20: its hours are those from 08:00.
FINISHED = datetime(2026, 11, 30, 7, 20, tzinfo=UTC)
FROM = datetime(2026, 11, 30, 8, tzinfo=UTC)
OLD = Life(hourly_cost=0.04)
SECOND = Life(pod="web-5c9d8f7b6d-bbbbb", hourly_cost=0.04, start=FROM)
EARLY = pods(1, cores=1, price=0.04)


def provisional(history: HistoryEngine, now: datetime) -> Any:
    found = answers(history).trend(SHOP, offset=0, limit=1, now=now)
    assert found is not None
    return found["points"][0]["provisional"]


def at(open_history: OpenHistory, newest: datetime, **faults: Any) -> HistoryEngine:
    """Return a history whose newest stored hour is `newest`, with the 30 before it; a second pod runs since the sync."""
    history = open_history(FakeOpenCost(lives=[OLD, SECOND], **faults))
    history.now = newest + HOUR + timedelta(minutes=11)
    history.engine.ensure(*(newest - number * HOUR for number in range(31)), now=history.now)
    return history


def test_from_the_third_hour_on_there_is_one(open_history: OpenHistory) -> None:
    """08:00 to 11:00 cost two pods of 0.04, yesterday's same hours one: 28.80 more a month, all of it replicas."""
    history = at(open_history, FROM + 2 * HOUR)
    keep(history, FINISHED, early=EARLY)

    found = provisional(history, history.now)

    assert (found["against"], found["total"]) == ("same_hours", 28.8)
    assert found["after"] == {"start": "2026-11-30T08:00:00Z", "end": "2026-11-30T11:00:00Z"}
    assert found["before"] == {"start": "2026-11-29T08:00:00Z", "end": "2026-11-29T11:00:00Z"}
    assert {name: part for name, part in found["parts"].items() if part} == {"replicas": 28.8}


def test_two_hours_are_too_few(open_history: OpenHistory) -> None:
    """Null before the third."""
    history = at(open_history, FROM + HOUR)
    keep(history, FINISHED, early=EARLY)

    assert provisional(history, history.now) is None


def test_a_blind_hour_does_not_count(open_history: OpenHistory) -> None:
    """Three stored hours, one of them without anything seen."""
    history = at(open_history, FROM + 2 * HOUR, blind={FROM + HOUR})
    keep(history, FINISHED, early=EARLY)

    assert provisional(history, history.now) is None


def test_once_settled_there_is_none(open_history: OpenHistory) -> None:
    """The change itself is there."""
    history = at(open_history, NEWEST)
    keep(history, FINISHED, early=EARLY, settled=EARLY)

    assert provisional(history, history.now) is None


@pytest.mark.parametrize("early", [{"early": None}, {"early": EARLY, "early_hours": 20}])
def test_hours_before_that_say_nothing_are_not_compared(open_history: OpenHistory, early: dict[str, Any]) -> None:
    """Yesterday the Application may not have been there."""
    history = at(open_history, NEWEST)
    keep(history, FINISHED, **early)

    assert provisional(history, history.now) is None


def test_a_chain_goes_back_to_before_its_first_sync(open_history: OpenHistory) -> None:
    """It began yesterday at 09:20: yesterday's hours from 08:00 are partly after that, so the day before is compared."""
    history = open_history(FakeOpenCost(lives=[OLD, SECOND]))
    history.now = FROM + 4 * HOUR
    history.engine.ensure(*(FROM + number * HOUR for number in (0, 1, 2, -46, -47, -48)), now=history.now)
    keep(history, FINISHED - 22 * HOUR, early=EARLY)
    keep(history, FINISHED, early=EARLY)

    found = provisional(history, history.now)

    assert found["before"] == {"start": "2026-11-28T08:00:00Z", "end": "2026-11-28T11:00:00Z"}
    assert found["total"] == 28.8
