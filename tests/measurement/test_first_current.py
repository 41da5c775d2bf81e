"""Applications too young to be in any stored hour."""

from datetime import timedelta
from typing import Any

from costintel.cost.window import Window
from tests.collection.engine import HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.measurement.conftest import OpenEngine
from tests.measurement.syncs import FINISHED, a_sync, send, sync_into

MINUTE = timedelta(minutes=1)
OTHERS = Life(namespace="other")
BORN = FINISHED - MINUTE
"""The first pods come a minute before the sync is finished, at 12:19."""
YOUNG = Life(start=BORN, hourly_cost=0.6)


def answer_of(engine: Engine, now: Any) -> dict[str, Any]:
    answer = engine.actual("shop-web", now)
    assert answer is not None
    return answer


def trailing_calls(opencost: FakeOpenCost) -> list[Window]:
    return [window for window in opencost.calls if window.start.minute]


def test_until_there_is_a_figure_it_is_received(open_engine: OpenEngine) -> None:
    """The early window holds nothing of it; the answer says when the trailing hour will be looked at."""
    opencost = FakeOpenCost(lives=[OTHERS, YOUNG])
    engine = open_engine(opencost)
    now = FINISHED + 2 * MINUTE
    send(engine, a_sync(created_at=BORN), now=now)

    engine.tick(now)

    answer = answer_of(engine, now)
    assert (answer["state"], answer["current"]) == ("received", None)
    assert answer["measuredAt"] == "2026-11-30T12:35:00Z"
    assert trailing_calls(opencost) == []


def test_the_trailing_hour_gives_a_first_current(open_engine: OpenEngine) -> None:
    """At 12:40 it holds 12:19 to 12:35, 16 minutes at a cent a minute: a cost, but too little to project."""
    engine = open_engine(FakeOpenCost(lives=[OTHERS, YOUNG]))
    send(engine, a_sync(created_at=BORN))
    engine.tick()

    engine.tick(NOW + 10 * MINUTE)

    answer = answer_of(engine, NOW + 10 * MINUTE)
    current = answer["current"]
    assert answer["state"] == "measured"
    assert (current["source"], current["cost"]["total"]) == ("trailing_hour", 0.16)
    assert (current["measuredHours"], current["monthly"]) == (0.266667, None)
    assert current["window"] == {"start": "2026-11-30T11:35:00Z", "end": "2026-11-30T12:35:00Z"}


def test_it_is_never_the_early_figure(open_engine: OpenEngine) -> None:
    """The trailing hour is after the sync, early is before it."""
    engine = open_engine(FakeOpenCost(lives=[OTHERS, YOUNG]))
    send(engine, a_sync(created_at=BORN))
    engine.tick()

    engine.tick(NOW + 10 * MINUTE)

    assert answer_of(engine, NOW + 10 * MINUTE)["record"]["early"] is None


def test_many_wait_and_one_call_serves_them(open_engine: OpenEngine) -> None:
    """Three young applications, one trailing hour, at most every ten minutes."""
    young = [Life(namespace=f"new-{n}", start=BORN) for n in range(3)]
    opencost = FakeOpenCost(lives=[OTHERS, *young])
    engine = open_engine(opencost)
    send(engine, *(sync_into(f"new-{n}", f"new-{n}", created_at=BORN) for n in range(3)))

    for minute in range(20):
        engine.tick(NOW + minute * MINUTE)

    records = engine.records.latest_of_all("local", None)
    assert len(trailing_calls(opencost)) == 2
    assert all(record.first_current for record in records)


def test_nobody_asks_once_it_is_in_a_stored_hour(open_engine: OpenEngine) -> None:
    """From 13:10 the hour from 12:00 is stored, with the young pods in it."""
    opencost = FakeOpenCost(lives=[OTHERS, YOUNG])
    engine = open_engine(opencost)
    send(engine, a_sync(created_at=BORN))
    engine.tick()
    engine.tick(NOW + 40 * MINUTE)
    opencost.calls.clear()

    for minute in range(41, 300, 7):
        engine.tick(NOW + minute * MINUTE)

    assert trailing_calls(opencost) == []
    assert answer_of(engine, NOW + 5 * HOUR)["current"]["source"] == "live"


def test_who_never_runs_anything_is_not_waited_for_long(open_engine: OpenEngine) -> None:
    """After the first full hour after the sync is stored nobody asks any more."""
    opencost = FakeOpenCost(lives=[OTHERS])
    engine = open_engine(opencost)
    send(engine, a_sync(created_at=None))

    for minute in range(0, 300, 10):
        engine.tick(NOW + minute * MINUTE)

    assert 0 < len(trailing_calls(opencost)) <= 10
    assert max(window.start for window in trailing_calls(opencost)) < FINISHED + 2 * HOUR


def test_who_was_there_before_does_not_ask(open_engine: OpenEngine) -> None:
    """An application in the stored hours has a current figure; no further call is made for it."""
    opencost = FakeOpenCost()
    engine = open_engine(opencost)
    send(engine, a_sync())

    for minute in range(0, 40, 5):
        engine.tick(NOW + minute * MINUTE)

    assert trailing_calls(opencost) == []


def test_an_earlier_sync_without_pods_tells_that_there_are_none(open_engine: OpenEngine) -> None:
    """An application that has been without a pod since its last sync is not young."""
    opencost = FakeOpenCost(lives=[OTHERS])
    engine = open_engine(opencost)
    send(engine, a_sync(finished_at=FINISHED - 72 * HOUR))
    engine.tick()
    send(engine, a_sync())

    for minute in range(0, 40, 5):
        engine.tick(NOW + minute * MINUTE)

    assert trailing_calls(opencost) == []


def test_an_application_without_anything_to_run_does_not_ask(open_engine: OpenEngine) -> None:
    """`resources: []` can never have a pod."""
    opencost = FakeOpenCost(lives=[OTHERS])
    engine = open_engine(opencost)
    send(engine, a_sync(resources=(), created_at=BORN))

    for minute in range(0, 40, 5):
        engine.tick(NOW + minute * MINUTE)

    assert trailing_calls(opencost) == []


def test_a_contested_workload_was_seen_all_the_same(open_engine: OpenEngine) -> None:
    """Its pods count for the older Application, but they are in the stored hours: nobody has to look for them."""
    opencost = FakeOpenCost()
    engine = open_engine(opencost)
    send(engine, a_sync("older"), a_sync("younger", created_at=BORN))

    for minute in range(0, 40, 5):
        engine.tick(NOW + minute * MINUTE)

    assert trailing_calls(opencost) == []
