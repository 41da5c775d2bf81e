"""The trailing hour, for who is in no stored hour yet."""

from datetime import UTC, datetime, timedelta

import pytest

from costintel.collection.deadline import Deadline
from costintel.collection.trailing import TrailingAnswer, trailing_window
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused, OpenCostTimeout
from tests.collection.conftest import OpenEngine
from tests.collection.engine import HOUR, NEWEST, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life

MINUTE = timedelta(minutes=1)
TRAILING = Window(datetime(2026, 11, 30, 11, 25, tzinfo=UTC), datetime(2026, 11, 30, 12, 25, tzinfo=UTC))
"""The trailing hour at NOW, half past twelve."""


def ask(engine: Engine, now: datetime = NOW, *, seconds: float = 300) -> TrailingAnswer | None:
    return engine.measuring.first_current.trailing.ask(now=now, deadline=Deadline.after(seconds))


@pytest.mark.parametrize(
    ("now", "end"),
    [("12:30:00", "12:25"), ("12:34:59", "12:25"), ("12:35:00", "12:30"), ("12:04:00", "11:55"), ("00:04:00", "23:55")],
)
def test_it_ends_on_the_grid_five_minutes_ago(now: str, end: str) -> None:
    """The newest multiple of five minutes that is at least five minutes old, since samples come late."""
    window = trailing_window(datetime.fromisoformat(f"2026-11-30T{now}Z"))

    assert f"{window.end:%H:%M}" == end
    assert window.hours == 1


def test_it_is_folded_and_not_stored(open_engine: OpenEngine) -> None:
    """The containers of the last hour come back, and no hour is kept of them."""
    engine = open_engine(FakeOpenCost(lives=[Life(start=NOW - 15 * MINUTE)]))

    answer = ask(engine)

    assert answer is not None
    ((_, (container,)),) = answer.namespaces(["shop", "nowhere"])
    assert answer.window == TRAILING
    assert container.running_hours == pytest.approx(10 / 60)
    assert engine.headers() == {}


def test_it_is_asked_every_ten_minutes_at_most(open_engine: OpenEngine) -> None:
    """By whichever environment: the second within ten minutes gets nothing, and no call is made."""
    first, second = FakeOpenCost(), FakeOpenCost()
    ask(open_engine(first))
    other = open_engine(second)

    assert ask(other, NOW + 9 * MINUTE) is None
    assert second.calls == []
    assert ask(other, NOW + 10 * MINUTE) is not None


@pytest.mark.parametrize("error", [OpenCostRefused("HTTP 500"), OpenCostTimeout("no answer")])
def test_a_failure_gives_nothing(open_engine: OpenEngine, error: Exception) -> None:
    """Nobody gets a figure, and OpenCost is left alone for ten minutes."""
    opencost = FakeOpenCost(failing=error)
    engine = open_engine(opencost)

    assert ask(engine) is None
    assert ask(engine, NOW + MINUTE) is None
    assert len(opencost.calls) == 1


def test_a_blind_answer_gives_nothing(open_engine: OpenEngine) -> None:
    """No running container at all: OpenCost did not see the cluster."""
    assert ask(open_engine(FakeOpenCost(blind={TRAILING.start}))) is None


def test_default_prices_give_nothing(open_engine: OpenEngine) -> None:
    """Containers without a node, where the stored hour before has nodes (T42)."""
    engine = open_engine(FakeOpenCost(unpriced={TRAILING.start}))
    engine.ensure(NEWEST)

    assert ask(engine) is None


def test_nobody_waits_for_the_lease(open_engine: OpenEngine) -> None:
    """While somebody else talks to OpenCost there is no call, and the next minute may try."""
    opencost = FakeOpenCost()
    engine = open_engine(opencost)
    lease = engine.leases.acquire("local", "somebody", 60)
    assert lease is not None
    assert ask(engine) is None
    engine.leases.release(lease)

    assert ask(engine, NOW + MINUTE) is not None


def test_no_call_without_time_for_its_timeout(open_engine: OpenEngine) -> None:
    """With less than the read timeout and ten seconds left it waits for the next run."""
    opencost = FakeOpenCost()

    assert ask(open_engine(opencost), seconds=249) is None
    assert opencost.calls == []


def test_a_late_start_is_not_observed(open_engine: OpenEngine) -> None:
    """No hour before it tells what ran in the five minutes that were lost (T14): they do not count as measured."""
    answer = ask(open_engine(FakeOpenCost(late=True)))

    assert answer is not None
    assert answer.observed == (Window(TRAILING.start + 5 * MINUTE, TRAILING.end),)


def test_an_hour_seen_whole_is_observed_whole(open_engine: OpenEngine) -> None:
    """The ordinary case."""
    answer = ask(open_engine(FakeOpenCost(lives=[Life(end=NOW + HOUR)])))

    assert answer is not None
    assert answer.observed == (TRAILING,)
