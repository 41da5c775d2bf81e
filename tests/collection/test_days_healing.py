"""Days with hours that are no figures, asked once more as a whole."""

from datetime import datetime, timedelta

import pytest

from costintel.cost.day import DaySource, DayState, day_window
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused
from costintel.opencost.answer import WindowAnswer
from tests.collection.conftest import OpenEngine
from tests.collection.days_engine import LAST, MIDNIGHT, DayEngine, hours_of
from tests.collection.engine import CLUSTER, HOUR, NEWEST, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life

MINUTE = timedelta(minutes=1)
SEVEN = hours_of(LAST)[7]
ONE = MIDNIGHT + 70 * MINUTE
"""Ten past one: the newest closed hour is the one from midnight."""


def closed(engine: Engine, now: datetime = ONE) -> DayEngine:
    """Store yesterday's hours and the one after midnight, confirm what is doubtful, and run the days."""
    hours = (*hours_of(LAST), MIDNIGHT)
    engine.ensure(*hours, now=now - 15 * MINUTE)
    engine.ensure(*hours, now=now)
    days = DayEngine(engine=engine, history_days=1)
    days.run(now)
    return days


def day_calls(opencost: FakeOpenCost) -> list[Window]:
    return [window for window in opencost.calls if window.hours == 24]


def test_a_blind_hour_is_healed(open_engine: OpenEngine) -> None:
    """The whole day bridges it (T47): one more call, 24 hours observed, 0.96 instead of 0.92."""
    opencost = FakeOpenCost(blind={SEVEN})

    days = closed(open_engine(opencost))

    header = days.headers()[LAST]
    assert day_calls(opencost) == [day_window(LAST)]
    assert (header.source, header.healed, header.asked_count) == (DaySource.DAY, True, 1)
    assert (header.state, header.observed_hours) == (DayState.COMPLETE, 24)
    assert days.cost() == pytest.approx(0.96, abs=1e-12)


def test_it_is_healed_once(open_engine: OpenEngine) -> None:
    """The next run asks nothing."""
    opencost = FakeOpenCost(blind={SEVEN})
    engine = open_engine(opencost)
    days = closed(engine)
    opencost.calls.clear()
    engine.ask_due(ONE + HOUR)

    outcome = days.run(ONE + HOUR)

    assert (outcome.asked, outcome.stopped, outcome.waiting) == ((), "done", 0)
    assert day_calls(opencost) == []


def test_the_hours_stay_as_they_are(open_engine: OpenEngine) -> None:
    """Rolling figures keep to the good hours: 23 of them, 0.92."""
    engine = open_engine(FakeOpenCost(blind={SEVEN}))
    closed(engine)

    folding = engine.measuring.live.folding
    ((_, (container,)),) = folding.namespaces(day_window(LAST), None)

    assert container.cpu_cost == pytest.approx(0.92, abs=1e-12)
    assert sum(span.hours for span in folding.observed(day_window(LAST))) == 23


@pytest.mark.parametrize(("minutes", "asked"), [(56, 0), (54, 1)])
def test_an_hour_observed_in_part(open_engine: OpenEngine, minutes: int, asked: int) -> None:
    """Under 55 minutes the day is asked for once more; a lost sample at the edge is no reason."""
    start = day_window(LAST).start
    opencost = FakeOpenCost(observed_from=start + (60 - minutes) * MINUTE)

    closed(open_engine(opencost))

    assert len(day_calls(opencost)) == asked


def test_an_unpriced_hour_is_healed(open_engine: OpenEngine) -> None:
    """Default prices are no figure; the whole day has the right ones."""
    opencost = FakeOpenCost(unpriced={SEVEN})

    days = closed(open_engine(opencost))

    assert len(day_calls(opencost)) == 1
    assert days.cost() == pytest.approx(0.96, abs=1e-12)


def test_hours_that_are_still_asked_for_come_first(open_engine: OpenEngine) -> None:
    """As long as an hour may still come the day is not asked for; when it has come there is nothing to heal."""
    opencost = FakeOpenCost(failing_at={SEVEN: OpenCostRefused("down")})
    engine = open_engine(opencost)
    days = closed(engine)
    partial = days.headers()[LAST]
    opencost.failing_at.clear()
    engine.ask_due(ONE + HOUR)

    days.run(ONE + HOUR)

    assert (partial.observed_hours, days.headers()[LAST].observed_hours) == (23, 24)
    assert day_calls(opencost) == []


def test_an_hour_that_is_given_up_is_healed(open_engine: OpenEngine) -> None:
    """After 48 hours it is missing for ever, and the day as a whole takes its place."""
    opencost = FakeOpenCost(failing_at={SEVEN: OpenCostRefused("down")})
    engine = open_engine(opencost)
    days = closed(engine)
    days.history_days = 3
    later = ONE + 49 * HOUR
    engine.ask_due(later)
    engine.ask_due(later + HOUR)

    days.run(later + HOUR)

    assert day_window(LAST) in day_calls(opencost)
    assert (days.headers()[LAST].source, days.headers()[LAST].observed_hours) == (DaySource.DAY, 24)


