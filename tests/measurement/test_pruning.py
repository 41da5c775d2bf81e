"""What was stored for Applications of other clusters goes, if the operator wants that."""

from dataclasses import replace
from datetime import timedelta

import psycopg

from costintel.cost.application import AppRef, Destination
from costintel.storage.daily import Daily
from tests.collection.engine import CLUSTER, HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost
from tests.measurement.conftest import OpenEngine
from tests.measurement.lists import Lists, live_application
from tests.measurement.syncs import a_sync, send

MINUTE = timedelta(minutes=1)
REMOTE = live_application("moved", destination=Destination(server="https://prod-2.example.com", namespace="shop"))
STAYED = live_application("stayed")


def measured(engine: Engine) -> None:
    """Record a sync of each, and let another of `moved` wait."""
    send(engine, a_sync("moved"), a_sync("stayed"), a_sync("moved", finished_at=NOW + HOUR))
    engine.tick()


def names(engine: Engine) -> set[str]:
    return {record.sync.application.name for record in engine.records.latest_of_all(CLUSTER, None)}


def test_by_default_nothing_is_deleted(open_engine: OpenEngine) -> None:
    """It is an operator's decision."""
    engine = open_engine(FakeOpenCost())
    measured(engine)

    findings = Lists(engine=engine).take(REMOTE, STAYED)
    engine.tick()

    assert (findings.prunes, names(engine)) == (0, {"moved", "stayed"})


def test_records_and_waiting_syncs_of_another_cluster_are_deleted(open_engine: OpenEngine) -> None:
    """Those of Applications that deploy here stay."""
    engine = open_engine(FakeOpenCost())
    measured(engine)
    lists = Lists(engine=engine, prunes_remote=True)

    findings = lists.take(REMOTE, STAYED)
    outcome = engine.tick()

    assert (findings.prunes, outcome.pruned_applications, lists.prunes()) == (1, 1, [])
    assert names(engine) == {"stayed"}
    assert {item.payload["sync"]["application"][1] for item in engine.waiting()} == {"stayed"}


def test_days_are_deleted_too(open_engine: OpenEngine, engine_url: str) -> None:
    """The series and what it covers."""
    engine = open_engine(FakeOpenCost())
    measured(engine)
    with psycopg.connect(engine_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO cost_daily_progress VALUES ('local', 'argocd', 'moved', 'application', '', '2026-11-01',"
            " '2026-11-29', now())"
        )

    Lists(engine=engine, prunes_remote=True).take(REMOTE)
    engine.tick()

    assert Daily(engine.database).progress(CLUSTER, AppRef("argocd", "moved"), "application") is None


def test_an_application_that_is_gone_is_kept(open_engine: OpenEngine) -> None:
    """Absent from a complete list is not another cluster: its past is history."""
    engine = open_engine(FakeOpenCost())
    measured(engine)

    findings = Lists(engine=engine, prunes_remote=True).take(STAYED)
    engine.tick()

    assert (findings.prunes, names(engine)) == (0, {"moved", "stayed"})


def test_one_that_came_back_is_not_deleted(open_engine: OpenEngine) -> None:
    """The row goes with the list that shows it here again; so it does when the setting is switched off."""
    engine = open_engine(FakeOpenCost())
    measured(engine)
    lists = Lists(engine=engine, prunes_remote=True)
    lists.take(REMOTE)

    lists.take(replace(REMOTE, destination=STAYED.destination), at=NOW + MINUTE)

    assert lists.prunes() == []
    lists.take(REMOTE, at=NOW + 2 * MINUTE)
    Lists(engine=engine).take(REMOTE, at=NOW + 3 * MINUTE)
    assert lists.prunes() == []


def test_what_cannot_be_deleted_does_not_stop_the_tick(open_engine: OpenEngine) -> None:
    """It is put off, and the sync beside it is measured."""
    engine = open_engine(FakeOpenCost())
    measured(engine)
    lists = Lists(engine=engine, prunes_remote=True)
    lists.take(REMOTE, STAYED)
    send(engine, a_sync("new"))
    engine.database.execute("CREATE RULE kept AS ON DELETE TO cost_actuals DO INSTEAD SELECT 1/0")

    try:
        engine.tick()
    finally:
        engine.database.execute("DROP RULE kept ON cost_actuals")

    (item,) = lists.prunes()
    assert (item.attempts, item.not_before) == (1, NOW + MINUTE)
    assert names(engine) == {"moved", "stayed", "new"}
