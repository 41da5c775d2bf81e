"""Series as they are shown: kept days, gaps, and days that are not closed."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from costintel.cost.application import AppRef
from costintel.history.reading import SeriesDay
from tests.collection.engine import HOUR, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.history_engine import DAY, HistoryEngine, midnight
from tests.measurement.syncs import deployment

TODAY = NOW.date()
LAST = TODAY - DAY
BEGIN = midnight(LAST) - 4 * DAY
WEB = Life(hourly_cost=0.5, start=BEGIN)


def started(open_history: OpenHistory, *lives: Life, history_days: int = 8, **faults: Any) -> HistoryEngine:
    opencost = FakeOpenCost(lives=lives or (WEB,), **faults)
    history = open_history(opencost, history_days=history_days)
    history.record("shop", finished_at=BEGIN - DAY)
    history.hour(NOW)
    return history


def states(days: Sequence[SeriesDay]) -> list[str]:
    return [day.state.value for day in days]


def totals(days: Sequence[SeriesDay]) -> list[object]:
    return [None if day.cost is None else pytest.approx(day.cost.cost.total, abs=1e-9) for day in days]


def test_every_day_is_there_both_ends_included(open_history: OpenHistory) -> None:
    """Two days before history, five complete ones, and today so far: eleven and a half hours of it were asked."""
    history = started(open_history)

    days = history.read("shop", LAST - 6 * DAY, TODAY).days

    assert [day.day for day in days] == [LAST - (6 - number) * DAY for number in range(8)]
    assert states(days) == ["before_history"] * 2 + ["complete"] * 5 + ["provisional"]
    assert totals(days) == [None, None, 12, 12, 12, 12, 12, 6]
    assert days[-1].cost is not None
    assert (days[-1].cost.measured_hours, days[-1].cost.complete) == (12, False)


def test_tomorrow_is_not_there(open_history: OpenHistory) -> None:
    """Nor is anything else that has not begun; turned round there is nothing."""
    history = started(open_history)

    assert [day.day for day in history.read("shop", TODAY, TODAY + 9 * DAY).days] == [TODAY]
    assert history.read("shop", TODAY, LAST).days == []


def test_a_gap_is_explicit(open_history: OpenHistory) -> None:
    """Unknown is not zero."""
    history = started(open_history, blind={midnight(LAST - 2 * DAY)})

    days = history.read("shop", LAST - 3 * DAY, LAST - DAY).days

    assert (states(days), totals(days)) == (["complete", "gap", "complete"], [12, None, 12])


def test_a_day_without_cost_costs_nothing(open_history: OpenHistory) -> None:
    """The Application was there, its workload was not: zero, measured all day."""
    ends = midnight(LAST - DAY)
    history = started(open_history, Life(start=BEGIN, end=ends, hourly_cost=0.5), Life(namespace="other"))

    day = history.read("shop", LAST, LAST).days[0]

    assert day.state == "complete"
    assert day.cost is not None
    assert (day.cost.cost.total, day.cost.measured_hours) == (0, 24)


def test_before_it_existed_it_is_absent(open_history: OpenHistory) -> None:
    """It was created, and its first pod ran, on the day before yesterday."""
    start = midnight(LAST - DAY) + 12 * HOUR
    history = started(open_history, WEB, Life(pod="api-1", controller="api", start=start, hourly_cost=0.5))
    history.record("young", finished_at=start, created_at=start, resources=(deployment("api"),))
    history.fold()

    days = history.read("young", LAST - 2 * DAY, LAST).days

    assert (states(days), totals(days)) == (["absent", "complete", "complete"], [None, 6, 12])
    assert days[1].cost is not None
    assert days[1].cost.measured_hours == 12


def test_what_is_not_folded_yet_is_pending(open_history: OpenHistory) -> None:
    """A new Application, before the next run."""
    history = started(open_history)
    history.record("new", finished_at=NOW - HOUR, resources=(deployment("api"),))

    assert states(history.read("new", LAST - DAY, LAST).days) == ["pending", "pending"]


def test_a_day_that_is_still_asked_for_is_pending(open_history: OpenHistory) -> None:
    """OpenCost has no history yet: older days may still come."""
    history = open_history(FakeOpenCost(lives=[WEB]))
    history.record("shop", finished_at=BEGIN)

    assert states(history.read("shop", LAST - 2 * DAY, LAST - DAY).days) == ["pending", "pending"]


@pytest.mark.parametrize(("minutes", "expected"), [(5, 11.5), (15, 12.0)])
def test_yesterday_is_provisional_until_it_is_closed(open_history: OpenHistory, minutes: int, expected: float) -> None:
    """At five past midnight its last hour is not there, a little later it is; today has no hour yet, which is not zero."""
    now = midnight(TODAY) + timedelta(minutes=minutes)
    history = open_history(FakeOpenCost(lives=[WEB]))
    history.record("shop", finished_at=BEGIN)
    history.engine.ask_due(now)
    history.now = now

    yesterday, today = history.read("shop", LAST, TODAY).days

    assert (yesterday.state, today.state, today.cost) == ("provisional", "provisional", None)
    assert yesterday.cost is not None
    assert yesterday.cost.cost.total == pytest.approx(expected, abs=1e-9)
    assert (yesterday.cost.complete, yesterday.cost.source) == (False, "hours")


def test_today_counts_a_workload_once(open_history: OpenHistory) -> None:
    """What an older Application lists too is not in the younger's day."""
    history = started(open_history)
    history.record("young", finished_at=NOW - HOUR)

    today = history.read("young", TODAY, TODAY).days[0]

    assert today.cost is not None
    assert today.cost.cost.total == 0


def test_the_scope_is_the_present_one(open_history: OpenHistory) -> None:
    """Rows of the former scope are not shown, not even while the new series is still to be folded."""
    history = started(open_history)
    history.record("shop", finished_at=NOW - HOUR, resources=None)

    view = history.read("shop", LAST, LAST)

    assert (view.scope, states(view.days)) == ("namespace", ["pending"])


def test_days_after_the_end_are_absent(open_history: OpenHistory) -> None:
    """The Application is deleted and costs nothing any more."""
    history = started(open_history, Life(start=BEGIN, end=midnight(LAST), hourly_cost=0.5), Life(namespace="other"))
    for number in (1, 2):
        history.list_applications("other", at=NOW + number * DAY)
        history.engine.ask_due(NOW + number * DAY - 11 * HOUR)
        history.hour(NOW + number * DAY)

    days = history.read("shop", LAST - DAY, LAST + 2 * DAY).days

    assert states(days) == ["complete", "complete", "absent", "absent"]


def test_efficiency_of_a_day(open_history: OpenHistory) -> None:
    """A quarter of what was requested is used; without a request there is none."""
    history = started(open_history)

    first, second = history.read("shop", LAST - 5 * DAY, LAST - 4 * DAY).days

    assert (first.efficiency.cpu, second.efficiency.cpu) == (None, 0.25)
    assert second.efficiency.ram is None


def test_an_unknown_application_has_no_series(open_history: OpenHistory) -> None:
    """Nothing was ever recorded of it."""
    reader = started(open_history).reader()

    assert reader.series(AppRef("argocd", "nobody"), LAST, TODAY, now=NOW) is None


def test_beyond_what_is_kept_nothing_is_known(open_history: OpenHistory) -> None:
    """With eight days of history the ninth is not waited for."""
    history = started(open_history, Life(hourly_cost=0.5))

    days = history.read("shop", date(2026, 11, 21), date(2026, 11, 22)).days

    assert states(days) == ["before_history", "complete"]
