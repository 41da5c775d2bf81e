"""What `/{app}/actual` answers."""

from datetime import timedelta
from typing import Any

import pytest

from costintel.cost.application import Destination
from costintel.cost.ownership import Resource
from costintel.errors import OpenCostRefused
from tests.collection.engine import HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.measurement.conftest import OpenEngine
from tests.measurement.syncs import FINISHED, SETTLES_AT, a_sync, send

MINUTE = timedelta(minutes=1)


def answer_of(engine: Engine, now: Any = NOW) -> dict[str, Any]:
    answer = engine.actual("shop-web", now)
    assert answer is not None
    return answer


def test_nothing_known_is_none(open_engine: OpenEngine) -> None:
    """No sync of the application ever came."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("another"))
    engine.tick()

    assert engine.actual("shop-web") is None


def test_the_same_name_in_another_namespace_is_another_application(open_engine: OpenEngine) -> None:
    """Identity is namespace and name."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync(app_namespace="team-a"))
    engine.tick()

    assert engine.actual("shop-web") is None
    assert engine.actual("shop-web", namespace="team-a") is not None


def test_a_received_sync_says_when_it_will_be_measured(open_engine: OpenEngine) -> None:
    """In `work` and not recorded: state received, no figures, the time of the next try and of settling."""
    engine = open_engine(FakeOpenCost(failing=OpenCostRefused("HTTP 500")))
    send(engine, a_sync())
    engine.tick()

    answer = answer_of(engine)

    assert (answer["state"], answer["measuredAt"], answer["current"]) == ("received", "2026-11-30T12:31:00Z", None)
    record = answer["record"]
    assert (record["early"], record["settled"], record["isSettled"]) == (None, None, False)
    assert record["settlesAt"] == "2026-12-01T13:10:00Z"


def test_a_received_sync_beside_hours_has_a_current_figure(open_engine: OpenEngine) -> None:
    """The newest 24 hours are there already, though the sync is not measured."""
    engine = open_engine(FakeOpenCost())
    engine.tick()
    send(engine, a_sync())

    answer = answer_of(engine)

    assert answer["state"] == "received"
    assert answer["current"]["cost"]["total"] == 0.96
    assert answer["current"]["source"] == "live"


def test_a_newer_received_sync_is_the_newest(open_engine: OpenEngine) -> None:
    """The record of an older sync steps back as soon as a newer one is received."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync(revision="old", finished_at=FINISHED - HOUR))
    engine.tick()
    send(engine, a_sync(revision="new"))

    answer = answer_of(engine)

    assert (answer["state"], answer["record"]["sync"]["revision"]) == ("received", "new")
    assert answer["record"]["early"] is None


def test_an_older_received_sync_is_not(open_engine: OpenEngine) -> None:
    """A sync that arrives late does not hide the newer record."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync(revision="new"))
    engine.tick()
    send(engine, a_sync(revision="old", finished_at=FINISHED - HOUR))

    answer = answer_of(engine)

    assert (answer["state"], answer["record"]["sync"]["revision"]) == ("measured", "new")


def test_a_measured_sync_has_all_its_attributes(open_engine: OpenEngine) -> None:
    """What Argo CD told of the sync, and of the application, comes back."""
    engine = open_engine(FakeOpenCost())
    sync = a_sync(project="shop", revisions=("1", "2"))
    send(engine, sync)
    engine.tick()

    answer = answer_of(engine)

    assert answer["application"] == {"namespace": "argocd", "name": "shop-web"}
    assert answer["destination"] == {"server": "https://kubernetes.default.svc", "name": "", "namespace": "shop"}
    assert (answer["project"], answer["scope"], answer["currency"]) == ("shop", "application", "USD")
    assert (answer["state"], answer["measuredAt"]) == ("measured", "2026-11-30T12:30:00Z")
    record = answer["record"]
    assert (record["id"], record["measuredOn"], record["foundBy"]) == (sync.id, "sync", "webhook")
    assert record["sync"] == {
        "revision": "9f1c2d3",
        "revisions": ["1", "2"],
        "startedAt": "2026-11-30T12:19:40Z",
        "finishedAt": "2026-11-30T12:20:00Z",
        "initiatedBy": "alice",
        "syncStatus": "Synced",
        "healthStatus": "Healthy",
    }


def test_a_start_nobody_told_is_null(open_engine: OpenEngine) -> None:
    """Unknown is null."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync(started_at=None))

    assert answer_of(engine)["record"]["sync"]["startedAt"] is None


def test_a_settled_record_needs_no_row_of_work(open_engine: OpenEngine) -> None:
    """After settling everything comes from the record."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync())
    engine.tick()
    engine.tick(SETTLES_AT)

    answer = answer_of(engine, SETTLES_AT)

    assert (answer["state"], answer["record"]["isSettled"]) == ("measured", True)
    assert answer["measuredAt"] == "2026-12-01T13:10:00Z"
    assert answer["current"]["window"]["end"] == "2026-12-01T13:00:00Z"


@pytest.mark.parametrize(("hours", "stale"), [(0, False), (2.5, False), (2.6, True)])
def test_stale_is_three_hours_after_the_newest_hour(open_engine: OpenEngine, hours: float, stale: bool) -> None:
    """The newest stored hour ended at 12:00; at 15:00 it is three hours old, and stale after that."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync())
    engine.tick()

    assert answer_of(engine, NOW + hours * HOUR)["stale"] is stale


def test_without_any_hour_it_is_stale(open_engine: OpenEngine) -> None:
    """OpenCost never answered."""
    engine = open_engine(FakeOpenCost(failing=OpenCostRefused("HTTP 500")))
    send(engine, a_sync())
    engine.tick()

    assert answer_of(engine)["stale"]


def test_namespace_scope_names_no_pods(open_engine: OpenEngine) -> None:
    """In `current` as in the record: the pods may be somebody else's."""
    engine = open_engine(FakeOpenCost(lives=[Life(), Life(pod="secret-5c9d8f7b6d-aaaaa", controller="secret")]))
    send(engine, a_sync(resources=None))
    engine.tick()

    answer = answer_of(engine)

    assert "secret" not in str(answer)
    assert answer["current"]["podsTotal"]["count"] == 2


def test_the_newest_sync_decides_what_is_counted(open_engine: OpenEngine) -> None:
    """Since the newest sync the application lists `db`, so `current` is db's cost."""
    db = Life(pod="db-0", controller_kind="statefulset", controller="db", hourly_cost=0.1)
    engine = open_engine(FakeOpenCost(lives=[Life(), db]))
    send(engine, a_sync(finished_at=FINISHED - 3 * HOUR))
    engine.tick()
    send(engine, a_sync(resources=(Resource("apps", "StatefulSet", "", "db"),)))

    assert answer_of(engine)["current"]["cost"]["total"] == 2.4


def test_a_destination_by_name(open_engine: OpenEngine) -> None:
    """`in-cluster` instead of a server comes back as it was told."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync(destination=Destination(name="in-cluster", namespace="shop")))
    engine.tick()

    assert answer_of(engine)["destination"] == {"server": "", "name": "in-cluster", "namespace": "shop"}
