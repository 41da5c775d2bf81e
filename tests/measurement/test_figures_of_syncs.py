"""What a sync's figures say: hours that count, projections, scopes."""

from datetime import timedelta
from typing import Any

import pytest

from costintel.cost.ownership import Resource
from costintel.opencost.answer import WindowAnswer
from tests.collection.engine import CLUSTER, HOUR, NEWEST, NOW, Engine
from tests.collection.fake_opencost import FakeOpenCost, Life, unmounted, with_row
from tests.measurement.conftest import OpenEngine
from tests.measurement.syncs import FINISHED, a_sync, into, send

MINUTE = timedelta(minutes=1)
END = NEWEST + HOUR
"""End of the early window, and of the newest 24 hours."""


def early_of(engine: Engine, **changes: Any) -> dict[str, Any]:
    """Measure one sync and return its early figure."""
    send(engine, a_sync(**changes))
    engine.tick()
    answer = engine.actual("shop-web")
    assert answer is not None
    early: dict[str, Any] = answer["record"]["early"]
    return early


class TestProjection:
    """Cost over the hours in which the thing could have run, times the month (accuracy, section 6)."""

    def test_five_dollars_in_a_day(self, open_engine: OpenEngine) -> None:
        """P1: $5 over 24 h are $150 a month."""
        early = early_of(open_engine(FakeOpenCost(lives=[Life(hourly_cost=5 / 24)])))

        assert (early["cost"]["total"], early["monthly"]["total"], early["basisHours"]) == (5.0, 150.0, 720)

    def test_the_other_basis(self, open_engine: OpenEngine) -> None:
        """P1: on 730 hours the same are $152.083333, and the figure says so."""
        engine = open_engine(FakeOpenCost(lives=[Life(hourly_cost=5 / 24)]), month_hours=730)

        early = early_of(engine)

        assert (early["monthly"]["total"], early["basisHours"]) == (152.083333, 730)

    def test_a_namespace_six_hours_old(self, open_engine: OpenEngine) -> None:
        """P2: $1 since the first row six hours ago is $120, and not more than partly to be trusted."""
        lives = [Life(namespace="other"), Life(start=END - 6 * HOUR, hourly_cost=1 / 6)]

        early = early_of(open_engine(FakeOpenCost(lives=lives)), resources=None, created_at=None)

        assert (early["scope"], early["measuredHours"]) == ("namespace", 6.0)
        assert (early["monthly"]["total"], early["confidence"]) == (120.0, "partial")

    def test_a_cron_job_in_an_old_application(self, open_engine: OpenEngine) -> None:
        """P3: ten minutes a day for $0.02 are $0.60 a month, not $86.40."""
        start = NEWEST - 10 * HOUR
        job = Life(
            pod="nightly-29400000-abcde",
            controller_kind="job",
            controller="nightly",
            start=start,
            end=start + 10 * MINUTE,
            hourly_cost=0.12,
        )
        cron_job = Resource("batch", "CronJob", "shop", "nightly")

        early = early_of(open_engine(FakeOpenCost(lives=[Life(), job])), resources=(cron_job,))

        assert (early["cost"]["total"], early["monthly"]["total"]) == (0.02, 0.6)
        assert (early["measuredHours"], early["confidence"]) == (24.0, "full")

    def test_a_pod_that_ran_for_part_of_the_day(self, open_engine: OpenEngine) -> None:
        """P4: $1.60 in ten hours of an application a week old are $48 a month."""
        start = END - 14 * HOUR
        lives = [Life(namespace="other"), Life(start=start, end=start + 10 * HOUR, hourly_cost=0.16)]

        early = early_of(open_engine(FakeOpenCost(lives=lives)), created_at=FINISHED - 168 * HOUR)

        assert (early["cost"]["total"], early["monthly"]["total"]) == (1.6, 48.0)

    def test_minutes_of_data_are_not_projected(self, open_engine: OpenEngine) -> None:
        """P6: three minutes, $0.002: the cost is kept, no month is claimed."""
        young = Life(start=END - 3 * MINUTE, hourly_cost=0.04)

        early = early_of(open_engine(FakeOpenCost(lives=[Life(namespace="other"), young])), created_at=END - 3 * MINUTE)

        assert (early["cost"]["total"], early["monthly"]) == (0.002, None)
        assert (early["measuredHours"], early["confidence"]) == (0.05, "too_little_data")

    def test_hours_observed_in_part(self, open_engine: OpenEngine) -> None:
        """P7: OpenCost saw the last 90 minutes only; the rate is that of the 90 minutes."""
        early = early_of(open_engine(FakeOpenCost(observed_from=END - 90 * MINUTE)))

        assert (early["measuredHours"], early["cost"]["total"], early["monthly"]["total"]) == (1.5, 0.06, 28.8)

    def test_record_and_current_of_the_same_hours_agree(self, open_engine: OpenEngine) -> None:
        """P9: one projection for everything: the early figure and the newest 24 hours are the same to the last digit."""
        engine = open_engine(FakeOpenCost(lives=[Life(hourly_cost=1 / 7)]))

        early = early_of(engine)

        answer = engine.actual("shop-web")
        assert answer is not None
        assert {**answer["current"], "source": "hours"} == early


