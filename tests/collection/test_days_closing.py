"""Days closed from their hours."""

from datetime import timedelta

import pytest

from costintel.cost.day import DaySource, DayState
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused
from costintel.opencost.answer import WindowAnswer
from tests.collection.conftest import OpenEngine
from tests.collection.days_engine import LAST, MIDNIGHT, DayEngine, hours_of
from tests.collection.engine import HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life, unmounted, with_row

MINUTE = timedelta(minutes=1)
FIVE_PAST = MIDNIGHT + 5 * MINUTE
QUARTER_PAST = MIDNIGHT + 15 * MINUTE
ONE = MIDNIGHT + HOUR


def with_hours(engine: Engine, *, but: int = -1) -> DayEngine:
    """Store the hours of yesterday, without the one that starts at `but`."""
    engine.ensure(*(hour for hour in hours_of(LAST) if hour.hour != but), now=QUARTER_PAST)
    return DayEngine(engine=engine, history_days=1)


def test_a_day_is_the_sum_of_its_hours(open_engine: OpenEngine) -> None:
    """24 hours at 0.04 are 0.96; nothing is asked for it, it is complete and comes from hours."""
    opencost = FakeOpenCost()
    days = with_hours(open_engine(opencost))
    opencost.calls.clear()

    outcome = days.run(QUARTER_PAST)

    header = days.headers()[LAST]
    assert (outcome.folded, outcome.asked, opencost.calls) == ((LAST,), (), [])
    assert (header.state, header.source, header.observed_hours) == (DayState.COMPLETE, DaySource.HOURS, 24)
    assert (header.asked_count, header.healed) == (0, False)
    assert days.cost() == pytest.approx(0.96, abs=1e-12)
    assert days.changed() == {LAST}


def test_its_spans_are_joined(open_engine: OpenEngine) -> None:
    """A day observed all through has one span, not 24."""
    days = with_hours(open_engine(FakeOpenCost()))

    days.run(QUARTER_PAST)

    assert days.headers()[LAST].observed == (Window(MIDNIGHT - 24 * HOUR, MIDNIGHT),)


def test_its_assets_are_added_up(open_engine: OpenEngine) -> None:
    """A node at 0.2 an hour is 4.8 a day, in one asset of 1,440 minutes."""
    engine = open_engine(FakeOpenCost())
    with_hours(engine).run(QUARTER_PAST)

    found = engine.database.fetch_all(
        lambda _: lambda row: row,
        "SELECT assets, opencost_version FROM collections WHERE kind = 'day'",
    )

    ((assets, version),) = found
    assert version == "1.120.2"
    assert [(asset["name"], asset["minutes"]) for asset in assets] == [("node-a", 1440)]
    assert assets[0]["total_cost"] == pytest.approx(4.8, abs=1e-12)


def test_folding_again_changes_nothing(open_engine: OpenEngine) -> None:
    """The next run finds the day as it is."""
    engine = open_engine(FakeOpenCost())
    days = with_hours(engine)
    days.run(QUARTER_PAST)
    before = days.headers()

    outcome = days.run(QUARTER_PAST + HOUR)

    assert (outcome.folded, outcome.asked, outcome.stopped) == ((), (), "done")
    assert days.headers() == before


def test_today_is_not_closed(open_engine: OpenEngine) -> None:
    """At half past twelve its hours are all there as far as it goes, and it is not over."""
    engine = open_engine(FakeOpenCost())
    engine.ask_due(NOW)

    days = DayEngine(engine=engine, history_days=1)
    days.run(NOW)

    assert list(days.headers()) == [LAST]


def test_at_five_past_midnight_the_last_hour_is_waited_for(open_engine: OpenEngine) -> None:
    """Its samples may still come: yesterday is neither closed nor asked for as a whole."""
    opencost = FakeOpenCost()
    days = with_hours(open_engine(opencost), but=23)
    opencost.calls.clear()

    outcome = days.run(FIVE_PAST)

    assert (outcome.folded, outcome.asked, outcome.stopped, opencost.calls) == ((), (), "done", [])
    assert outcome.waiting == 1


def test_an_hour_after_midnight_gaps_are_marked(open_engine: OpenEngine) -> None:
    """An hour that fails is not waited for any longer; the day is the 23 others and says so."""
    opencost = FakeOpenCost(failing_at={MIDNIGHT - HOUR: OpenCostRefused("down")})
    days = with_hours(open_engine(opencost))
    days.run(ONE - MINUTE)
    before = days.headers()

    days.run(ONE)

    header = days.headers()[LAST]
    assert before == {}
    assert (header.observed_hours, header.state) == (23, DayState.COMPLETE)
    assert header.observed == (Window(MIDNIGHT - 24 * HOUR, MIDNIGHT - HOUR),)
    assert days.cost() == pytest.approx(0.92, abs=1e-12)


def test_an_hour_that_comes_late_is_added(open_engine: OpenEngine) -> None:
    """The day is folded again, as if the hour had never been missing; it is not asked for as a whole meanwhile."""
    opencost = FakeOpenCost(failing_at={MIDNIGHT - HOUR: OpenCostRefused("down")})
    engine = open_engine(opencost)
    days = with_hours(engine)
    days.run(ONE)
    opencost.failing_at.clear()
    engine.ask_due(ONE + HOUR)

    outcome = days.run(ONE + HOUR)

    header = days.headers()[LAST]
    assert (outcome.folded, outcome.asked) == ((LAST,), ())
    assert (header.observed_hours, header.source, header.asked_count) == (24, DaySource.HOURS, 0)
    assert days.cost() == pytest.approx(0.96, abs=1e-12)
    assert 24 not in {window.hours for window in opencost.calls}


