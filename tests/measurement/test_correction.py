"""What a notification said counts until a list confirms or corrects it."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from costintel.cost.application import AppRef, Destination
from costintel.cost.sync import Record, Sync
from tests.collection.engine import CLUSTER, HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.measurement.conftest import OpenEngine
from tests.measurement.lists import Lists, live_application, live_sync, synced
from tests.measurement.syncs import FINISHED, SETTLES_AT, a_sync, into, send

MINUTE = timedelta(minutes=1)
LIVES = (
    Life(),
    Life(pod="api-5c9d8f7b6d-bbbbb", controller="api", hourly_cost=0.06),
    Life(namespace="store", hourly_cost=0.10),
)
LISTED = synced(live_application(), live_sync(FINISHED))


def record_of(engine: Engine) -> Record:
    record = engine.records.latest(CLUSTER, AppRef("argocd", "shop-web"))
    assert record is not None
    return record


def total(record: Record) -> float:
    assert record.early is not None
    cost: float = record.early["cost"]["total"]
    return cost


def told(engine: Engine, sync: Sync, *, now: datetime = NOW) -> Lists:
    """Let a notification tell a sync and measure it; the first list is older."""
    lists = Lists(engine=engine)
    lists.take(at=FINISHED - HOUR)
    send(engine, sync, now=now)
    engine.tick(now)
    return lists


@pytest.mark.parametrize("omitted", [False, True], ids=["never sent", "too long to send"])
def test_resources_that_a_notification_lacks_come_from_the_list(open_engine: OpenEngine, omitted: bool) -> None:
    """Measured as a whole namespace, 24 x (0.04 + 0.06), it becomes its own Deployment's 0.96, at once."""
    engine = open_engine(FakeOpenCost(lives=LIVES))
    lists = told(engine, a_sync(resources=None, resources_omitted=omitted))
    before = record_of(engine)

    findings = lists.take(LISTED)
    engine.tick()

    after = record_of(engine)
    assert (findings.corrections, lists.corrections()) == (1, [])
    assert (before.scope, total(before)) == ("namespace", 2.4)
    assert (after.scope, total(after)) == ("application", 0.96)
    assert (after.sync.resources, after.sync.resources_omitted) == (LISTED.resources, False)
    assert after.found_by == "webhook"


def test_it_settles_with_what_was_corrected(open_engine: OpenEngine) -> None:
    """The row that waits for the settled figure is corrected, too."""
    engine = open_engine(FakeOpenCost(lives=LIVES))
    lists = told(engine, a_sync(resources=None))
    lists.take(LISTED)
    engine.tick()

    engine.tick(SETTLES_AT)

    settled = record_of(engine).settled
    assert settled is not None
    assert (settled["scope"], settled["cost"]["total"]) == ("application", 0.96)


def test_a_wrong_namespace_is_corrected_and_measured_again(open_engine: OpenEngine) -> None:
    """The hand-written template named `shop`; its pods run in `store`, at 0.10 an hour."""
    engine = open_engine(FakeOpenCost(lives=LIVES))
    lists = told(engine, a_sync(resources=None))
    listed = replace(LISTED, destination=into("store"), resources=None)

    lists.take(listed)
    engine.tick()

    after = record_of(engine)
    assert (after.sync.destination.namespace, total(after)) == ("store", 2.4)
    assert [record.sync.destination.namespace for record in engine.records.latest_of_all(CLUSTER, ["store"])] == [
        "store"
    ]


def test_a_project_is_corrected_without_measuring_again(open_engine: OpenEngine) -> None:
    """It owns the same pods: neither hours nor figures are touched."""
    opencost = FakeOpenCost(lives=LIVES)
    engine = open_engine(opencost)
    lists = told(engine, a_sync(project="default"))
    before, waiting, calls = record_of(engine), engine.waiting(), len(opencost.calls)

    lists.take(replace(LISTED, project="shop"))
    engine.tick(NOW + MINUTE)

    after = record_of(engine)
    assert after == replace(before, sync=replace(before.sync, project="shop"))
    assert [(item.subject, item.not_before) for item in engine.waiting()] == [
        (item.subject, item.not_before) for item in waiting
    ]
    assert len(opencost.calls) == calls


def test_what_agrees_is_left_alone(open_engine: OpenEngine) -> None:
    """Other resources than at the sync are no contradiction: the list shows what is there today."""
    engine = open_engine(FakeOpenCost(lives=LIVES))
    lists = told(engine, a_sync())

    findings = lists.take(replace(LISTED, resources=()))

    assert (findings.corrections, lists.corrections()) == (0, [])


