"""Since when things exist is also told by the live lists."""

from datetime import timedelta
from typing import Any

from costintel.cost.live import LiveNamespace
from tests.collection.engine import HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.measurement.conftest import OpenEngine
from tests.measurement.lists import Lists, live_application
from tests.measurement.syncs import FINISHED, LONG_AGO, a_sync, send

SIX_HOURS_AGO = NOW.replace(minute=0) - 6 * HOUR
YOUNG_LIFE = (Life(start=SIX_HOURS_AGO + timedelta(hours=2)), Life(namespace="other"))
"""What was seen running began two hours after the thing was created; something else always ran."""


def early(engine: Engine) -> dict[str, Any]:
    answer = engine.actual("shop-web")
    assert answer is not None
    figure: dict[str, Any] = answer["record"]["early"]
    return figure


def test_an_application_is_as_old_as_the_list_says(open_engine: OpenEngine) -> None:
    """Its notification does not say: created six hours ago, its four hours of 0.04 are 0.16 in six measured hours."""
    engine = open_engine(FakeOpenCost(lives=YOUNG_LIFE))
    Lists(engine=engine).take(live_application(created_at=SIX_HOURS_AGO), at=FINISHED)
    send(engine, a_sync(created_at=None))

    engine.tick()

    answer = engine.actual("shop-web")
    assert answer is not None
    for figure in (early(engine), answer["current"]):
        assert (figure["measuredHours"], figure["cost"]["total"]) == (6.0, 0.16)
        assert (figure["monthly"]["total"], figure["confidence"]) == (19.2, "partial")


def test_what_the_notification_says_counts_first(open_engine: OpenEngine) -> None:
    """It was there when the list was made again under an older name."""
    engine = open_engine(FakeOpenCost())
    Lists(engine=engine).take(live_application(created_at=NOW - HOUR), at=FINISHED)
    send(engine, a_sync(created_at=LONG_AGO))

    engine.tick()

    assert early(engine)["measuredHours"] == 24.0


def test_a_whole_namespace_is_as_old_as_itself(open_engine: OpenEngine) -> None:
    """The Application is new, the namespace is not: what ran in it did so for all 24 hours, even if it ran for four."""
    engine = open_engine(FakeOpenCost(lives=YOUNG_LIFE))
    lists = Lists(engine=engine)
    lists.take_namespaces(LiveNamespace(name="shop", created_at=LONG_AGO, labels={}))
    lists.take(live_application(resources=None, created_at=NOW - HOUR), at=FINISHED)
    send(engine, a_sync(resources=None, created_at=None))

    engine.tick()

    answer = engine.actual("shop-web")
    assert answer is not None
    for figure in (early(engine), answer["current"]):
        assert (figure["scope"], figure["measuredHours"], figure["confidence"]) == ("namespace", 24.0, "full")


def test_an_application_is_not_as_old_as_its_namespace(open_engine: OpenEngine) -> None:
    """A young one in an old namespace has its own age."""
    engine = open_engine(FakeOpenCost(lives=YOUNG_LIFE))
    lists = Lists(engine=engine)
    lists.take_namespaces(LiveNamespace(name="shop", created_at=LONG_AGO, labels={}))
    lists.take(live_application(created_at=SIX_HOURS_AGO), at=FINISHED)
    send(engine, a_sync(created_at=None))

    engine.tick()

    assert early(engine)["measuredHours"] == 6.0
