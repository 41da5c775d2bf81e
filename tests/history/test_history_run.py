"""The hourly run, and what it tells."""

import json
from datetime import timedelta
from typing import Any

import pytest

from costintel.collection.days import Days
from costintel.collection.deadline import Deadline
from costintel.cost.application import AppRef
from costintel.errors import OpenCostRefused, StorageUnavailable
from costintel.storage.run_summaries import RunSummaries, RunSummary
from tests.collection.engine import CLUSTER, HOUR, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.history_engine import DAY, HistoryEngine, midnight
from tests.measurement.syncs import deployment

LAST = NOW.date() - DAY
LIVES = (Life(hourly_cost=0.5), Life(pod="api-1", controller="api"))


def started(open_history: OpenHistory, **settings: Any) -> HistoryEngine:
    """Record an Application and let the ticks ask for the newest 24 hours."""
    history = open_history(FakeOpenCost(lives=LIVES), **{"history_days": 4, **settings})
    history.record("shop", finished_at=NOW - 9 * DAY)
    for minutes in (0, 11):
        history.engine.ask_due(NOW + timedelta(minutes=minutes))
    return history


def newest(history: HistoryEngine) -> RunSummary:
    (found,) = RunSummaries(history.engine.database).newest(CLUSTER, "days")
    return found


def test_the_summary_says_what_was_done(open_history: OpenHistory) -> None:
    """Four days asked, yesterday too, of which only half the hours are stored; their series; nothing is left."""
    history = started(open_history)

    report = history.run(NOW + HOUR / 4)

    assert json.loads(json.dumps(report.summary)) == {
        "days": {
            "folded": [],
            "asked": ["2026-11-29", "2026-11-28", "2026-11-27", "2026-11-26"],
            "kept": [],
            "failed": [],
            "errors": [],
            "stopped": "done",
            "waiting": 0,
        },
        "series": {"days": 4, "rows": 4, "applications": 1, "waiting": 0, "skipped": {}, "warning": ""},
        "pruned": {"days": 0, "rows": 0, "records": 0, "applications": 0},
    }
    assert (report.parts_failed, report.warnings) == (0, ())


def test_the_summary_is_kept(open_history: OpenHistory) -> None:
    """With when the run began and ended, for whoever asks about the quality of what is shown."""
    history = started(open_history)

    report = history.run(NOW + HOUR / 4)

    found = newest(history)
    assert (found.started_at, found.finished_at) == (NOW + HOUR / 4, NOW + HOUR / 4)
    assert found.summary == json.loads(json.dumps(report.summary))


def test_a_run_without_anything_to_do_says_so(open_history: OpenHistory) -> None:
    """Nothing is asked, and no row written."""
    history = started(open_history)
    history.run(NOW + HOUR / 4)

    report = history.run(NOW + HOUR / 3)

    assert report.summary["days"]["stopped"] == "done"
    assert (report.summary["days"]["asked"], report.summary["series"]["rows"]) == ([], 0)


def test_what_failed_and_what_remains_is_told(open_history: OpenHistory) -> None:
    """OpenCost refuses: two days failed, and three wait for an answer that are known of by now."""
    history = started(open_history)
    assert isinstance(history.client, FakeOpenCost)
    history.client.failing = OpenCostRefused("http://user:secret@10.0.0.1 said no")

    report = history.run(NOW + HOUR / 4)

    assert report.summary["days"]["failed"] == ["2026-11-29", "2026-11-28"]
    assert (report.summary["days"]["stopped"], report.summary["days"]["waiting"]) == ("opencost", 3)
    assert report.warnings == ("OpenCostRefused",)
    assert "secret" not in json.dumps(report.summary)


