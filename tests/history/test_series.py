"""Series folded from stored days."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from costintel.cost.application import AppRef, Destination
from costintel.opencost.answer import WindowAnswer
from tests.collection.engine import HOUR, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life, unmounted, with_row
from tests.history.conftest import OpenHistory
from tests.history.history_engine import DAY, HistoryEngine, midnight
from tests.measurement.syncs import deployment, into

LAST = NOW.date() - DAY
DAYS = [LAST - number * DAY for number in range(6)]
"""Yesterday and the five days before it, newest first."""
BEGIN = midnight(DAYS[-1])
WEB = Life(hourly_cost=0.5)
API = Life(pod="api-5c9d8f7b6d-bbbbb", controller="api", hourly_cost=0.25)
BOTH = (deployment("web"), deployment("api"))


def with_days(open_history: OpenHistory, *lives: Life, history_days: int = 6) -> HistoryEngine:
    """Store the days, without any Application."""
    history = open_history(FakeOpenCost(lives=lives or (WEB, API)), history_days=history_days)
    history.hour(NOW)
    return history


def same(days: Sequence[date], cost: float) -> dict[date, float]:
    about: Any = pytest.approx(cost, abs=1e-9)
    return dict.fromkeys(days, about)


def test_an_application_adopted_late_shows_the_days_before(open_history: OpenHistory) -> None:
    """Its workloads ran for six days when it was first recorded: six days of cost, and no call for them."""
    history = with_days(open_history)
    history.record("shop-web", finished_at=NOW - HOUR)
    assert isinstance(history.client, FakeOpenCost)
    history.client.calls.clear()

    outcome = history.fold()

    assert history.costs("shop-web") == same(DAYS, 12)
    assert (outcome.days, outcome.waiting, history.client.calls) == (6, 0, [])


def test_each_day_has_the_list_of_its_end(open_history: OpenHistory) -> None:
    """A sync on the third day added a workload: it counts from that day on."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY)
    history.record("shop", finished_at=midnight(DAYS[2]) + 12 * HOUR, resources=BOTH)

    history.fold()

    assert history.costs("shop") == {**same(DAYS[:3], 18), **same(DAYS[3:], 12)}


def test_a_workload_that_was_removed_stays_in_the_past(open_history: OpenHistory) -> None:
    """From the sync that dropped it on it is no longer the Application's."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY, resources=BOTH)
    history.record("shop", finished_at=midnight(DAYS[1]) + HOUR, resources=(deployment("api"),))

    history.fold()

    assert history.costs("shop") == {**same(DAYS[:2], 6), **same(DAYS[2:], 18)}


def test_a_change_of_scope_makes_a_new_series(open_history: OpenHistory) -> None:
    """Without a list the whole namespace counted; with one it is the Application's own pods, on every day."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY, resources=None)
    history.fold()
    before = history.costs("shop", "namespace")
    history.record("shop", finished_at=NOW - HOUR)

    history.fold()

    assert before == same(DAYS, 18)
    assert history.costs("shop") == same(DAYS, 12)
    assert history.costs("shop", "namespace") == {}
    assert history.read("shop", LAST, LAST).scope == "application"


