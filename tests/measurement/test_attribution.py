"""Workloads that two Applications list."""

from datetime import timedelta
from typing import Any

import pytest

from tests.collection.engine import HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost
from tests.measurement.conftest import OpenEngine
from tests.measurement.syncs import FINISHED, LONG_AGO, WEB, a_sync, send

DAY = timedelta(days=1)


def answer_of(engine: Engine, name: str, namespace: str = "argocd") -> dict[str, Any]:
    answer = engine.actual(name, NOW + HOUR, namespace=namespace)
    assert answer is not None
    return answer


def early_cost(engine: Engine, name: str) -> float:
    cost: float = answer_of(engine, name)["record"]["early"]["cost"]["total"]
    return cost


def test_it_belongs_to_the_older_application(open_engine: OpenEngine) -> None:
    """Created a day earlier, it gets the whole 0.96; the younger gets nothing of it."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("younger", created_at=LONG_AGO), a_sync("older", created_at=LONG_AGO - DAY))

    engine.tick()

    assert (early_cost(engine, "older"), early_cost(engine, "younger")) == (0.96, 0.0)


def test_it_is_reported_at_both(open_engine: OpenEngine) -> None:
    """Each answer names the workload and whose it is."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("younger", created_at=LONG_AGO), a_sync("older", created_at=LONG_AGO - DAY))
    engine.tick()

    contested = [{"kind": "Deployment", "namespace": "shop", "name": "web", "owner": "argocd:older"}]

    assert answer_of(engine, "younger")["contested"] == contested
    assert answer_of(engine, "older")["contested"] == contested


def test_current_knows_it_too(open_engine: OpenEngine) -> None:
    """The newest 24 hours are attributed as the records are."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("younger", created_at=LONG_AGO), a_sync("older", created_at=LONG_AGO - DAY))
    engine.tick()

    totals = [answer_of(engine, name)["current"]["cost"]["total"] for name in ("older", "younger")]

    assert totals == [0.96, 0.0]


def test_a_workload_of_one_application_is_not_contested(open_engine: OpenEngine) -> None:
    """Two syncs of the same Application are no contest."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync(), a_sync(finished_at=FINISHED - HOUR))

    engine.tick()

    assert answer_of(engine, "shop-web")["contested"] == []
    assert early_cost(engine, "shop-web") == 0.96


def test_without_a_creation_time_the_first_record_decides(open_engine: OpenEngine) -> None:
    """The one first recorded three days ago is older than the one created yesterday."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("recorded", created_at=None, finished_at=FINISHED - 3 * DAY))
    engine.tick()
    send(engine, a_sync("recorded", created_at=None), a_sync("created", created_at=FINISHED - DAY))

    engine.tick()

    assert (early_cost(engine, "recorded"), early_cost(engine, "created")) == (0.96, 0.0)


@pytest.mark.parametrize(("name", "cost"), [("a", 0.96), ("b", 0.0)])
def test_the_same_age_is_decided_by_name(open_engine: OpenEngine, name: str, cost: float) -> None:
    """Namespace first, then name."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("b"), a_sync("a"))

    engine.tick()

    assert early_cost(engine, name) == cost


def test_a_waiting_sync_counts_as_well(open_engine: OpenEngine) -> None:
    """The older Application's sync came, but is not measured yet: the workload is already its own."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("older", created_at=LONG_AGO - DAY, finished_at=FINISHED + 2 * DAY))
    send(engine, a_sync("younger"))

    engine.tick()

    assert early_cost(engine, "younger") == 0.0


def test_what_the_older_one_no_longer_lists_is_free(open_engine: OpenEngine) -> None:
    """Only the newest sync of each Application says what it lists."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("older", created_at=LONG_AGO - DAY, finished_at=FINISHED - HOUR))
    send(engine, a_sync("older", created_at=LONG_AGO - DAY, resources=()), a_sync("younger"))

    engine.tick()

    assert early_cost(engine, "younger") == 0.96


def test_a_namespace_is_nobodys_alone(open_engine: OpenEngine) -> None:
    """An Application whose resources are unknown shows the whole namespace, and contests nothing."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("whole", resources=None, created_at=LONG_AGO - DAY), a_sync("own", resources=(WEB,)))

    engine.tick()

    assert (early_cost(engine, "whole"), early_cost(engine, "own")) == (0.96, 0.96)
    assert answer_of(engine, "own")["contested"] == []


def test_same_names_in_two_namespaces_are_two_applications(open_engine: OpenEngine) -> None:
    """`team-a:web` and `team-b:web` contest a workload like any two."""
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync("web", app_namespace="team-b"), a_sync("web", app_namespace="team-a"))

    engine.tick()

    owners = [answer_of(engine, "web", namespace)["contested"][0]["owner"] for namespace in ("team-a", "team-b")]
    assert owners == ["team-a:web", "team-a:web"]
