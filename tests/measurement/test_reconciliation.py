"""Syncs that no notification told of are found in the live list."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from costintel.cost.application import AppRef
from costintel.cost.live import ListOutcome, LiveApplication
from costintel.cost.sync import sync_id
from tests.collection.engine import CLUSTER, HOUR, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.measurement.conftest import OpenEngine
from tests.measurement.lists import Lists, live_application, live_sync, synced
from tests.measurement.syncs import a_sync, deployment, send

MINUTE = timedelta(minutes=1)
FIRST_LIST = NOW - 3 * HOUR
SHOP_WEB = AppRef("argocd", "shop-web")


def found(engine: Engine) -> dict[str, dict[str, Any]]:
    """Return what waits of syncs, by the time they finished."""
    payloads = [item.payload for item in engine.waiting()]
    return {payload["sync"]["finished_at"]: payload for payload in payloads}


def lists_since(engine: Engine, since: datetime = FIRST_LIST) -> Lists:
    """Give lists of which the first was complete, and empty, at `since`."""
    lists = Lists(engine=engine)
    lists.take(at=since)
    return lists


def test_a_missed_sync_is_measured_like_any_other(open_engine: OpenEngine) -> None:
    """Its record has the figures of its own windows, and says who found it."""
    engine = open_engine(FakeOpenCost())
    lists = lists_since(engine)

    findings = lists.take(synced(live_application(), live_sync(NOW - 70 * MINUTE)))
    engine.tick()

    record = engine.records.latest(CLUSTER, SHOP_WEB)
    assert findings.missed == 1
    assert record is not None
    assert (record.found_by, record.measured_on, record.sync.id) == (
        "reconciliation",
        "sync",
        sync_id(CLUSTER, SHOP_WEB, NOW - 70 * MINUTE),
    )
    assert record.early is not None
    assert record.early["window"] == {"start": "2026-11-29T11:00:00Z", "end": "2026-11-30T11:00:00Z"}


def test_ten_missed_syncs_each_have_their_own_windows(open_engine: OpenEngine) -> None:
    """Two of them are of one Application within five minutes, across an hour: one is measured to 11:00, one to 12:00.

    At 0.04 an hour each costs 0.96 in its 24; the one whose pods began at 11:00 cost nothing before, and 0.04 after.
    """
    lives = (Life(), Life(namespace="shop", pod="late-5c9d8f7b6d-aaaaa", controller="late", start=NOW - 90 * MINUTE))
    engine = open_engine(FakeOpenCost(lives=lives))
    lists = lists_since(engine)
    before, after = live_sync(NOW - 22 * MINUTE, "one"), live_sync(NOW - 19 * MINUTE, "two")
    pair = live_application("pair", resources=(deployment("late"),))
    others = [synced(live_application(f"app-{n}"), live_sync(NOW - n * 20 * MINUTE - 5 * MINUTE)) for n in range(8)]

    findings = lists.take(synced(pair, before, after), *others)
    engine.tick()

    assert findings.missed == 10
    records = {
        moment: engine.records.find(CLUSTER, sync_id(CLUSTER, AppRef("argocd", "pair"), moment))
        for moment in (before.finished_at, after.finished_at)
    }
    windows = [record and record.early and record.early["window"]["end"] for record in records.values()]
    costs = [record and record.early and record.early["cost"]["total"] for record in records.values()]
    assert windows == ["2026-11-30T11:00:00Z", "2026-11-30T12:00:00Z"]
    assert costs == [0.0, 0.04]
    ends = {}
    for n in range(8):
        record = engine.records.latest(CLUSTER, AppRef("argocd", f"app-{n}"))
        assert record is not None
        assert record.early is not None
        ends[n] = record.early["window"]["end"]
    assert [ends[n][11:13] for n in range(8)] == ["12", "11", "11", "11", "10", "10", "10", "09"]


def test_a_webhook_that_comes_late_changes_nothing(open_engine: OpenEngine) -> None:
    """Neither before it is measured nor after; the same holds for a list after a webhook."""
    engine = open_engine(FakeOpenCost())
    lists = lists_since(engine)
    finished_at = NOW - 70 * MINUTE
    listed = synced(live_application(), live_sync(finished_at))
    lists.take(listed)
    waiting = engine.waiting()

    before = send(engine, a_sync(finished_at=finished_at, project="another"))
    unchanged = engine.waiting()
    engine.tick()
    recorded = engine.records.latest(CLUSTER, SHOP_WEB)
    after = send(engine, a_sync(finished_at=finished_at, project="another"))
    again = lists.take(listed, at=NOW + 5 * MINUTE)

    assert (before.new, after.new) == (frozenset(), frozenset())
    assert waiting == unchanged
    assert engine.records.latest(CLUSTER, SHOP_WEB) == recorded
    assert again.missed == 0


def test_what_finished_before_the_first_list_is_not_looked_for(open_engine: OpenEngine) -> None:
    """The install covers it, however often it is listed; what finishes in the very second of the list counts."""
    engine = open_engine(FakeOpenCost())
    lists = Lists(engine=engine)
    old = synced(live_application(), live_sync(FIRST_LIST - 5 * HOUR), live_sync(FIRST_LIST - timedelta(seconds=1)))
    first = lists.take(old, at=FIRST_LIST + timedelta(milliseconds=400))

    second = lists.take(synced(live_application(), *old.history, live_sync(FIRST_LIST)), at=FIRST_LIST + 5 * MINUTE)

    assert (first.missed, first.installs) == (0, 1)
    assert second.missed == 1
    assert list(found(engine)) == ["2026-11-30T09:30:00Z"]


def test_a_failed_list_before_is_no_list(open_engine: OpenEngine) -> None:
    """The first complete list counts, not the first attempt."""
    engine = open_engine(FakeOpenCost())
    failed: ListOutcome[LiveApplication] = ListOutcome(items=(), complete=False, listed_at=FIRST_LIST, error="403")
    engine.applications.replace(CLUSTER, failed)

    findings = Lists(engine=engine).take(synced(live_application(), live_sync(NOW - HOUR)))

    assert (findings.missed, findings.installs) == (0, 1)


def test_former_syncs_have_todays_resources_and_no_state(open_engine: OpenEngine) -> None:
    """What the Application was like then nobody remembers; who began it and which revision it was is in the history."""
    engine = open_engine(FakeOpenCost())
    lists = lists_since(engine)
    former = live_sync(NOW - 2 * HOUR, "old", initiated_by="alice", revisions=("a", "b"))

    lists.take(synced(live_application(), former, live_sync(NOW - HOUR, "new")))

    then, now = (found(engine)[moment]["sync"] for moment in ("2026-11-30T10:30:00Z", "2026-11-30T11:30:00Z"))
    assert then["resources"] == now["resources"] == [["apps", "Deployment", "shop", "web"]]
    assert (then["sync_status"], then["health_status"], then["images"]) == ("", "", [])
    assert (now["sync_status"], now["health_status"], now["images"]) == ("Synced", "Healthy", ["web:1.0"])
    assert (then["revision"], then["revisions"], then["initiated_by"]) == ("old", ["a", "b"], "alice")
    assert then["created_at"] == "2026-06-01T00:00:00Z"


def test_a_sync_of_some_resources_is_found_as_the_last_operation(open_engine: OpenEngine) -> None:
    """It leaves no entry in the history."""
    engine = open_engine(FakeOpenCost())
    lists = lists_since(engine)
    whole, selective = live_sync(NOW - 2 * HOUR), live_sync(NOW - HOUR)

    findings = lists.take(replace(live_application(), history=(whole,), last_sync=selective))

    assert findings.missed == 2


def test_an_application_of_another_cluster_is_left_alone(open_engine: OpenEngine) -> None:
    """Its syncs are none of ours."""
    engine = open_engine(FakeOpenCost())
    lists = lists_since(engine)
    remote = live_application(destination=replace(live_application().destination, server="https://prod-2.example.com"))

    findings = lists.take(synced(remote, live_sync(NOW - HOUR)))

    assert (findings.missed, dict(findings.classes)) == (0, {"other_cluster": 1})


def test_a_missed_sync_replaces_the_install(open_engine: OpenEngine) -> None:
    """Installed with the first list, synced after it: the row of one that was not measured yet goes, a record steps back."""
    engine = open_engine(FakeOpenCost())
    lists = Lists(engine=engine)
    measured, unmeasured = live_application("measured"), live_application("unmeasured", created_at=NOW, resources=())
    lists.take(measured, unmeasured, at=NOW)
    engine.tick()
    sync = live_sync(NOW + 2 * MINUTE)

    lists.take(synced(measured, sync), synced(unmeasured, sync), at=NOW + 5 * MINUTE)
    engine.tick(NOW + 6 * MINUTE)

    assert lists.installs() == []
    for name in ("measured", "unmeasured"):
        record = engine.records.latest(CLUSTER, AppRef("argocd", name))
        assert record is not None
        assert record.measured_on == "sync"


class TestUnknownFinish:
    """An outdated template leaves out when the sync finished; the hour of arrival stands in until the list tells."""

    arrived_at = NOW - 10 * MINUTE
    real = NOW - 11 * MINUTE

    def told(self, **changes: Any) -> Any:
        hour = self.arrived_at.replace(minute=0)
        return a_sync(finished_at=hour, finished_at_known=False, received_at=self.arrived_at, **changes)

    def test_it_takes_over_the_real_id_and_windows(self, open_engine: OpenEngine) -> None:
        """Measured to 11:00 as if it had finished at 12:00, it is measured again to 12:00, because it finished at 12:19."""
        engine = open_engine(FakeOpenCost())
        lists = lists_since(engine)
        send(engine, self.told())
        engine.tick()
        before = engine.records.latest(CLUSTER, SHOP_WEB)

        findings = lists.take(synced(live_application(), live_sync(self.real)))
        engine.tick()

        after = engine.records.latest(CLUSTER, SHOP_WEB)
        assert (findings.missed, findings.corrections) == (0, 1)
        assert before is not None
        assert before.early is not None
        assert after is not None
        assert after.early is not None
        assert after.sync.id == sync_id(CLUSTER, SHOP_WEB, self.real)
        assert (after.sync.finished_at, after.sync.finished_at_known) == (self.real, True)
        assert (before.early["window"]["end"], after.early["window"]["end"]) == (
            "2026-11-30T11:00:00Z",
            "2026-11-30T12:00:00Z",
        )
        assert engine.records.find(CLUSTER, before.sync.id) is None
        assert [item.subject for item in engine.waiting()] == [after.sync.id]
        assert lists.corrections() == []

    def test_also_while_it_waits(self, open_engine: OpenEngine) -> None:
        """It was not measured yet: there is one row of it, under the real id."""
        engine = open_engine(FakeOpenCost())
        lists = lists_since(engine)
        send(engine, self.told())

        lists.take(synced(live_application(), live_sync(self.real)))
        engine.measuring.corrections.run(now=NOW)

        (item,) = engine.waiting()
        assert (item.subject, item.payload["sync"]["finished_at_known"], item.payload["foundBy"]) == (
            sync_id(CLUSTER, SHOP_WEB, self.real),
            True,
            "webhook",
        )

    @pytest.mark.parametrize(
        "listed",
        [
            live_sync(NOW - 11 * MINUTE, "another"),
            live_sync(NOW - 72 * MINUTE),
            live_sync(NOW - 5 * MINUTE),
        ],
        ids=["another revision", "over an hour before", "after it arrived"],
    )
    def test_another_sync_is_not_taken_for_it(self, open_engine: OpenEngine, listed: Any) -> None:
        """Only one of the same revision that finished within the hour before; any other was missed as well."""
        engine = open_engine(FakeOpenCost())
        lists = lists_since(engine)
        send(engine, self.told())

        findings = lists.take(synced(live_application(), listed))

        assert (findings.missed, findings.corrections) == (1, 0)
        assert len(engine.waiting()) == 2

    def test_of_two_the_later_is_taken(self, open_engine: OpenEngine) -> None:
        """The same revision was synced twice within the hour; the one before was missed."""
        engine = open_engine(FakeOpenCost())
        lists = lists_since(engine)
        send(engine, self.told())

        findings = lists.take(synced(live_application(), live_sync(NOW - 40 * MINUTE), live_sync(self.real)))
        engine.measuring.corrections.run(now=NOW)

        assert findings.missed == 1
        assert set(found(engine)) == {"2026-11-30T11:50:00Z", "2026-11-30T12:19:00Z"}
        assert found(engine)["2026-11-30T12:19:00Z"]["foundBy"] == "webhook"

    def test_one_that_is_known_already_is_not_kept_twice(self, open_engine: OpenEngine) -> None:
        """The list was faster than the notification: what was found stays, what was told without a time goes."""
        engine = open_engine(FakeOpenCost())
        lists = lists_since(engine)
        listed = synced(live_application(), live_sync(self.real))
        lists.take(listed, at=self.arrived_at - 30 * timedelta(seconds=1))
        engine.tick()
        send(engine, self.told())
        engine.tick()

        lists.take(listed)
        engine.tick()

        real = sync_id(CLUSTER, SHOP_WEB, self.real)
        assert [item.subject for item in engine.waiting()] == [real]
        record = engine.records.latest(CLUSTER, SHOP_WEB)
        assert record is not None
        assert (record.sync.id, record.found_by) == (real, "reconciliation")
        assert engine.records.find(CLUSTER, self.told().id) is None