def test_an_answer_that_shows_less_is_not_taken(open_engine: OpenEngine) -> None:
    """OpenCost does not know the day any more: the hours stay the day, and it counts as asked for."""

    def forgotten(answer: WindowAnswer) -> WindowAnswer:
        if answer.window.hours < 24:
            return answer
        return FakeOpenCost(observed_from=answer.window.end).answer(answer.window, cluster_id="made")

    days = closed(open_engine(FakeOpenCost(blind={SEVEN}, changed=forgotten)))

    header = days.headers()[LAST]
    assert (header.source, header.asked_count, header.observed_hours) == (DaySource.HOURS, 1, 23)
    assert days.cost() == pytest.approx(0.92, abs=1e-12)


def test_a_day_at_default_prices_is_not_taken(open_engine: OpenEngine) -> None:
    """No node in a cluster that has some (T42)."""
    start = day_window(LAST).start

    days = closed(open_engine(FakeOpenCost(blind={SEVEN}, unpriced={start})))

    assert days.headers()[LAST].source is DaySource.HOURS


def test_an_incomplete_day_is_asked_for_again_and_again_less_often(open_engine: OpenEngine) -> None:
    """A cluster that was first seen at two in the afternoon: ten hours, asked for at once, then 1, 3, 9, 27, 81 h later."""
    opencost = FakeOpenCost(observed_from=hours_of(LAST)[14])
    engine = open_engine(opencost)
    days = closed(engine)
    days.history_days = 30
    asked_at = []
    for number in (1, 2, 3, 4, 5, 12, 13, 14, 39, 40, 41, 120, 121, 122, 200, 300):
        opencost.calls.clear()
        now = ONE + number * HOUR
        engine.ask_due(now)
        days.run(now)
        if day_window(LAST) in opencost.calls:
            asked_at.append(number)

    header = days.headers()[LAST]
    assert asked_at == [1, 4, 13, 40, 121]
    assert (header.state, header.observed_hours, header.asked_count) == (DayState.INCOMPLETE, 10, 6)


def test_an_incomplete_day_that_becomes_complete(open_engine: OpenEngine) -> None:
    """What came late is there when it is asked for again, and then it is not asked for any more."""
    opencost = FakeOpenCost(observed_from=hours_of(LAST)[14])
    engine = open_engine(opencost)
    days = closed(engine)
    opencost.observed_from = day_window(LAST).start
    engine.ask_due(ONE + HOUR)

    days.run(ONE + HOUR)

    header = days.headers()[LAST]
    assert (header.state, header.asked_count) == (DayState.COMPLETE, 2)
    assert days.cost() == pytest.approx(0.96, abs=1e-12)


def test_while_opencost_is_blind_no_day_is_asked_for(open_engine: OpenEngine) -> None:
    """The newest hour shows nothing: a day's empty answer would prove nothing either."""
    opencost = FakeOpenCost(blind={SEVEN, MIDNIGHT})
    engine = open_engine(opencost)
    days = closed(engine)
    outcome = days.run(ONE)
    opencost.blind.clear()
    engine.ask_due(ONE + HOUR)

    days.run(ONE + HOUR)

    assert (outcome.stopped, outcome.waiting) == ("blind", 1)
    assert days.headers()[LAST].healed


def test_a_day_without_any_row_is_a_gap(open_engine: OpenEngine) -> None:
    """Nothing was seen though something is known before: its figures are unknown, not zero."""
    opencost = FakeOpenCost(blind=set(hours_of(LAST)))
    engine = open_engine(opencost)
    engine.ensure(MIDNIGHT - 25 * HOUR, now=ONE - 15 * MINUTE)

    days = closed(engine)

    header = days.headers()[LAST]
    assert (header.state, header.observed, header.asked_count) == (DayState.GAP, (), 1)
    assert days.rows() == {}


def test_a_second_conversation_does_not_disturb(open_engine: OpenEngine) -> None:
    """Who has the lease talks to OpenCost; the run does nothing and says why."""
    opencost = FakeOpenCost(blind={SEVEN})
    engine = open_engine(opencost)
    hours = (*hours_of(LAST), MIDNIGHT)
    engine.ensure(*hours, now=ONE - 15 * MINUTE)
    engine.ensure(*hours, now=ONE)
    assert engine.leases.acquire(CLUSTER, "somebody", 60) is not None
    days = DayEngine(engine=engine, history_days=1)

    outcome = days.run(ONE, patience_seconds=12)

    assert (outcome.stopped, days.waits) == ("lease", [5.0, 5.0])
    assert days.headers() == {}


def test_life_of_the_newest_hour(open_engine: OpenEngine) -> None:
    """What began after the day is not in it."""
    lives = [Life(), Life(pod="new-1", start=NEWEST)]

    days = closed(open_engine(FakeOpenCost(lives=lives, blind={SEVEN})))

    assert [key[1] for key in days.rows()] == ["web-5c9d8f7b6d-aaaaa"]
