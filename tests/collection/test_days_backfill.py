"""Days before the first hours, asked as a whole, newest first."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from costintel.cost.day import DaySource, DayState, day_window
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused, OpenCostTimeout
from costintel.opencost.answer import WindowAnswer
from costintel.storage.work import SYNC
from tests.collection.conftest import OpenEngine
from tests.collection.days_engine import DAY, LAST, DayEngine
from tests.collection.engine import CLUSTER, HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life

FIRST = datetime(2026, 11, 10, tzinfo=UTC)
"""When the made cluster began: 20 whole days before today."""
HISTORY = [LAST - number * DAY for number in range(20)]


def since(start: datetime = FIRST, **settings: Any) -> FakeOpenCost:
    return FakeOpenCost(lives=[Life(start=start)], **settings)


def started(engine: Engine, *, history_days: int = 400, now: datetime = NOW) -> DayEngine:
    """Let the tick ask for the newest hours, as after a deployment."""
    engine.ask_due(now)
    engine.ask_due(now + HOUR / 4)
    return DayEngine(engine=engine, history_days=history_days)


def day_calls(opencost: FakeOpenCost) -> list[date]:
    return [window.start.date() for window in opencost.calls if window.hours == 24]


def test_days_are_asked_newest_first_until_thirty_are_empty(open_engine: OpenEngine) -> None:
    """20 days with cost and the empty tail of 30: 50 calls, each day once."""
    opencost = since()
    days = started(open_engine(opencost))

    outcome = days.run(NOW)

    assert day_calls(opencost) == [LAST - number * DAY for number in range(50)]
    assert (len(outcome.asked), outcome.stopped, outcome.waiting) == (50, "done", 0)
    assert {days.states()[day] for day in HISTORY} == {"complete"}
    assert list(days.states().values()).count("before_history") == 30
    assert all(days.cost(day) == pytest.approx(0.96, abs=1e-12) for day in HISTORY)


def test_the_tail_is_asked_once(open_engine: OpenEngine) -> None:
    """The next run, and one on the next day, ask nothing older."""
    opencost = since()
    engine = open_engine(opencost)
    days = started(engine)
    days.run(NOW)
    opencost.calls.clear()

    for later in (NOW + HOUR, NOW + 24 * HOUR):
        engine.ask_due(later)
        days.run(later)

    assert day_calls(opencost) == []
    assert days.states()[LAST + DAY] == "complete"


def test_nothing_is_asked_beyond_the_history_kept(open_engine: OpenEngine) -> None:
    """With five days of history there are five calls."""
    opencost = since()

    days = started(open_engine(opencost), history_days=5)
    days.run(NOW)

    assert day_calls(opencost) == HISTORY[:5]


def test_a_hole_in_history_is_a_gap(open_engine: OpenEngine) -> None:
    """Empty days with cost before them are unknown, not free; those before the first cost are before history."""
    hole = [day_window(day).start for day in HISTORY[5:8]]
    opencost = since(blind=set(hole))

    days = started(open_engine(opencost))
    days.run(NOW)

    states = days.states()
    assert [states[day] for day in HISTORY[4:9]] == ["complete", "gap", "gap", "gap", "complete"]
    assert states[HISTORY[-1] - DAY] == "before_history"


def test_a_gap_is_asked_again(open_engine: OpenEngine) -> None:
    """OpenCost may have been blind for that one call."""
    hole = day_window(HISTORY[5]).start
    opencost = since(blind={hole})
    engine = open_engine(opencost)
    days = started(engine)
    days.run(NOW)
    opencost.blind.clear()
    opencost.calls.clear()
    engine.ask_due(NOW + HOUR)

    days.run(NOW + HOUR)

    assert day_calls(opencost) == [HISTORY[5]]
    assert days.states()[HISTORY[5]] == "complete"


def test_a_first_day_observed_in_part_is_incomplete(open_engine: OpenEngine) -> None:
    """The cluster began at ten in the morning."""
    days = started(open_engine(since(FIRST + 10 * HOUR)))
    days.run(NOW)

    header = days.headers()[FIRST.date()]
    assert (header.state, header.observed_hours, header.source) == (DayState.INCOMPLETE, 14, DaySource.DAY)
    assert not header.healed


def test_one_poisoned_day_does_not_hold_up_the_others(open_engine: OpenEngine) -> None:
    """It fails, the others are asked; it is tried again an hour later, and then everything is as if nothing had been."""
    poisoned = HISTORY[3]
    opencost = since(failing_at={day_window(poisoned).start: OpenCostRefused("poisoned")})
    engine = open_engine(opencost)
    days = started(engine)
    first = days.run(NOW)
    without = days.states()
    opencost.failing_at.clear()
    engine.ask_due(NOW + HOUR)

    second = days.run(NOW + HOUR)

    assert (first.failed, first.errors, first.stopped) == ((poisoned,), ("OpenCostRefused",), "done")
    assert poisoned not in without
    assert len(without) == 49
    assert (second.asked, days.states()[poisoned]) == ((poisoned,), "complete")


def test_a_day_that_never_answers_is_given_up(open_engine: OpenEngine) -> None:
    """After two weeks it is a gap, and no longer asked for."""
    poisoned = HISTORY[3]
    opencost = since(failing_at={day_window(poisoned).start: OpenCostRefused("poisoned")})
    engine = open_engine(opencost)
    days = started(engine)
    days.run(NOW)
    later = NOW + 15 * 24 * HOUR
    for now in (later, later + HOUR / 4):
        engine.ask_due(now)
    days.run(later + HOUR / 4)
    opencost.calls.clear()

    days.run(later + 30 * HOUR)

    assert days.states()[poisoned] == "gap"
    assert day_calls(opencost) == []


def test_when_opencost_is_ill_the_run_ends(open_engine: OpenEngine) -> None:
    """Two refusals in a row, of two days: no third call."""
    opencost = since()
    days = started(open_engine(opencost))
    opencost.failing = OpenCostRefused("down")
    opencost.calls.clear()

    outcome = days.run(NOW)

    assert day_calls(opencost) == HISTORY[:2]
    assert (outcome.stopped, outcome.waiting) == ("opencost", 3)


def test_a_day_that_takes_too_long_is_asked_in_halves(open_engine: OpenEngine) -> None:
    """The next run asks for twelve hours at a time, of the following days too, and they add up to the same day."""
    opencost = since()

    def slow(window: Window) -> None:
        if window.hours > 12:
            raise OpenCostTimeout("slow")

    engine = open_engine(opencost)
    days = started(engine, history_days=3)
    opencost.before = slow
    first = days.run(NOW)
    engine.database.execute("UPDATE leases SET expires_at = now()")
    opencost.calls.clear()
    engine.ask_due(NOW + HOUR)

    second = days.run(NOW + HOUR)

    assert (first.failed, first.stopped, second.asked) == ((LAST,), "opencost", tuple(HISTORY[:3]))
    assert [window.hours for window in opencost.calls if window.hours > 1] == [12.0] * 6
    assert all(days.cost(day) == pytest.approx(0.96, abs=1e-12) for day in HISTORY[:3])
    assert days.headers()[LAST].observed == (day_window(LAST),)
    assert engine.work.all(CLUSTER, "day_slice") == []


def test_slices_are_kept_between_runs(open_engine: OpenEngine) -> None:
    """The second half fails: the first is not asked again."""
    opencost = since()
    engine = open_engine(opencost)
    days = started(engine, history_days=1)
    opencost.failing_at = {day_window(LAST).start: OpenCostTimeout("slow")}
    days.run(NOW)
    engine.database.execute("UPDATE leases SET expires_at = now()")
    noon = day_window(LAST).start + 12 * HOUR
    opencost.failing_at = {noon: OpenCostRefused("down")}
    engine.ask_due(NOW + HOUR)
    days.run(NOW + HOUR)
    opencost.failing_at.clear()
    opencost.calls.clear()
    engine.ask_due(NOW + 4 * HOUR)

    days.run(NOW + 4 * HOUR)

    assert [window.start for window in opencost.calls if window.hours > 1] == [noon]
    assert days.cost() == pytest.approx(0.96, abs=1e-12)


def test_a_slice_without_anything_is_not_observed(open_engine: OpenEngine) -> None:
    """Within a slice OpenCost bridges what it did not see, over the edge of one it does not."""
    opencost = since()
    engine = open_engine(opencost)
    days = started(engine, history_days=1)
    start = day_window(LAST).start
    opencost.failing_at = {start: OpenCostTimeout("slow")}
    days.run(NOW)
    engine.database.execute("UPDATE leases SET expires_at = now()")
    opencost.failing_at.clear()
    opencost.blind = {start}
    engine.ask_due(NOW + HOUR)

    days.run(NOW + HOUR)

    header = days.headers()[LAST]
    assert header.observed == (Window(start + 12 * HOUR, start + 24 * HOUR),)
    assert header.state is DayState.INCOMPLETE


def test_containers_of_other_clusters_are_no_empty_day(open_engine: OpenEngine) -> None:
    """A wrong cluster id must not make a history of nothing: the run stops and remembers no day."""

    def foreign(answer: WindowAnswer) -> WindowAnswer:
        if answer.window.hours < 24:
            return answer
        return WindowAnswer(
            window=answer.window,
            rows_by_namespace={},
            assets=(),
            observed=None,
            running_rows=0,
            row_count=0,
            node_count=0,
            starts_late=False,
            foreign_rows=9,
        )

    days = started(open_engine(since(changed=foreign)))

    outcome = days.run(NOW)

    assert (outcome.stopped, len(outcome.failed)) == ("opencost", 2)
    assert days.headers() == {}


def test_before_any_hour_is_known_no_day_is_asked(open_engine: OpenEngine) -> None:
    """The measurements come first; and while OpenCost shows nothing at all a day would prove nothing."""
    opencost = since()
    engine = open_engine(opencost)
    first = DayEngine(engine=engine).run(NOW)
    opencost.observed_from = NOW + 24 * HOUR
    second = started(engine).run(NOW)

    assert (first.stopped, second.stopped) == ("measurements", "blind")
    assert day_calls(opencost) == []


def test_between_days_it_steps_back_for_measurements(open_engine: OpenEngine) -> None:
    """A sync comes while the third day is asked: the lease is free until it is done, then the other days follow."""
    opencost = since()
    engine = open_engine(opencost)
    days = started(engine, history_days=6)

    def sync_comes(window: Window) -> None:
        if window == day_window(HISTORY[2]):
            engine.work.put(CLUSTER, SYNC, "a-sync", {}, NOW)

    def measured(_: float) -> None:
        lease = engine.leases.acquire(CLUSTER, "measure", 60)
        assert lease is not None
        engine.leases.release(lease)
        engine.work.delete(CLUSTER, SYNC, ["a-sync"])
        at_the_pause.append(len(days.headers()))

    at_the_pause: list[int] = []
    opencost.before = sync_comes
    days.pause = measured

    outcome = days.run(NOW, patience_seconds=60)

    assert at_the_pause == [3]
    assert (len(outcome.asked), outcome.stopped) == (6, "done")


def test_without_patience_the_rest_waits_for_the_next_run(open_engine: OpenEngine) -> None:
    """A sync waits: nothing is asked, and the summary says what is left."""
    opencost = since()
    engine = open_engine(opencost)
    days = started(engine, history_days=6)
    engine.work.put(CLUSTER, SYNC, "a-sync", {}, NOW)

    outcome = days.run(NOW)

    assert (outcome.asked, outcome.stopped, outcome.waiting) == ((), "measurements", 1)


def test_no_call_is_begun_that_may_not_end_in_time(open_engine: OpenEngine) -> None:
    """With 240 seconds for an answer and 200 left nothing is asked, and no attempt is counted."""
    opencost = since()
    engine = open_engine(opencost)
    days = started(engine)
    opencost.calls.clear()

    outcome = days.run(NOW, seconds=200)

    assert (outcome.stopped, opencost.calls) == ("time", [])
    assert engine.work.all(CLUSTER, "day") == []


def test_a_run_that_was_killed_in_a_call_goes_on(open_engine: OpenEngine) -> None:
    """Its attempt was written down before: an hour later the day is asked again, the others at once."""
    opencost = since()
    engine = open_engine(opencost)
    days = started(engine, history_days=4)

    def die(window: Window) -> None:
        if window == day_window(HISTORY[1]):
            raise KeyboardInterrupt

    opencost.before = die
    with pytest.raises(KeyboardInterrupt):
        days.run(NOW)
    opencost.before = None
    at_once = days.run(NOW)
    engine.ask_due(NOW + HOUR)
    later = days.run(NOW + HOUR)

    assert at_once.asked == (HISTORY[2], HISTORY[3])
    assert later.asked == (HISTORY[1],)


def test_a_gap_of_the_service_is_filled(open_engine: OpenEngine) -> None:
    """Nothing ran for four days: the hours are not all asked any more, the days are."""
    opencost = since()
    engine = open_engine(opencost)
    days = started(engine)
    days.run(NOW)
    later = NOW + 4 * 24 * HOUR
    opencost.calls.clear()
    engine.ask_due(later)
    engine.ask_due(later + HOUR / 4)

    days.run(later + HOUR / 4)

    assert [days.states()[LAST + number * DAY] for number in range(1, 5)] == ["complete"] * 4
    assert day_calls(opencost) == [LAST + 3 * DAY, LAST + 2 * DAY, LAST + DAY]


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin"])
def test_the_host_s_zone_does_not_matter(open_engine: OpenEngine, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    """A change to or from summer time on the host makes no day of 23 or 25 hours."""
    import time  # noqa: PLC0415

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        now = datetime(2026, 11, 3, 3, 30, tzinfo=UTC)
        opencost = since(datetime(2026, 10, 20, tzinfo=UTC))
        days = started(open_engine(opencost), history_days=12, now=now)
        days.run(now)
    finally:
        monkeypatch.undo()
        time.tzset()

    assert {window.hours for window in opencost.calls} == {1.0, 24.0}
    assert {round(header.observed_hours, 9) for header in days.headers().values()} == {24.0}
    assert len(days.headers()) == 12
