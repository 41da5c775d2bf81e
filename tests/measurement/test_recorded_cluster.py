"""56 recorded hours of a running OpenCost 1.120.2, replayed over HTTP into the database, and what comes out of them.

Amounts were added up by hand from the rows of the recorded files; they are rounded to 5 decimals per row, hence the tolerances.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from costintel.cost.container import ContainerCost
from costintel.cost.ownership import Resource
from costintel.cost.window import Window
from costintel.opencost.client import OpenCostClient
from local.postgres import EmbeddedPostgres
from tests.collection.engine import CLUSTER, HOUR, Engine, engine
from tests.collection.recorded_server import FIRST_HOUR, LAST_HOUR, RecordedServer
from tests.measurement.syncs import LONG_AGO, a_sync, into, send
from tests.opencost.entries import rows_of
from tests.opencost.recordings import by_key, day_answer

NOW = LAST_HOUR + HOUR + timedelta(minutes=20)
"""20 minutes after the last recorded hour."""
HOURS = [FIRST_HOUR + n * HOUR for n in range(56)]
SATURDAY = Window(datetime(2026, 11, 28, tzinfo=UTC), datetime(2026, 11, 29, tzinfo=UTC))
AFTER_SATURDAY = datetime(2026, 11, 29, 0, 20, tzinfo=UTC)
AFTER_SUNDAY = AFTER_SATURDAY + timedelta(hours=24)
APPLICATIONS = {
    "web": ("shop", (Resource("apps", "Deployment", "", "web"),)),
    "db": ("shop", (Resource("apps", "StatefulSet", "", "db"),)),
    "nightly": ("batch", (Resource("batch", "CronJob", "", "nightly"),)),
    "desk": ("night", (Resource("apps", "Deployment", "", "desk"),)),
    "attic": ("attic", None),
    "shop": ("shop", None),
}


@pytest.fixture(scope="module")
def replayed(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[Engine]:
    """Ask all 56 hours, then measure a sync after each of the two days for every application."""
    url = postgres_server.create_database("recorded_cluster", template=migrated_template)
    with RecordedServer() as server:
        client = OpenCostClient(server.url)
        with engine(url, client) as replaying:
            replaying.ensure(*HOURS, now=NOW)
            for name, (namespace, resources) in APPLICATIONS.items():
                for finished_at in (AFTER_SATURDAY, AFTER_SUNDAY):
                    send(replaying, _sync(name, namespace, resources, finished_at), now=NOW)
            young = Resource("apps", "Deployment", "", "idea")
            send(replaying, _sync("idea", "young", (young,), NOW - HOUR, datetime(2026, 11, 29, 15, 32, tzinfo=UTC)))
            replaying.tick(NOW)
            yield replaying
        client.close()
    postgres_server.drop_database("recorded_cluster")


def _sync(name: str, namespace: str, resources: Any, finished_at: datetime, created_at: datetime = LONG_AGO) -> Any:
    return a_sync(
        name, destination=into(namespace), resources=resources, finished_at=finished_at, created_at=created_at
    )


def early(replayed: Engine, name: str, finished_at: datetime) -> Any:
    record = replayed.records.find(CLUSTER, _sync(name, "", None, finished_at).id)
    assert record is not None
    assert record.early is not None
    return record.early


class TestHours:
    """The states of the recorded hours, and how much of each was observed."""

    def test_all_but_two_are_usable(self, replayed: Engine) -> None:
        """Kube-state-metrics was gone at 02Z on 30 November (gap), OpenCost's own metrics at 04Z (prices unknown)."""
        bad = {hour: state for hour, state in replayed.states().items() if state != "good" and hour in HOURS}

        assert bad == {
            datetime(2026, 11, 30, 2, tzinfo=UTC): "gap",
            datetime(2026, 11, 30, 4, tzinfo=UTC): "unpriced",
        }
        assert set(HOURS) <= set(replayed.states())

    def test_hours_observed_in_part(self, replayed: Engine) -> None:
        """The outages' edges; a job seen once after one does not stretch it. Every other good hour was observed whole."""
        minutes = {
            hour: header.observed.hours * 60
            for hour, header in replayed.headers().items()
            if header.observed is not None and header.state.value == "good" and header.observed.hours < 1
        }

        assert {f"{hour:%dT%H}": round(observed) for hour, observed in minutes.items()} == {
            "29T05": 20,
            "29T06": 20,
            "30T01": 50,
            "30T03": 50,
        }

    def test_opencost_s_version_is_kept(self, replayed: Engine) -> None:
        """Each hour says who answered."""
        kept = replayed.database.execute(
            "SELECT FROM collections WHERE kind = 'hour' AND opencost_version LIKE '1.120.2%%'", []
        )

        assert kept >= 54

    def test_24_hours_are_the_day_per_container(self, replayed: Engine) -> None:
        """Folded from the database, Saturday's hours are its day as one window: cpu, memory and volumes within 2e-4."""
        day = by_key(rows_of(day_answer("1.120.2", SATURDAY.start)))
        folds = replayed.measuring.live.folding.namespaces(SATURDAY, None)
        hours = {container[:3]: container for _, containers in folds for container in containers}

        assert hours.keys() == day.keys()
        compared = [key for key in day if not key[1].startswith("broken")]
        for key in compared:
            assert hours[key].cpu_cost == pytest.approx(day[key].cpu_cost, abs=2e-4), key
            assert hours[key].ram_cost == pytest.approx(day[key].ram_cost, abs=2e-4), key
            assert hours[key].storage_cost == pytest.approx(day[key].storage_cost, abs=2e-4), key
            assert hours[key].load_balancer_cost == pytest.approx(day[key].load_balancer_cost, abs=2e-4), key
            assert hours[key].network_cost == pytest.approx(day[key].network_cost, rel=5e-3), key