def test_a_day_whose_hours_were_removed_stays(open_engine: OpenEngine) -> None:
    """Fewer hours are not a better day."""
    engine = open_engine(FakeOpenCost())
    days = with_hours(engine)
    days.run(QUARTER_PAST)
    before = days.headers()
    engine.hours.prune(now=QUARTER_PAST + 51 * HOUR, needed_from=hours_of(LAST)[12])

    outcome = days.run(QUARTER_PAST + 20 * HOUR)

    assert len(engine.headers()) < 24
    assert (outcome.folded, days.headers()) == ((), before)


def test_hours_of_an_old_day_do_not_make_it(open_engine: OpenEngine) -> None:
    """A sync's windows may need a few hours of a day long past: that day is not closed from them."""
    engine = open_engine(FakeOpenCost())
    engine.ensure(*hours_of(LAST)[:6], now=NOW)

    outcome = DayEngine(engine=engine, history_days=2).run(MIDNIGHT + 27 * HOUR)

    assert outcome.folded == ()


def test_a_gap_in_a_day_is_no_cost(open_engine: OpenEngine) -> None:
    """Of a day with one blind hour 23 count; storage of that hour, which lies, does not."""
    blind = hours_of(LAST)[12]
    window = Window(blind, blind + HOUR)

    def with_volume(answer: WindowAnswer) -> WindowAnswer:
        return with_row(answer, unmounted("attic", window, 5.0)) if answer.window == window else answer

    opencost = FakeOpenCost(blind={blind}, changed=with_volume)
    engine = open_engine(opencost)
    engine.ensure(*hours_of(LAST), now=QUARTER_PAST)
    days = DayEngine(engine=engine, history_days=1)
    days.run(QUARTER_PAST)

    assert days.cost() == pytest.approx(0.92, abs=1e-12)
    assert days.headers()[LAST].observed_hours == 23


def test_what_ran_over_midnight_keeps_its_first_five_minutes(open_engine: OpenEngine) -> None:
    """On a backend that loses them (T14) the hour before the day tells what ran: 24 hours, 0.96."""
    engine = open_engine(FakeOpenCost(late=True))
    engine.ensure(MIDNIGHT - 25 * HOUR, *hours_of(LAST), now=QUARTER_PAST)
    days = DayEngine(engine=engine, history_days=1)

    days.run(QUARTER_PAST)

    (container,) = days.rows().values()
    assert container.cpu_cost == pytest.approx(0.96, abs=1e-9)
    assert container.running_hours == 24


def test_losing_the_hour_before_does_not_change_the_day(open_engine: OpenEngine) -> None:
    """Once it is removed nobody could tell any more what ran at midnight (T14)."""
    engine = open_engine(FakeOpenCost(late=True))
    engine.ensure(MIDNIGHT - 25 * HOUR, now=QUARTER_PAST - HOUR)
    engine.ensure(*hours_of(LAST), now=QUARTER_PAST)
    days = DayEngine(engine=engine, history_days=1)
    days.run(QUARTER_PAST)
    before = days.headers()
    engine.hours.prune(now=QUARTER_PAST + 50 * HOUR - MINUTE, needed_from=None)

    outcome = days.run(QUARTER_PAST + 20 * HOUR)

    assert len(engine.headers()) == 24
    assert (outcome.folded, days.headers()) == ((), before)


def test_a_small_life_within_a_day(open_engine: OpenEngine) -> None:
    """A pod that lived from 10:20 to 12:10 has those hours and their cost."""
    noon = hours_of(LAST)[12]
    lives = [Life(), Life(pod="job-1", start=noon - 100 * MINUTE, end=noon + 10 * MINUTE, hourly_cost=0.6)]
    days = with_hours(open_engine(FakeOpenCost(lives=lives)))

    days.run(QUARTER_PAST)

    job = days.rows()["shop", "job-1", "web"]
    assert job.cpu_cost == pytest.approx(1.1, abs=1e-9)
    assert job.running_hours == pytest.approx(110 / 60, abs=1e-9)


def test_a_part_of_a_day_is_not_folded_where_the_whole_can_be_had(open_engine: OpenEngine) -> None:
    """At the first start only yesterday's last hours are stored: the day is asked as a whole, and nothing folded before."""
    engine = open_engine(FakeOpenCost())
    engine.ask_due(NOW)

    outcome = DayEngine(engine=engine, history_days=1).run(NOW)

    assert (outcome.folded, outcome.asked) == ((), (LAST,))


def test_a_part_is_folded_when_the_whole_cannot_be_had(open_engine: OpenEngine) -> None:
    """OpenCost refused the day: the next run shows what there is, incomplete, until it answers."""
    opencost = FakeOpenCost()
    engine = open_engine(opencost)
    engine.ask_due(NOW)
    opencost.failing_at = {MIDNIGHT - 24 * HOUR: OpenCostRefused("down")}
    days = DayEngine(engine=engine, history_days=1)
    days.run(NOW)

    outcome = days.run(NOW + MINUTE)

    assert (outcome.folded, outcome.asked) == ((LAST,), ())
    assert (days.headers()[LAST].state, days.headers()[LAST].observed_hours) == (DayState.INCOMPLETE, 12)