def test_a_list_of_another_scope_does_not_count(open_history: OpenHistory) -> None:
    """Of the records only those of the present scope say what was owned, the first of them for the days before it."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY, resources=None)
    history.record("shop", finished_at=midnight(DAYS[3]) + HOUR, resources=BOTH)
    history.record("shop", finished_at=midnight(DAYS[1]) + HOUR)

    history.fold()

    assert history.costs("shop") == {**same(DAYS[:2], 12), **same(DAYS[2:], 18)}


def test_a_series_moves_with_its_destination(open_history: OpenHistory) -> None:
    """Each day is of the namespace it deployed to then."""
    history = with_days(open_history, WEB, Life(namespace="store", hourly_cost=1.0))
    history.record("shop", finished_at=BEGIN - DAY, resources=(deployment("web"),))
    moved = Destination(server="https://kubernetes.default.svc", namespace="store")
    history.record("shop", finished_at=midnight(DAYS[1]), resources=(deployment("web"),), destination=moved)

    history.fold()

    assert history.costs("shop") == {**same(DAYS[:2], 24), **same(DAYS[2:], 12)}
    assert history.series("shop")[DAYS[0]].deployment_namespace == "store"


def test_a_workload_of_two_applications_counts_once(open_history: OpenHistory) -> None:
    """The older has it, also on the days before the younger was recorded."""
    history = with_days(open_history)
    history.record("old", finished_at=BEGIN - DAY)
    history.record("young", finished_at=NOW - HOUR, resources=BOTH)

    history.fold()

    assert history.costs("old") == same(DAYS, 12)
    assert history.costs("young") == same(DAYS, 6)


def test_creation_decides_who_is_older(open_history: OpenHistory) -> None:
    """Not the first record, where the Application says when it was created."""
    history = with_days(open_history)
    history.record("first", finished_at=BEGIN - DAY, created_at=BEGIN - DAY)
    history.record("second", finished_at=BEGIN - HOUR, created_at=BEGIN - 9 * DAY)

    history.fold()

    assert (history.costs("first"), history.costs("second")) == ({}, same(DAYS, 12))


def test_who_comes_later_and_is_older_takes_over(open_history: OpenHistory) -> None:
    """The other's series is folded anew, so that nothing is counted twice on any day."""
    history = with_days(open_history)
    history.record("first", finished_at=BEGIN - DAY, created_at=BEGIN - DAY, resources=BOTH)
    history.fold()
    history.record("second", finished_at=BEGIN - HOUR, created_at=BEGIN - 9 * DAY)

    history.fold()

    assert (history.costs("first"), history.costs("second")) == (same(DAYS, 6), same(DAYS, 12))


def test_what_was_handed_over_is_not_counted_twice(open_history: OpenHistory) -> None:
    """On the days before the hand-over it is the giver's, although the taker's first list has it."""
    history = with_days(open_history)
    history.record("giver", finished_at=BEGIN - DAY, resources=BOTH)
    history.record("giver", finished_at=midnight(DAYS[2]) + HOUR, resources=(deployment("api"),))
    history.record("taker", finished_at=midnight(DAYS[2]) + 2 * HOUR)

    history.fold()

    assert history.costs("giver") == {**same(DAYS[:3], 6), **same(DAYS[3:], 18)}
    assert history.costs("taker") == same(DAYS[:3], 12)


def test_a_new_sync_does_not_touch_the_past(open_history: OpenHistory) -> None:
    """It counts for days that are not over: nothing is folded, nothing written."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY)
    history.fold()
    before = history.versions()
    history.record("shop", finished_at=NOW - HOUR, resources=BOTH)

    outcome = history.fold()

    assert (outcome.days, outcome.rows, history.versions()) == (0, 0, before)


def test_a_sync_found_late_changes_the_days_after_it(open_history: OpenHistory) -> None:
    """Reconciliation found it days later: from the day it finished on its list counts."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY)
    history.fold()
    history.record("shop", finished_at=midnight(DAYS[1]) + HOUR, resources=BOTH)

    outcome = history.fold()

    assert outcome.rows == 2
    assert history.costs("shop") == {**same(DAYS[:2], 18), **same(DAYS[2:], 12)}


def test_a_corrected_list_changes_the_days(open_history: OpenHistory) -> None:
    """The live list contradicted the only record."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY)
    history.fold()
    history.record("shop", finished_at=BEGIN - DAY, resources=(deployment("api"),))

    history.fold()

    assert history.costs("shop") == same(DAYS, 6)


def test_what_costs_nothing_any_more_has_no_row(open_history: OpenHistory) -> None:
    """The corrected list names nothing that runs: the rows that were there are gone."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY)
    history.fold()
    history.record("shop", finished_at=BEGIN - DAY, resources=(deployment("gone"),))

    outcome = history.fold()

    assert (history.costs("shop"), outcome.rows) == ({}, 6)


def test_a_healed_day_changes_the_series(open_history: OpenHistory) -> None:
    """The day was folded with a gap; once OpenCost answered for it as a whole it is all there."""
    history = open_history(FakeOpenCost(lives=[WEB], blind={midnight(LAST) + 7 * HOUR}), history_days=1)
    history.record("shop", finished_at=BEGIN - DAY)
    hours = [midnight(LAST) + number * HOUR for number in range(25)]
    quarter_past_one = midnight(LAST) + DAY + 1.25 * HOUR
    for now in (quarter_past_one - HOUR / 4, quarter_past_one):
        history.engine.ensure(*hours, now=now)

    history.run(quarter_past_one, seconds=300)
    with_gap = history.series("shop")[LAST]
    history.run(quarter_past_one)
    healed = history.series("shop")[LAST]

    assert with_gap.cost.total == pytest.approx(11.5, abs=1e-9)
    assert (with_gap.measured_hours, with_gap.source) == (23, "hours")
    assert healed.cost.total == pytest.approx(12, abs=1e-9)
    assert (healed.measured_hours, healed.source) == (24, "day")


