"""A sync's way from its message to its settled figure."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from costintel.collection.deadline import Deadline
from costintel.errors import InvalidInput, OpenCostRefused
from costintel.measurement.task import new_payload
from tests.collection.engine import CLUSTER, HOUR, NEWEST, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.measurement.conftest import OpenEngine
from tests.measurement.syncs import FINISHED, SETTLES_AT, a_sync, deployment, into, send, sync_into

MINUTE = timedelta(minutes=1)


def record_of(engine: Engine, name: str = "shop-web", now: datetime = NOW) -> dict[str, Any]:
    answer = engine.actual(name, now)
    assert answer is not None
    record: dict[str, Any] = answer["record"]
    return record


def measure_new(engine: Engine, *names: str) -> None:
    engine.measuring.measure(names, now=NOW, deadline=Deadline.after(300))


class TestEarly:
    """The 24 hours before a sync, as soon as they are there."""

    def test_a_new_sync_is_measured_in_the_same_run(self, open_engine: OpenEngine) -> None:
        """24 hours at 0.04 are 0.96, or 28.80 a month; the settled figure comes later."""
        engine = open_engine(FakeOpenCost())

        measure_new(engine, *send(engine, a_sync()).new)

        record = record_of(engine)
        early = record["early"]
        assert early["window"] == {"start": "2026-11-29T12:00:00Z", "end": "2026-11-30T12:00:00Z"}
        assert (early["cost"]["total"], early["monthly"]["total"]) == (0.96, 28.8)
        assert (early["measuredHours"], early["confidence"], early["source"]) == (24.0, "full", "hours")
        assert (record["settled"], record["isSettled"]) == (None, False)
        assert record["settlesAt"] == "2026-12-01T13:10:00Z"

    def test_a_sync_right_after_the_hour_uses_the_hours_stored_by_then(self, open_engine: OpenEngine) -> None:
        """Finished at 12:05, when the hour to 12:00 is not in yet: its window ends at 11:00, and it does not wait."""
        engine = open_engine(FakeOpenCost())
        now = FINISHED - 14 * MINUTE
        send(engine, a_sync(finished_at=FINISHED - 15 * MINUTE), now=now)

        engine.tick(now)

        assert record_of(engine, now=now)["early"]["window"]["end"] == "2026-11-30T11:00:00Z"

    def test_a_burst_reads_hours_that_are_there(self, open_engine: OpenEngine) -> None:
        """200 notifications of 100 syncs over 40 namespaces: 100 records, and not one more call."""
        lives = [
            Life(
                namespace=f"team-{n % 40}", pod=f"{name}-5c9d8f7b6d-aaaaa", controller=name, hourly_cost=0.01 * (n + 1)
            )
            for n in range(100)
            if (name := f"web{n}")
        ]
        opencost = FakeOpenCost(lives=lives)
        engine = open_engine(opencost)
        engine.tick()
        calls = len(opencost.calls)
        syncs = [
            a_sync(f"app-{n}", destination=into(f"team-{n % 40}"), resources=(deployment(f"web{n}"),))
            for n in range(100)
        ]

        for start in range(0, 100, 5):
            batch = syncs[start : start + 5]
            measure_new(engine, *send(engine, *batch, *batch).new)

        records = engine.records.latest_of_all(CLUSTER, None)
        costs = {record.sync.application.name: record.early["cost"]["total"] for record in records if record.early}
        assert costs == {f"app-{n}": round(0.24 * (n + 1), 6) for n in range(100)}
        assert len(opencost.calls) == calls

    def test_syncs_of_one_window_read_it_once(self, open_engine: OpenEngine) -> None:
        """A hundred waiting syncs, measured by one tick: their hours are asked once, and all are recorded."""
        opencost = FakeOpenCost()
        engine = open_engine(opencost)
        send(engine, *(a_sync(f"app-{n}", resources=()) for n in range(50)))
        send(engine, *(sync_into(f"shop-{n}", "shop") for n in range(50)))

        engine.tick()

        assert len(opencost.calls) == 24
        assert len(engine.records.latest_of_all(CLUSTER, None)) == 100

    def test_missing_hours_put_it_off_and_nothing_is_given_up(self, open_engine: OpenEngine) -> None:
        """While OpenCost fails the sync waits 1, 2, 4 … 30 minutes, without a figure and without a record."""
        engine = open_engine(FakeOpenCost(failing=OpenCostRefused("HTTP 500")))
        send(engine, a_sync())
        waits = []
        now = NOW

        for _ in range(7):
            engine.tick(now)
            (item,) = engine.waiting()
            waits.append((item.not_before - now) / MINUTE)
            now = item.not_before

        assert waits == [1, 2, 4, 8, 16, 30, 30]
        assert engine.records.latest_of_all(CLUSTER, None) == []

    def test_figures_appear_after_recovery(self, open_engine: OpenEngine) -> None:
        """The run in which OpenCost answers again measures the sync, though its own next try is later."""
        opencost = FakeOpenCost(failing=OpenCostRefused("HTTP 500"))
        engine = open_engine(opencost)
        send(engine, a_sync())
        for number in range(5):
            engine.tick(NOW + number * MINUTE)
        opencost.failing = None

        engine.tick(NOW + 5 * MINUTE)

        assert record_of(engine)["early"]["cost"]["total"] == 0.96

    def test_a_window_with_bad_hours_counts_the_good_ones(self, open_engine: OpenEngine) -> None:
        """Two blind hours: 22 measured hours, 22 x 0.04, and the same rate a month."""
        engine = open_engine(FakeOpenCost(blind={NEWEST - HOUR, NEWEST - 2 * HOUR}))
        send(engine, a_sync())

        engine.tick()

        early = record_of(engine)["early"]
        assert (early["measuredHours"], early["cost"]["total"], early["monthly"]["total"]) == (22.0, 0.88, 28.8)
        assert early["confidence"] == "partial"

    def test_without_a_good_hour_there_is_no_figure(self, open_engine: OpenEngine) -> None:
        """OpenCost was blind for the whole window: unknown, and not zero."""
        engine = open_engine(FakeOpenCost(observed_from=NOW + 48 * HOUR))
        send(engine, a_sync())

        engine.tick()

        answer = engine.actual("shop-web")
        assert answer is not None
        assert (answer["state"], answer["current"], answer["record"]["early"]) == ("received", None, None)

    def test_an_hour_that_gets_better_makes_the_figure_again(self, open_engine: OpenEngine) -> None:
        """A blind hour is confirmed ten minutes later, and the early figure has 24 hours then."""
        opencost = FakeOpenCost(blind={NEWEST})
        engine = open_engine(opencost)
        send(engine, a_sync())
        engine.tick()
        assert record_of(engine)["early"]["measuredHours"] == 23.0
        opencost.blind = set()

        engine.tick(NOW + 10 * MINUTE)

        assert record_of(engine)["early"]["measuredHours"] == 24.0

    def test_an_absent_application_cost_nothing(self, open_engine: OpenEngine) -> None:
        """Known since June, and in no good hour: scaled to zero, which is a cost of zero over 24 measured hours."""
        engine = open_engine(FakeOpenCost(lives=[Life(namespace="elsewhere")]))
        send(engine, a_sync())

        engine.tick()

        early = record_of(engine)["early"]
        assert (early["cost"]["total"], early["measuredHours"], early["monthly"]["total"]) == (0.0, 24.0, 0.0)


class TestSettled:
    """The 24 hours from the first full hour after a sync."""

    def test_early_then_settled(self, open_engine: OpenEngine) -> None:
        """Twice the price from the sync on: early stays 0.96, settled is 1.92 when its last hour is in."""
        after = FINISHED + HOUR / 2
        lives = [Life(end=after), Life(pod="web-7d9f6c5b4c-bbbbb", start=after, hourly_cost=0.08)]
        engine = open_engine(FakeOpenCost(lives=lives))
        send(engine, a_sync())
        now = NOW
        while now < SETTLES_AT:
            engine.tick(now)
            assert not record_of(engine)["isSettled"]
            now += HOUR

        engine.tick(SETTLES_AT)

        record = record_of(engine)
        assert record["isSettled"]
        assert record["early"]["cost"]["total"] == 0.96
        assert record["settled"]["window"] == {"start": "2026-11-30T13:00:00Z", "end": "2026-12-01T13:00:00Z"}
        assert record["settled"]["cost"]["total"] == 1.92
        assert record["settled"]["confidence"] == "full"
        assert engine.waiting() == []

    def test_the_row_lives_until_doubtful_hours_are_confirmed(self, open_engine: OpenEngine) -> None:
        """Settled at once with 23 hours; ten minutes later the blind hour is there, and settled has 24."""
        last_hour = SETTLES_AT - HOUR - 10 * MINUTE
        opencost = FakeOpenCost(blind={last_hour})
        engine = open_engine(opencost)
        send(engine, a_sync())
        engine.tick()
        engine.tick(SETTLES_AT)
        assert record_of(engine)["settled"]["measuredHours"] == 23.0
        opencost.blind = set()

        engine.tick(SETTLES_AT + 10 * MINUTE)

        assert record_of(engine)["settled"]["measuredHours"] == 24.0
        assert engine.waiting() == []

    def test_a_late_sync_gets_both_figures_of_its_own_time(self, open_engine: OpenEngine) -> None:
        """A message that comes three days late is measured from the hours around the sync, not around its arrival."""
        finished = FINISHED - 72 * HOUR
        lives = [Life(end=finished, hourly_cost=0.01), Life(pod="web-7d9f6c5b4c-bbbbb", start=finished)]
        engine = open_engine(FakeOpenCost(lives=lives))
        send(engine, a_sync(finished_at=finished))

        engine.tick()

        record = record_of(engine)
        assert record["early"]["cost"]["total"] == 0.24
        assert record["settled"]["cost"]["total"] == 0.96
        assert engine.waiting() == []

    def test_its_hours_are_kept_while_it_waits(self, open_engine: OpenEngine) -> None:
        """Hours asked more than 50 hours ago stay while a sync is not settled, and go when it is."""
        opencost = FakeOpenCost()
        engine = open_engine(opencost)
        send(engine, a_sync())
        engine.tick()
        opencost.failing_at = {SETTLES_AT - HOUR - 10 * MINUTE: OpenCostRefused("HTTP 500")}
        for number in range(1, 71, 6):
            engine.tick(NOW + number * HOUR)
        (first_needed, *_) = sorted(engine.headers())
        assert first_needed <= FINISHED + 40 * MINUTE

        engine.tick(NOW + 80 * HOUR)
        engine.tick(NOW + 81 * HOUR)

        assert record_of(engine)["isSettled"]
        assert min(engine.headers()) > first_needed


class TestOnce:
    """One record per sync, whoever tells of it and however often."""

    def test_the_same_notification_five_times(self, open_engine: OpenEngine) -> None:
        """Twice in one batch, three times alone: new once, one row, one record."""
        engine = open_engine(FakeOpenCost())

        news = [send(engine, a_sync(), a_sync()).new, *(send(engine, a_sync()).new for _ in range(3))]
        engine.tick()

        assert [len(new) for new in news] == [1, 0, 0, 0]
        assert len(engine.records.latest_of_all(CLUSTER, None)) == 1

    def test_a_message_after_the_sync_settled_changes_nothing(self, open_engine: OpenEngine) -> None:
        """The record is there: the message is done, and nothing waits."""
        engine = open_engine(FakeOpenCost())
        send(engine, a_sync())
        engine.tick()
        engine.tick(SETTLES_AT)

        received = send(engine, a_sync(), now=SETTLES_AT + HOUR)

        assert (received.new, received.failed) == (frozenset(), {})
        assert engine.waiting() == []

    def test_an_older_sync_that_arrives_last_is_not_the_latest(self, open_engine: OpenEngine) -> None:
        """The newest is the one that finished last."""
        engine = open_engine(FakeOpenCost())
        send(engine, a_sync(revision="newer"))
        engine.tick()
        send(engine, a_sync(revision="older", finished_at=FINISHED - 5 * HOUR))

        engine.tick(NOW + MINUTE)

        assert record_of(engine)["sync"]["revision"] == "newer"

    def test_two_environments_measuring_the_same_sync(self, open_engine: OpenEngine) -> None:
        """A batch and the tick meet: one record, and its settled figure survives the slower of the two."""
        engine, slower = open_engine(FakeOpenCost()), open_engine(FakeOpenCost())
        new = send(engine, a_sync()).new
        engine.tick()
        engine.tick(SETTLES_AT)

        slower.work.put(CLUSTER, "sync", a_sync().id, new_payload(a_sync()), NOW)
        measure_new(slower, *new)

        assert record_of(engine)["isSettled"]
        assert record_of(engine)["settled"]["cost"]["total"] == 0.96


class TestBroken:
    """What cannot be measured does not hold up the rest."""

    def test_one_broken_sync_is_put_off_alone(self, open_engine: OpenEngine, monkeypatch: pytest.MonkeyPatch) -> None:
        """A record that storage refuses is tried again later; the others of its batch are recorded."""
        engine = open_engine(FakeOpenCost())
        save = type(engine.records).save

        def refuse_one(self: Any, record: Any) -> None:
            if record.sync.application.name == "app-1":
                raise InvalidInput("early", "finite numbers")
            save(self, record)

        monkeypatch.setattr(type(engine.records), "save", refuse_one)
        send(engine, *(sync_into(f"app-{n}", "shop") for n in range(3)))

        outcome = engine.tick()

        recorded = {record.sync.application.name for record in engine.records.latest_of_all(CLUSTER, None)}
        (broken,) = [item for item in engine.waiting() if item.last_error]
        assert recorded == {"app-0", "app-2"}
        assert (broken.attempts, broken.not_before) == (1, NOW + MINUTE)
        assert (outcome.syncs.measured, outcome.syncs.failed, outcome.syncs.errors) == (2, 1, {"InvalidInput"})

    def test_the_deadline_ends_the_run_between_batches(self, open_engine: OpenEngine) -> None:
        """With seconds left nothing is begun; the next run does it."""
        engine = open_engine(FakeOpenCost())
        engine.tick()
        send(engine, a_sync())

        engine.measuring.tick(now=NOW, deadline=Deadline.after(5))
        assert engine.records.latest_of_all(CLUSTER, None) == []
        engine.tick(NOW + MINUTE)

        assert record_of(engine)["early"]["cost"]["total"] == 0.96
