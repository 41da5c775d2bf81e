"""Which Applications have a series."""

from datetime import timedelta

import pytest

from costintel.cost.application import AppRef, Destination
from tests.collection.engine import HOUR, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.history_engine import DAY, HistoryEngine, midnight

LAST = NOW.date() - DAY
BEGIN = midnight(LAST) - 5 * DAY
ELSEWHERE = Destination(server="https://prod.example.com", namespace="shop")
WEB = Life(hourly_cost=0.5)


def with_days(open_history: OpenHistory, *lives: Life, history_days: int = 3, **settings: AppRef) -> HistoryEngine:
    history = open_history(FakeOpenCost(lives=lives or (WEB,)), history_days=history_days, **settings)
    history.hour(NOW)
    return history


def next_day(history: HistoryEngine, number: int = 1) -> None:
    """Let a day pass, its hours asked and its end noted; the list of Applications is made before."""
    later = NOW + number * DAY
    history.engine.ask_due(later - timedelta(hours=11))
    history.hour(later)


def test_an_application_of_another_cluster_has_none(open_history: OpenHistory) -> None:
    """Neither one that was recorded so, nor one that the live list shows to have moved."""
    history = with_days(open_history)
    history.record("elsewhere", finished_at=BEGIN, destination=ELSEWHERE)
    history.record("moved", finished_at=BEGIN)
    history.list_applications("moved", destination=ELSEWHERE)

    outcome = history.fold()

    assert (outcome.applications, outcome.skipped) == (0, {"other cluster": 2})
    assert (history.costs("elsewhere"), history.costs("moved")) == ({}, {})


def test_the_access_application_has_none(open_history: OpenHistory) -> None:
    """By its name in the settings, or by its label."""
    history = with_days(open_history, access=AppRef("argocd", "gate"))
    history.record("gate", finished_at=BEGIN)
    history.record("labelled", finished_at=BEGIN)
    history.list_applications("labelled", labels={"cost-intel/cluster-access": "true"})

    outcome = history.fold()

    assert (outcome.applications, outcome.skipped) == (0, {"access application": 2})


def test_a_deleted_application_is_folded_while_its_workloads_cost(open_history: OpenHistory) -> None:
    """Its pods run on for a day after it was deleted: that day is its own, too; the day after there is nothing more."""
    ends = midnight(LAST) + 2 * DAY + 6 * HOUR
    history = with_days(open_history, Life(end=ends, hourly_cost=0.5), Life(namespace="other"))
    history.record("shop", finished_at=BEGIN)
    history.fold()
    for number in (1, 2, 3):
        history.list_applications("other", at=NOW + number * DAY)
        next_day(history, number)

    costs = history.costs("shop")

    assert costs[LAST + DAY] == pytest.approx(12, abs=1e-9)
    assert costs[LAST + 2 * DAY] == pytest.approx(3, abs=1e-9)
    assert LAST + 3 * DAY not in costs


def test_what_ended_does_not_begin_again(open_history: OpenHistory) -> None:
    """Two days after the last cost something else runs under the same name: it is not the deleted Application's."""
    first = Life(end=midnight(LAST) + 6 * HOUR, hourly_cost=0.5)
    second = Life(pod="web-7d9f6c5b4c-ccccc", start=midnight(LAST) + 3 * DAY, hourly_cost=0.5)
    history = with_days(open_history, first, second, Life(namespace="other"), history_days=9)
    history.record("shop", finished_at=BEGIN)
    history.fold()
    for number in (1, 2, 3):
        history.list_applications("other", at=NOW + number * DAY)
        next_day(history, number)
    before = history.costs("shop")

    history.refolding().begin(None)
    history.fold()

    assert max(before) == LAST
    assert history.costs("shop") == before


def test_when_the_list_fails_everything_is_folded(open_history: OpenHistory) -> None:
    """Nobody is taken for gone, and the run says so."""
    first = Life(end=midnight(LAST) + 6 * HOUR, hourly_cost=0.5)
    second = Life(pod="web-7d9f6c5b4c-ccccc", start=midnight(LAST) + 2 * DAY, hourly_cost=0.5)
    history = with_days(open_history, first, second, Life(namespace="other"))
    history.record("shop", finished_at=BEGIN)
    history.fold()
    history.list_applications("other", at=NOW)
    for number in (1, 2):
        history.list_applications(at=NOW + number * DAY, complete=False)
        next_day(history, number)

    report = history.run()

    assert history.costs("shop")[LAST + 2 * DAY] == pytest.approx(12, abs=1e-9)
    assert report.warnings == ("the list of Applications failed: all are folded, none is forgotten",)
    assert report.summary["series"]["warning"] == report.warnings[0]


def test_an_old_list_is_not_trusted(open_history: OpenHistory) -> None:
    """The lists stopped an hour and a half ago."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN)
    history.list_applications("other", at=NOW - 1.5 * HOUR)

    outcome = history.fold()

    assert outcome.warning == "the list of Applications is old: all are folded, none is forgotten"
    assert len(history.costs("shop")) == 3


def test_without_a_list_nothing_is_wrong(open_history: OpenHistory) -> None:
    """No Kubernetes is configured: every recorded Application has its series."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN)

    outcome = history.fold()

    assert (outcome.warning, outcome.applications, len(history.costs("shop"))) == ("", 1, 3)


def test_who_exists_comes_before_who_is_gone(open_history: OpenHistory) -> None:
    """An Application was made anew under another name: from its first sync on the workload is the new one's."""
    history = with_days(open_history)
    history.record("old", finished_at=BEGIN)
    history.record("new", finished_at=midnight(LAST) + HOUR)
    history.list_applications("new")

    history.fold()

    assert sorted(history.costs("new")) == [LAST]
    assert sorted(history.costs("old")) == [LAST - 2 * DAY, LAST - DAY]


def test_being_deleted_hands_over_what_was_contested(open_history: OpenHistory) -> None:
    """Both listed it, the older had it; now that the older is gone the days on which both listed it are the younger's."""
    history = with_days(open_history)
    history.record("old", finished_at=BEGIN)
    history.record("new", finished_at=midnight(LAST) + HOUR)
    history.list_applications("new", "old")
    history.fold()
    before = history.costs("old"), history.costs("new")
    history.list_applications("new", at=NOW + HOUR / 2)

    history.fold()

    assert (len(before[0]), before[1]) == (3, {})
    assert sorted(history.costs("new")) == [LAST]