@pytest.mark.parametrize(
    "listed",
    [
        synced(live_application(project="other"), live_sync(FINISHED), live_sync(FINISHED + MINUTE)),
        synced(live_application(project="other"), live_sync(FINISHED - HOUR)),
        live_application(project="other"),
    ],
    ids=["a newer sync", "an older one", "none"],
)
def test_a_list_corrects_only_the_sync_it_shows(open_engine: OpenEngine, listed: Any) -> None:
    """What it says describes the Application after its own newest sync."""
    engine = open_engine(FakeOpenCost())
    lists = told(engine, a_sync())

    findings = lists.take(listed)

    assert findings.corrections == 0


def test_a_destination_edited_after_the_sync_is_not_the_syncs(open_engine: OpenEngine) -> None:
    """Argo CD says OutOfSync until it is synced there: the pods are still where they were."""
    engine = open_engine(FakeOpenCost(lives=LIVES))
    lists = told(engine, a_sync())

    findings = lists.take(replace(LISTED, destination=into("store"), sync_status="OutOfSync"))

    assert findings.corrections == 0


def test_one_of_another_cluster_is_not_measured_there(open_engine: OpenEngine) -> None:
    """A namespace of that name exists here as well; its costs are somebody else's."""
    engine = open_engine(FakeOpenCost(lives=LIVES))
    lists = told(engine, a_sync())
    remote = Destination(server="https://prod-2.example.com", namespace="store")

    findings = lists.take(replace(LISTED, destination=remote))

    assert findings.corrections == 0
    assert record_of(engine).sync.destination.namespace == "shop"


def test_a_settled_sync_is_measured_again_while_its_hours_are_young(open_engine: OpenEngine) -> None:
    """Settled a day after it finished, corrected an hour later: both figures are made anew from the stored hours."""
    opencost = FakeOpenCost(lives=LIVES)
    engine = open_engine(opencost)
    lists = told(engine, a_sync(resources=None))
    now = SETTLES_AT + HOUR
    for hour in range(27):
        engine.tick(NOW + hour * HOUR)
    engine.tick(now)
    before, waiting = record_of(engine), engine.waiting()
    calls = len(opencost.calls)

    lists.take(LISTED, at=now)
    engine.tick(now)

    after = record_of(engine)
    assert (before.is_settled, before.scope, waiting) == (True, "namespace", [])
    assert (after.is_settled, after.scope, total(after)) == (True, "application", 0.96)
    assert after.settled is not None
    assert after.settled["cost"]["total"] == 0.96
    assert (engine.waiting(), len(opencost.calls)) == ([], calls)


def test_an_old_sync_keeps_its_figures(open_engine: OpenEngine) -> None:
    """Three days on its hours are gone, and are not asked again: what it says is corrected, its figures say their scope."""
    opencost = FakeOpenCost(lives=LIVES)
    engine = open_engine(opencost)
    lists = told(engine, a_sync(resources=None))
    engine.tick(SETTLES_AT)
    now = NOW + 72 * HOUR
    engine.tick(now)
    calls = len(opencost.calls)

    lists.take(LISTED, at=now)
    engine.tick(now)

    after = record_of(engine)
    assert (after.sync.resources, total(after)) == (LISTED.resources, 2.4)
    assert after.early is not None
    assert after.early["scope"] == "namespace"
    assert (engine.waiting(), len(opencost.calls)) == ([], calls)


def test_what_cannot_be_corrected_is_put_off(open_engine: OpenEngine) -> None:
    """A row that makes no sense does not stop the others, and waits for the next list to replace it."""
    engine = open_engine(FakeOpenCost(lives=LIVES))
    lists = told(engine, a_sync(resources=None))
    lists.take(LISTED)
    engine.work.put(CLUSTER, "correction", "argocd:another", {"adoptions": 7}, NOW)

    outcome = engine.tick()

    (item,) = lists.corrections()
    assert outcome.corrections == 1
    assert (item.subject, item.attempts, item.not_before) == ("argocd:another", 1, NOW + MINUTE)


def test_a_correction_undone_by_a_slower_function_is_made_again(open_engine: OpenEngine) -> None:
    """A function that had read the sync before saves what it knew; the next list contradicts it anew."""
    engine = open_engine(FakeOpenCost(lives=LIVES))
    lists = told(engine, a_sync(resources=None))
    stale = record_of(engine)
    lists.take(LISTED)
    engine.tick()
    engine.records.save(stale)

    findings = lists.take(LISTED, at=NOW + 5 * MINUTE)
    engine.tick(NOW + 6 * MINUTE)

    after = record_of(engine)
    assert findings.corrections == 1
    assert (after.sync.resources, after.scope, total(after)) == (LISTED.resources, "application", 0.96)
