"""Applications that nobody told a sync of: what the newest 24 hours cost stands in until there is one."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from costintel.collection.deadline import Deadline
from costintel.cost.application import AppRef, Destination
from costintel.cost.sync import Record, install_id
from costintel.errors import OpenCostRefused
from costintel.measurement.windows import StoredWindows
from tests.collection.engine import CLUSTER, HOUR, NEWEST, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.measurement.conftest import OpenEngine
from tests.measurement.lists import ACCESS, Lists, live_application, live_sync, synced
from tests.measurement.syncs import LONG_AGO, a_sync, deployment, into, send

MINUTE = timedelta(minutes=1)
YOUNG = NOW - 10 * MINUTE


def actual(engine: Engine, name: str = "shop-web", now: datetime = NOW) -> dict[str, Any]:
    answer = engine.actual(name, now)
    assert answer is not None
    return answer


def record_of(engine: Engine, name: str = "shop-web") -> Record | None:
    return engine.records.latest(CLUSTER, AppRef("argocd", name))


class TestFigure:
    """What is recorded of an Application at install."""

    def test_the_newest_24_hours_are_its_figure(self, open_engine: OpenEngine) -> None:
        """24 hours at 0.04 are 0.96, or 28.80 a month, with the tick after the list; nothing is asked beyond the hours."""
        opencost = FakeOpenCost()
        engine = open_engine(opencost)
        lists = Lists(engine=engine)
        lists.take(live_application())

        outcome = engine.tick()

        record = actual(engine)["record"]
        assert (record["measuredOn"], record["foundBy"]) == ("install", "install")
        early = record["early"]
        assert early["window"] == {"start": "2026-11-29T12:00:00Z", "end": "2026-11-30T12:00:00Z"}
        assert (early["cost"]["total"], early["monthly"]["total"], early["confidence"]) == (0.96, 28.8, "full")
        assert (outcome.installed.measured, len(opencost.calls), lists.installs()) == (1, 24, [])

    def test_it_has_no_sync_time_and_settles_never(self, open_engine: OpenEngine) -> None:
        """It is no sync: no start, no finish, no settled figure to come; the revision is the live one."""
        engine = open_engine(FakeOpenCost())
        Lists(engine=engine).take(synced(live_application(), live_sync(NOW - 30 * HOUR, "abc")))

        engine.tick()

        record = actual(engine)["record"]
        assert record["id"] == install_id(CLUSTER, AppRef("argocd", "shop-web"))
        assert (record["sync"]["startedAt"], record["sync"]["finishedAt"], record["sync"]["revision"]) == (
            None,
            None,
            "abc",
        )
        assert (record["settled"], record["settlesAt"], record["isSettled"]) == (None, None, False)

    def test_one_without_pods_costs_nothing(self, open_engine: OpenEngine) -> None:
        """An app of apps lists no workload: it is measured, at zero, and not looked for again."""
        engine = open_engine(FakeOpenCost())
        lists = Lists(engine=engine)
        lists.take(live_application("root", resources=()))

        engine.tick()

        early = actual(engine, "root")["record"]["early"]
        assert (early["cost"]["total"], early["measuredHours"]) == (0.0, 24.0)
        assert lists.installs() == []

    def test_what_two_list_counts_at_the_older_from_the_start(self, open_engine: OpenEngine) -> None:
        """Neither has a record yet; still the workload is counted once."""
        engine = open_engine(FakeOpenCost())
        younger = live_application("copy", created_at=LONG_AGO + 24 * HOUR)
        Lists(engine=engine).take(younger, live_application("shop-web"))

        engine.tick()

        costs = {name: actual(engine, name)["record"]["early"]["cost"]["total"] for name in ("copy", "shop-web")}
        assert costs == {"copy": 0.0, "shop-web": 0.96}

    def test_unknown_resources_are_the_whole_namespace(self, open_engine: OpenEngine) -> None:
        """Argo CD has not compared it yet: namespace scope, with everything that runs there."""
        lives = (Life(), Life(pod="api-5c9d8f7b6d-bbbbb", controller="api", hourly_cost=0.06))
        engine = open_engine(FakeOpenCost(lives=lives))
        Lists(engine=engine).take(live_application(resources=None))

        engine.tick()

        early = actual(engine)["record"]["early"]
        assert (early["scope"], early["cost"]["total"], early["pods"]) == ("namespace", 2.4, [])


class TestWhich:
    """Who is measured at install."""

    @pytest.mark.parametrize(
        "application",
        [
            live_application("remote", destination=Destination(server="https://prod-2.example.com", namespace="shop")),
            live_application("by-name", destination=Destination(name="prod-2", namespace="shop")),
            live_application("nowhere", destination=into(""), resources=(deployment("web"),)),
            live_application("impossible", destination=into("Not A Namespace")),
            live_application("going", deleting=True),
            live_application(ACCESS.name, resources=()),
            live_application("labelled", labels={"cost-intel/cluster-access": "true"}),
        ],
        ids=lambda application: application.application.name,
    )
    def test_these_are_not(self, open_engine: OpenEngine, application: Any) -> None:
        """Other clusters, no namespace that could exist, going away, or there for access alone."""
        engine = open_engine(FakeOpenCost())
        lists = Lists(engine=engine)

        findings = lists.take(application)

        assert (findings.installs, lists.installs()) == (0, [])

    def test_one_whose_resources_name_the_namespace_is(self, open_engine: OpenEngine) -> None:
        """Without a destination namespace its resources say where it runs."""
        engine = open_engine(FakeOpenCost())
        Lists(engine=engine).take(live_application(destination=into(""), resources=(deployment("web", "shop"),)))

        engine.tick()

        assert actual(engine)["record"]["early"]["cost"]["total"] == 0.96

    def test_one_with_a_sync_is_not(self, open_engine: OpenEngine) -> None:
        """Its sync waits, or is recorded: either is its measurement."""
        engine = open_engine(FakeOpenCost())
        lists = Lists(engine=engine)
        send(engine, a_sync("waits", finished_at=NOW + HOUR), a_sync("recorded"))
        engine.tick()

        findings = lists.take(live_application("waits"), live_application("recorded"))

        assert (findings.installs, lists.installs()) == (0, [])

    def test_the_same_list_again_changes_nothing(self, open_engine: OpenEngine) -> None:
        """Rows keep their turn; measured Applications get none."""
        engine = open_engine(FakeOpenCost())
        lists = Lists(engine=engine)
        old, young = live_application("old"), live_application("young", created_at=YOUNG, resources=())
        lists.take(old, young)
        engine.tick()
        before = lists.installs()

        findings = lists.take(old, young, at=NOW + 5 * MINUTE)

        assert (findings.installs, lists.installs()) == (0, before)
        assert [item.subject for item in before] == ["argocd:young"]

    def test_one_that_is_gone_is_forgotten(self, open_engine: OpenEngine) -> None:
        """A row goes with its Application, a record stays: what it cost is history."""
        engine = open_engine(FakeOpenCost())
        lists = Lists(engine=engine)
        lists.take(live_application("old"), live_application("young", created_at=YOUNG, resources=()))
        engine.tick()

        lists.take(at=NOW + 5 * MINUTE)

        assert lists.installs() == []
        assert record_of(engine, "old") is not None

    def test_one_that_was_not_compared_yet_is_measured_again(self, open_engine: OpenEngine) -> None:
        """A namespace's cost stood in; once Argo CD says what it manages, its own pods' does, under the same id."""
        lives = (Life(), Life(pod="api-5c9d8f7b6d-bbbbb", controller="api", hourly_cost=0.06))
        engine = open_engine(FakeOpenCost(lives=lives))
        lists = Lists(engine=engine)
        lists.take(live_application(resources=None))
        engine.tick()
        before = record_of(engine)

        findings = lists.take(live_application(), at=NOW + 5 * MINUTE)
        engine.tick(NOW + 6 * MINUTE)

        after = record_of(engine)
        assert before is not None
        assert before.early is not None
        assert after is not None
        assert after.early is not None
        assert (findings.installs, before.sync.id) == (1, after.sync.id)
        assert (before.early["cost"]["total"], after.early["cost"]["total"]) == (2.4, 0.96)
        assert lists.take(live_application(), at=NOW + 10 * MINUTE).installs == 0


class TestSyncWins:
    """A sync is a better measurement than an install."""

    def test_a_sync_that_comes_between_list_and_tick(self, open_engine: OpenEngine) -> None:
        """It is what is recorded; the row is forgotten."""
        engine = open_engine(FakeOpenCost())
        lists = Lists(engine=engine)
        lists.take(live_application())
        send(engine, a_sync())

        outcome = engine.tick()

        assert [record.measured_on for record in engine.records.latest_of_all(CLUSTER, None)] == ["sync"]
        assert (outcome.installed.measured, lists.installs()) == (0, [])

    def test_a_sync_that_comes_after_it(self, open_engine: OpenEngine) -> None:
        """Both are kept, the sync is the newest, though it finished before the install was measured."""
        engine = open_engine(FakeOpenCost())
        Lists(engine=engine).take(live_application())
        engine.tick()
        send(engine, a_sync(finished_at=NOW - 5 * MINUTE), now=NOW + MINUTE)

        waiting = actual(engine, now=NOW + MINUTE)
        engine.tick(NOW + 2 * MINUTE)

        assert (waiting["record"]["measuredOn"], waiting["record"]["early"]) == ("sync", None)
        assert actual(engine)["record"]["measuredOn"] == "sync"


class TestSteps:
    """What cannot be measured yet is tried again: after 1, 2, 4, 8 minutes, then every hour."""

    def test_the_turns_of_one_without_data(self, open_engine: OpenEngine) -> None:
        """Ticks come every minute; it is its turn at 0, 1, 3, 7, 15 and 75 minutes."""
        engine = open_engine(FakeOpenCost(failing=OpenCostRefused("HTTP 500")))
        lists = Lists(engine=engine)
        lists.take(live_application())
        turns, steps = [], 0

        for minute in range(80):
            engine.tick(NOW + minute * MINUTE)
            (item,) = lists.installs()
            if item.payload["steps"] > steps:
                turns.append(minute)
                steps = item.payload["steps"]

        assert turns == [0, 1, 3, 7, 15, 75]

    def test_each_turn_asks_the_newest_hour_again_while_none_is_good(self, open_engine: OpenEngine) -> None:
        """OpenCost was installed with us and has seen nothing: the hour to 12:00 is asked with the 24, and at each turn."""
        opencost = FakeOpenCost(observed_from=NOW + 48 * HOUR)
        engine = open_engine(opencost)
        Lists(engine=engine).take(live_application())
        asked = []

        for minute in range(10):
            before = opencost.hours.count(NEWEST)
            engine.tick(NOW + minute * MINUTE)
            if opencost.hours.count(NEWEST) > before:
                asked.append(minute)

        assert asked == [0, 1, 3, 7]

    def test_a_failing_opencost_is_asked_at_each_turn_too(self, open_engine: OpenEngine) -> None:
        """Its own waits, 1, 2, 4, … minutes, do not keep an install from its turn."""
        opencost = FakeOpenCost(failing=OpenCostRefused("HTTP 500"))
        engine = open_engine(opencost)
        Lists(engine=engine).take(live_application())
        for minute in range(7):
            engine.tick(NOW + minute * MINUTE)
        opencost.failing = None

        engine.tick(NOW + 7 * MINUTE)

        record = record_of(engine)
        assert record is not None
        assert record.early is not None

    def test_without_an_install_a_bad_hour_is_not_asked_at_every_tick(self, open_engine: OpenEngine) -> None:
        """Nobody waits: it is confirmed once, ten minutes later."""
        opencost = FakeOpenCost(observed_from=NOW + 48 * HOUR)
        engine = open_engine(opencost)

        for minute in range(9):
            engine.tick(NOW + minute * MINUTE)

        assert opencost.hours.count(NEWEST) == 1

    def test_a_new_hour_ends_the_wait(self, open_engine: OpenEngine) -> None:
        """An Application ten minutes old is in no hour yet; the hour that ends at 13:00 has it, at 13:10, out of its turn."""
        lives = (Life(), Life(namespace="new", pod="new-5c9d8f7b6d-aaaaa", controller="new", start=YOUNG))
        engine = open_engine(FakeOpenCost(lives=lives))
        lists = Lists(engine=engine)
        lists.take(live_application("new", destination=into("new"), resources=(deployment("new"),), created_at=YOUNG))

        for minute in range(40):
            engine.tick(NOW + minute * MINUTE)
        unmeasured = record_of(engine, "new")
        engine.tick(NOW + 40 * MINUTE)

        assert unmeasured is None
        record = record_of(engine, "new")
        assert record is not None
        assert record.early is not None
        assert record.early["measuredHours"] == pytest.approx(40 / 60)
        assert (record.early["confidence"], record.early["monthly"]) == ("too_little_data", None)

    def test_too_little_is_replaced_by_enough(self, open_engine: OpenEngine) -> None:
        """With the next hour there is more than one measured: the record is made anew, under the same id, and that is all."""
        lives = (Life(), Life(namespace="new", pod="new-5c9d8f7b6d-aaaaa", controller="new", start=YOUNG))
        engine = open_engine(FakeOpenCost(lives=lives))
        lists = Lists(engine=engine)
        lists.take(live_application("new", destination=into("new"), resources=(deployment("new"),), created_at=YOUNG))
        engine.tick(NOW + 40 * MINUTE)
        little = record_of(engine, "new")

        engine.tick(NOW + 100 * MINUTE)

        enough = record_of(engine, "new")
        assert little is not None
        assert enough is not None
        assert enough.early is not None
        assert enough.sync.id == little.sync.id
        assert (round(enough.early["measuredHours"], 4), enough.early["confidence"]) == (1.6667, "partial")
        assert lists.installs() == []

    def test_it_is_measured_again_when_its_window_was_not_whole(self, open_engine: OpenEngine) -> None:
        """One of the 24 hours failed: 23 are recorded at once, and all 24 when they are there."""
        opencost = FakeOpenCost(failing_at={NEWEST - 2 * HOUR: OpenCostRefused("HTTP 500")})
        engine = open_engine(opencost)
        lists = Lists(engine=engine)
        lists.take(live_application())
        engine.tick()
        first = record_of(engine)
        opencost.failing_at.clear()

        engine.tick(NOW + 2 * MINUTE)

        second = record_of(engine)
        assert first is not None
        assert first.early is not None
        assert second is not None
        assert second.early is not None
        assert (first.early["measuredHours"], second.early["measuredHours"]) == (23.0, 24.0)
        assert lists.installs() == []


class TestMany:
    """Many at once."""

    def test_what_breaks_one_breaks_only_that_one(self, open_engine: OpenEngine) -> None:
        """A project that PostgreSQL refuses keeps its Application waiting; the others are measured."""
        engine = open_engine(FakeOpenCost())
        lists = Lists(engine=engine)
        lists.take(*(live_application(f"app-{n}", resources=()) for n in range(5)))
        engine.database.execute("ALTER TABLE cost_actuals ADD CONSTRAINT no_two CHECK (application_name <> 'app-2')")

        try:
            outcome = engine.tick()
        finally:
            engine.database.execute("ALTER TABLE cost_actuals DROP CONSTRAINT no_two")

        assert (outcome.installed.measured, outcome.installed.errors) == (4, {"StorageError"})
        assert [item.subject for item in lists.installs()] == ["argocd:app-2"]

    def test_none_is_begun_shortly_before_the_end(self, open_engine: OpenEngine) -> None:
        """With ten seconds left they stay for the next tick, in their turn."""
        engine = open_engine(FakeOpenCost())
        lists = Lists(engine=engine)
        engine.tick()
        lists.take(live_application())

        windows = StoredWindows(headers=engine.headers(), now=NOW)
        installed = engine.measuring.installs.run(windows, deadline=Deadline.after(10))

        assert (installed.measured, installed.waiting) == (0, 1)
        assert [item.not_before for item in lists.installs()] == [NOW]