class TestAge:
    """Since when a thing is known decides which hours count."""

    def test_hours_before_the_creation_do_not_count(self, open_engine: OpenEngine) -> None:
        """Created four hours before the window's end, running for two: four measured hours."""
        lives = [Life(namespace="other"), Life(start=END - 2 * HOUR)]

        early = early_of(open_engine(FakeOpenCost(lives=lives)), created_at=END - 4 * HOUR)

        assert (early["measuredHours"], early["cost"]["total"], early["monthly"]["total"]) == (4.0, 0.08, 14.4)

    def test_what_ran_before_the_creation_existed(self, open_engine: OpenEngine) -> None:
        """An adopted workload is older than its Application: its first row counts."""
        early = early_of(
            open_engine(FakeOpenCost(lives=[Life(namespace="other"), Life(start=END - 9 * HOUR)])),
            created_at=END - HOUR,
        )

        assert early["measuredHours"] == 9.0

    def test_an_unknown_age_is_at_most_partial(self, open_engine: OpenEngine) -> None:
        """Rows in all 24 hours, but nobody knows since when the application exists."""
        early = early_of(open_engine(FakeOpenCost()), created_at=None)

        assert (early["measuredHours"], early["confidence"]) == (24.0, "partial")

    def test_an_earlier_record_with_the_same_destination_tells_the_age(self, open_engine: OpenEngine) -> None:
        """A sync two days before: the application existed all through the window, though it ran for an hour of it."""
        engine = open_engine(FakeOpenCost(lives=[Life(namespace="other"), Life(start=END - HOUR)]))
        send(engine, a_sync(finished_at=FINISHED - 48 * HOUR, created_at=None))
        engine.tick()

        early = early_of(engine, created_at=None)

        assert (early["measuredHours"], early["cost"]["total"], early["monthly"]["total"]) == (24.0, 0.04, 1.2)

    def test_a_record_of_another_destination_tells_nothing(self, open_engine: OpenEngine) -> None:
        """The application moved here: its life elsewhere does not count."""
        engine = open_engine(FakeOpenCost(lives=[Life(namespace="other"), Life(start=END - HOUR)]))
        send(engine, a_sync(finished_at=FINISHED - 48 * HOUR, created_at=None, destination=into("other")))
        engine.tick()

        assert early_of(engine, created_at=None)["measuredHours"] == 1.0

    def test_an_earlier_hour_with_cost_tells_the_age_of_a_namespace(self, open_engine: OpenEngine) -> None:
        """A container ran there 30 hours ago: the namespace existed all day, and $0.04 are a day's cost."""
        lives = [
            Life(namespace="other"),
            Life(start=END - 30 * HOUR, end=END - 29 * HOUR),
            Life(pod="web-5c9d8f7b6d-bbbbb", start=END - HOUR),
        ]
        engine = open_engine(FakeOpenCost(lives=lives))
        engine.ensure(END - 30 * HOUR)

        early = early_of(engine, resources=None, created_at=None)

        assert (early["measuredHours"], early["monthly"]["total"]) == (24.0, 1.2)

    def test_after_a_sync_the_application_existed(self, open_engine: OpenEngine) -> None:
        """Nobody knows its creation, but the sync itself proves it for the 24 hours after it."""
        finished = FINISHED - 72 * HOUR
        job = Life(start=finished + 5 * HOUR, end=finished + 6 * HOUR)
        engine = open_engine(FakeOpenCost(lives=[Life(namespace="other"), job]))
        send(engine, a_sync(finished_at=finished, created_at=None))
        engine.tick()

        answer = engine.actual("shop-web")

        assert answer is not None
        settled = answer["record"]["settled"]
        assert (settled["measuredHours"], settled["confidence"]) == (24.0, "full")

    def test_nothing_known_and_nothing_seen_is_unknown(self, open_engine: OpenEngine) -> None:
        """No creation time, no record, no row: no figure, not a figure of zero."""
        assert early_of(open_engine(FakeOpenCost(lives=[Life(namespace="other")])), created_at=None) is None