class TestSaturday:
    """The day before the first syncs: observed whole."""

    def test_a_deployment_rolled_out_in_between(self, replayed: Engine) -> None:
        """`shop/web`: 24 hours of rows; the load balancer is 0.60 a day after its correction."""
        figure = early(replayed, "web", AFTER_SATURDAY)

        assert figure["measuredHours"] == 24.0
        assert figure["cost"]["cpu"] == pytest.approx(0.75116, abs=2e-4)
        assert figure["cost"]["ram"] == pytest.approx(0.17856, abs=2e-4)
        assert figure["cost"]["network"] == pytest.approx(1.29712, abs=1e-5)
        assert figure["cost"]["loadBalancer"] == pytest.approx(0.60, abs=2e-4)
        assert figure["monthly"]["total"] == pytest.approx(30 * figure["cost"]["total"], abs=5e-5)
        assert figure["podsTotal"]["count"] == 6

    def test_a_stateful_set_with_a_volume(self, replayed: Engine) -> None:
        """`shop/db-0` restarted under the same name: one pod, and its volume all day."""
        figure = early(replayed, "db", AFTER_SATURDAY)

        assert figure["cost"]["storage"] == pytest.approx(0.1644, abs=1e-4)
        assert figure["cost"]["cpu"] == pytest.approx(0.38136, abs=2e-4)
        assert [pod["pod"] for pod in figure["pods"]] == ["db-0"]

    def test_a_nightly_job_is_not_multiplied(self, replayed: Engine) -> None:
        """Ten minutes for $0.00807 a day are $0.2421 a month, it used more than it asked for, nothing of it is idle (I8)."""
        figure = early(replayed, "nightly", AFTER_SATURDAY)

        assert figure["cost"]["total"] == pytest.approx(0.00807, abs=1e-5)
        assert figure["monthly"]["total"] == pytest.approx(0.2421, abs=3e-4)
        assert figure["efficiency"]["cpu"] == pytest.approx(1.029, abs=2e-3)
        assert figure["idle"]["cpu"] == 0.0

    def test_twelve_hours_a_day(self, replayed: Engine) -> None:
        """`night/desk` runs from 7 to 19: its efficiency is that of its twelve hours (I10), its month that of its days."""
        figure = early(replayed, "desk", AFTER_SATURDAY)

        assert figure["efficiency"]["cpu"] == pytest.approx(0.22938, rel=0.01)
        assert figure["monthly"]["cpu"] == pytest.approx(30 * 0.15168, abs=6e-3)
        assert figure["measuredHours"] == 24.0

    def test_a_claimed_volume_nobody_mounts(self, replayed: Engine) -> None:
        """`attic` has nothing else: storage, no pod, and the namespace's hours."""
        figure = early(replayed, "attic", AFTER_SATURDAY)

        assert figure["cost"]["storage"] == pytest.approx(0.6576, abs=1e-4)
        assert (figure["podsTotal"]["count"], figure["measuredHours"]) == (0, 24.0)

    def test_a_whole_namespace(self, replayed: Engine) -> None:
        """`shop` is web, db and whatever else runs there."""
        figure = early(replayed, "shop", AFTER_SATURDAY)

        assert figure["cost"]["cpu"] == pytest.approx(1.13252, abs=3e-4)
        assert figure["cost"]["ram"] == pytest.approx(0.42048, abs=3e-4)
        assert (figure["scope"], figure["pods"]) == ("namespace", [])