def test_two_runs_at_once_are_harmless(open_history: OpenHistory) -> None:
    """The second one finds the first at it, does nothing and leaves no summary in the place of the first one's."""
    history = started(open_history)
    other = open_history(history.client, history_days=4)
    seen: list[Any] = []

    def start_another(_: object) -> None:
        if not seen:
            seen.append(None)
            seen.append(other.run(NOW + HOUR / 4))

    assert isinstance(history.client, FakeOpenCost)
    history.client.before = start_another
    report = history.run(NOW + HOUR / 4)

    assert seen[1].summary == {"skipped": "another run is at it"}
    assert len(report.summary["days"]["asked"]) == 4
    assert newest(history).summary["series"]["rows"] == 4


def test_a_killed_run_holds_up_none_for_long(open_history: OpenHistory) -> None:
    """Its turn ends with its deadline."""
    history = started(open_history)
    history.engine.leases.acquire(f"{CLUSTER}/history", "killed", 0)

    assert "skipped" not in history.run(NOW + HOUR / 4).summary


def test_with_a_history_of_no_days_nothing_is_done(open_history: OpenHistory) -> None:
    """It is switched off: nothing is asked, folded or forgotten."""
    history = started(open_history)
    history.run(NOW + HOUR / 4)
    history.history_days = 0

    report = history.run(NOW + 2 * HOUR)

    assert report.summary == {"off": True}
    assert len(history.headers()) == 4


def test_a_part_that_postgresql_stops_does_not_stop_the_next(
    open_history: OpenHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The days could not be done; the series of the days that are there are folded, and the summary says what failed."""
    history = started(open_history)
    history.run(NOW + HOUR / 4)
    history.record("second", finished_at=NOW, resources=(deployment("web"),))

    def away(*_: object, **__: object) -> None:
        raise StorageUnavailable("PostgreSQL is away")

    monkeypatch.setattr(Days, "run", away)
    report = history.run(NOW + HOUR / 3)

    assert report.summary["days"] == {"error": "PostgreSQL is away"}
    assert report.summary["series"]["days"] == 4
    assert (report.warnings, report.parts_failed) == (("days: PostgreSQL is away",), 1)


def test_the_series_get_their_time_while_days_are_still_asked(open_history: OpenHistory) -> None:
    """Of seven minutes three are for the series: too little is left for a question of four, so that none is begun."""
    history = started(open_history)
    history.engine.ensure(*(midnight(LAST) + number * HOUR for number in range(24)), now=NOW)

    report = history.run(NOW + HOUR / 4, seconds=420)

    assert report.summary["days"]["stopped"] == "time"
    assert report.summary["series"]["days"] == 1


def test_refolding_waits_for_its_turn(open_history: OpenHistory) -> None:
    """While a run is at it nothing is folded; what was to be folded anew is, later."""
    history = started(open_history)
    history.run(NOW + HOUR / 4)
    lease = history.engine.leases.acquire(f"{CLUSTER}/history", "somebody", 60)
    assert lease is not None
    refolding = history.refolding()

    begun = refolding.begin([AppRef("argocd", "shop")])
    waiting = refolding.go_on(deadline=Deadline.after(300))
    history.engine.leases.release(lease)
    done = refolding.go_on(deadline=Deadline.after(300))

    assert (begun, waiting) == (1, None)
    assert done is not None
    assert (done.days, done.rows, done.waiting) == (4, 0, 0)


def test_an_application_is_adopted_at_once(open_history: OpenHistory) -> None:
    """Its first measurement folds its days in the same run."""
    history = started(open_history)
    history.run(NOW + HOUR / 4)
    history.record("new", finished_at=NOW, resources=(deployment("api"),))

    outcome = history.refolding().adopt([AppRef("argocd", "new")], deadline=Deadline.after(300))

    assert outcome is not None
    assert len(history.series("new")) == 4


def test_the_clock_is_the_service_s(open_history: OpenHistory) -> None:
    """At five past midnight nothing is closed, whatever the real time is."""
    history = started(open_history)

    report = history.run(midnight(NOW.date()) + timedelta(minutes=5))

    assert report.summary["days"]["folded"] == []