class TestScope:
    """An application's own pods, or its whole namespace."""

    LIVES = (
        Life(hourly_cost=0.04),
        Life(pod="db-0", controller_kind="statefulset", controller="db", hourly_cost=0.06),
        Life(namespace="data", pod="cache-0", controller_kind="statefulset", controller="cache", hourly_cost=0.01),
    )

    def test_application_scope_is_what_it_lists(self, open_engine: OpenEngine) -> None:
        """One Deployment in its own namespace and a StatefulSet in another: 24 x 0.05."""
        listed = (Resource("apps", "Deployment", "", "web"), Resource("apps", "StatefulSet", "data", "cache"))

        early = early_of(open_engine(FakeOpenCost(lives=self.LIVES)), resources=listed)

        assert (early["scope"], early["cost"]["total"]) == ("application", 1.2)
        assert [pod["pod"] for pod in early["pods"]] == ["cache-0", "web-5c9d8f7b6d-aaaaa"]

    def test_namespace_scope_is_everything_in_it(self, open_engine: OpenEngine) -> None:
        """Nothing listed: 24 x 0.10, and no pod is named."""
        early = early_of(open_engine(FakeOpenCost(lives=self.LIVES)), resources=None)

        assert (early["scope"], early["cost"]["total"]) == ("namespace", 2.4)
        assert (early["pods"], early["podsTotal"]["count"]) == ([], 2)

    def test_an_empty_list_owns_nothing(self, open_engine: OpenEngine) -> None:
        """`resources: []` is application scope without a pod: nothing, and known to be nothing."""
        early = early_of(open_engine(FakeOpenCost(lives=self.LIVES)), resources=())

        assert (early["scope"], early["cost"]["total"], early["podsTotal"]["count"]) == ("application", 0.0, 0)

    def test_omitted_resources_give_the_namespace_meanwhile(self, open_engine: OpenEngine) -> None:
        """The list was too long for the queue: until the live list supplies it the namespace stands in, and it is told."""
        engine = open_engine(FakeOpenCost(lives=self.LIVES))

        early = early_of(engine, resources=None, resources_omitted=True)

        answer = engine.actual("shop-web")
        assert answer is not None
        assert (early["scope"], answer["resourcesOmitted"]) == ("namespace", True)

    def test_unmounted_volumes_belong_to_the_namespace(self, open_engine: OpenEngine) -> None:
        """24 x 0.01 of volumes are in the namespace's cost and in no application's, and do not count as hours."""

        def add(answer: WindowAnswer) -> WindowAnswer:
            return with_row(answer, unmounted("shop", answer.window, 0.01))

        engine = open_engine(FakeOpenCost(lives=[Life(namespace="other"), Life(start=END - HOUR)], changed=add))
        send(engine, a_sync("own"))

        whole = early_of(engine, resources=None, created_at=None)

        answer = engine.actual("own")
        assert answer is not None
        assert (whole["cost"]["storage"], whole["measuredHours"]) == (0.24, 1.0)
        assert answer["record"]["early"]["cost"]["storage"] == 0.0

    def test_the_idle_of_a_namespace_is_that_of_its_applications(self, open_engine: OpenEngine) -> None:
        """I7: two applications own all its pods, and their idle adds up to the namespace's."""
        engine = open_engine(FakeOpenCost(lives=self.LIVES))
        send(engine, a_sync("web"), a_sync("db", resources=(Resource("apps", "StatefulSet", "", "db"),)))

        whole = early_of(engine, resources=None)

        parts = [
            record.early for record in engine.records.latest_of_all(CLUSTER, None) if record.scope == "application"
        ]
        assert whole["idle"]["total"] == pytest.approx(1.8)  # three quarters of 24 x 0.10
        assert sum(part["idle"]["total"] for part in parts if part) == pytest.approx(whole["idle"]["total"])


def test_custom_resources_are_named(open_engine: OpenEngine) -> None:
    """What an operator makes of `Kafka/orders` cannot be told apart, and the answer says so."""
    kafka = Resource("kafka.strimzi.io", "Kafka", "", "orders")
    engine = open_engine(FakeOpenCost())
    send(engine, a_sync(resources=(Resource("apps", "Deployment", "", "web"), kafka)))
    engine.tick()

    answer = engine.actual("shop-web", NOW)

    assert answer is not None
    assert answer["customResources"] == ["kafka.strimzi.io/Kafka"]