class TestOutages:
    """Windows with hours that were observed in part, or not at all."""

    def test_sunday_is_measured_for_22_hours_and_40_minutes(self, replayed: Engine) -> None:
        """Everything was lost from 05:20 to 06:40: 20 minutes of each of two hours remain."""
        figure = early(replayed, "web", AFTER_SUNDAY)

        assert (figure["measuredHours"], figure["confidence"]) == (22.666667, "partial")

    def test_the_outage_does_not_lower_the_month(self, replayed: Engine) -> None:
        """`shop/db` runs all the time: Sunday's month is Saturday's within 2 %, though 5 % of the day are missing."""
        saturday, sunday = (early(replayed, "db", moment) for moment in (AFTER_SATURDAY, AFTER_SUNDAY))

        assert sunday["cost"]["ram"] < 0.97 * saturday["cost"]["ram"]
        assert sunday["monthly"]["ram"] == pytest.approx(saturday["monthly"]["ram"], rel=0.02)

    def test_the_newest_24_hours(self, replayed: Engine) -> None:
        """From Sunday 8:00 to Monday 8:00 two hours are no figures, and 20 minutes of two others are missing."""
        answer = replayed.actual("web", NOW)

        assert answer is not None
        current = answer["current"]
        assert current["window"] == {"start": "2026-11-29T08:00:00Z", "end": "2026-11-30T08:00:00Z"}
        assert current["measuredHours"] == 21.666667
        assert current["cost"]["cpu"] == pytest.approx(0.67427, abs=2e-4)
        assert current["cost"]["network"] == pytest.approx(1.1736, abs=1e-5)

    def test_an_hour_without_usage_makes_idle_incomplete(self, replayed: Engine) -> None:
        """CAdvisor was silent at 06Z: idle is "at least", not 100 % of that hour."""
        answer = replayed.actual("web", NOW)

        assert answer is not None
        assert answer["current"]["idle"]["complete"] is False
        assert early(replayed, "web", AFTER_SATURDAY)["idle"]["complete"] is True

    def test_a_young_application_counts_from_its_creation(self, replayed: Engine) -> None:
        """`young/idea` was born on Sunday at 15:32: 14 h 8 min measured, $0.10381, $5.2885 a month."""
        answer = replayed.actual("idea", NOW)

        assert answer is not None
        current = answer["current"]
        assert current["measuredHours"] == pytest.approx(14 + 8 / 60, abs=1e-6)
        assert current["cost"]["total"] == pytest.approx(0.10381, abs=1e-4)
        assert current["monthly"]["total"] == pytest.approx(5.2885, abs=6e-3)


def test_hours_that_lost_their_first_minutes_are_repaired(
    replayed: Engine, postgres_server: EmbeddedPostgres, migrated_template: str
) -> None:
    """OpenCost 1.113 over Prometheus 3 (T14): from 09Z on the fold equals 1.120.2's within 0.1 %, and is observed whole."""
    hours = [FIRST_HOUR + n * HOUR for n in range(8, 16)]
    window = Window(hours[1], hours[-1] + HOUR)
    url = postgres_server.create_database("late_starts", template=migrated_template)
    with RecordedServer("1.113-prometheus3") as server:
        client = OpenCostClient(server.url)
        with engine(url, client) as late:
            late.ensure(*hours, now=NOW)
            repaired = _by_key(late, window)
            observed = late.measuring.live.folding.observed(window)
        client.close()
    postgres_server.drop_database("late_starts")
    whole = _by_key(replayed, window)

    assert sum(span.hours for span in observed) == 7.0
    lasting = [key for key, container in whole.items() if container.running_hours == 7.0]
    assert len(lasting) >= 5
    for key in lasting:
        assert repaired[key].cpu_cost == pytest.approx(whole[key].cpu_cost, rel=1e-3, abs=1e-5), key
        assert repaired[key].ram_cost == pytest.approx(whole[key].ram_cost, rel=1e-3, abs=1e-5), key
        assert repaired[key].storage_cost == pytest.approx(whole[key].storage_cost, rel=1e-3, abs=1e-5), key


def _by_key(replayed: Engine, window: Window) -> dict[tuple[str, str, str], ContainerCost]:
    folds = replayed.measuring.live.folding.namespaces(window, None)
    return {container[:3]: container for _, containers in folds for container in containers}