@pytest.mark.parametrize(
    ("created_at", "starts_at", "hours"),
    [(None, 6, 24), (-100, 6, 24), (6, 6, 18), (6, 9, 18), (9, 6, 18), (36, 6, 18), (36, 0, 24)],
    ids=[
        "recorded before",
        "created before",
        "at once",
        "pods later",
        "pods before",
        "adopted",
        "adopted, ran all day",
    ],
)
def test_measured_are_the_hours_since_it_is_known(
    open_history: OpenHistory, created_at: int | None, starts_at: int, hours: int
) -> None:
    """From its creation, or from its first container where that is earlier; both are hours of that day."""
    start = midnight(LAST) + starts_at * HOUR
    history = with_days(open_history, Life(start=start, hourly_cost=0.5), Life(namespace="other"), history_days=1)
    created = None if created_at is None else midnight(LAST) + created_at * HOUR
    history.record("shop", finished_at=BEGIN if created is None else NOW - HOUR / 2, created_at=created)

    history.fold()

    assert history.series("shop")[LAST].measured_hours == pytest.approx(hours, abs=1e-9)


def test_only_what_is_asked_for(open_history: OpenHistory) -> None:
    """An Application measured for the first time gets its days in the same run, and nobody else's are touched."""
    history = with_days(open_history)
    history.record("one", finished_at=NOW - HOUR)
    history.record("two", finished_at=NOW - HOUR, resources=(deployment("api"),))

    outcome = history.fold(only=[AppRef("argocd", "two")])

    assert (outcome.days, history.costs("one"), history.costs("two")) == (6, {}, same(DAYS, 6))


def test_a_run_without_time_goes_on_later(open_history: OpenHistory) -> None:
    """With less than half a minute left no day is begun; what is left is told, and done by the next run."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY)

    without = history.fold(seconds=29)
    later = history.fold()

    assert (without.days, without.waiting) == (0, 6)
    assert (later.days, later.waiting, history.costs("shop")) == (6, 0, same(DAYS, 12))


def test_older_days_are_added_as_they_come(open_history: OpenHistory) -> None:
    """Three days were kept first, then six: the three older ones are folded for everybody, the newer are left alone."""
    history = with_days(open_history, history_days=3)
    history.record("shop", finished_at=BEGIN - DAY)
    history.fold()
    before = history.versions()
    history.history_days = 6

    history.run()

    assert history.costs("shop") == same(DAYS, 12)
    assert history.versions()[3:] == before


def test_volumes_that_nothing_mounts_belong_to_the_namespace(open_history: OpenHistory) -> None:
    """An Application of whole-namespace scope has them, one with a list has not."""

    def with_volume(answer: WindowAnswer) -> WindowAnswer:
        return with_row(answer, unmounted("attic", answer.window, 0.125 * answer.window.hours))

    history = open_history(FakeOpenCost(lives=[WEB], changed=with_volume), history_days=3)
    history.hour(NOW)
    history.record("all", finished_at=BEGIN - DAY, resources=None, destination=into("attic"))
    history.record("listed", finished_at=BEGIN - DAY, resources=(deployment("web"),), destination=into("attic"))

    history.fold()

    assert history.costs("all", "namespace") == same(DAYS[:3], 3)
    assert {row.measured_hours for row in history.series("all", "namespace").values()} == {24}
    assert history.costs("listed") == {}


def test_namesakes_are_two_applications(open_history: OpenHistory) -> None:
    """Identity is namespace and name of the Application."""
    history = with_days(open_history)
    history.record("shop", finished_at=BEGIN - DAY)
    history.record("shop", finished_at=BEGIN, app_namespace="team-b", resources=(deployment("api"),))

    history.fold()

    assert history.costs("shop") == same(DAYS, 12)
    other = history.reader().series(AppRef("team-b", "shop"), LAST, LAST, now=NOW + timedelta(minutes=30))
    assert other is not None
    assert [day.cost and day.cost.cost.total for day in other.days] == [pytest.approx(6)]
