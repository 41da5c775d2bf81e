"""60 Applications in 20 namespaces over 12 days: every day of each, against a straightforward calculation."""

import random
from datetime import date, datetime, timedelta
from math import fsum

import pytest

from costintel.cost.ownership import Resource
from tests.collection.engine import HOUR, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.history_engine import DAY, HistoryEngine, midnight
from tests.measurement.syncs import into

LAST = NOW.date() - DAY
DAYS = [LAST - number * DAY for number in range(12)]
BEGIN = midnight(DAYS[-1])
NAMES = [f"app-{number:02}" for number in range(60)]
KINDS = (("Deployment", "deployment"), ("StatefulSet", "statefulset"), ("CronJob", "job"))


def namespace_of(name: str) -> str:
    return f"team-{int(name[-2:]) % 20:02}"


def lives_of(name: str, chance: random.Random) -> list[Life]:
    """Make two workloads of an Application: one all the time in three pods, one that comes and goes."""
    namespace = namespace_of(name)
    kind = KINDS[int(name[-2:]) % 3][1]
    lives = [
        Life(
            namespace=namespace,
            pod=f"{name}-{number}",
            controller_kind=kind,
            controller=name,
            start=BEGIN,
            hourly_cost=chance.uniform(0.001, 0.2),
        )
        for number in range(3)
    ]
    for number in range(12):
        start = BEGIN + timedelta(minutes=5 * chance.randrange(12 * 24 * 12))
        end = start + timedelta(minutes=5 * chance.randrange(1, 600))
        pod, controller = f"{name}-extra-{number}", f"{name}-extra"
        lives.append(Life(namespace=namespace, pod=pod, controller=controller, start=start, end=end, hourly_cost=0.1))
    return lives


def expected(lives: list[Life], day: date) -> float:
    """Add up what `lives` cost on `day`, one after the other."""
    first, last = midnight(day), midnight(day) + DAY
    overlaps = [(min(life.end, last) - max(life.start, first)) / HOUR * life.hourly_cost for life in lives]
    return fsum(cost for cost in overlaps if cost > 0)


@pytest.fixture
def made() -> dict[str, list[Life]]:
    chance = random.Random(12)
    return {name: lives_of(name, chance) for name in NAMES}


def started(open_history: OpenHistory, opencost: FakeOpenCost, *, extra_from: datetime) -> HistoryEngine:
    """Record every Application; each lists its second workload from `extra_from` on."""
    history = open_history(opencost)
    for number, name in enumerate(NAMES):
        kind = KINDS[number % 3][0]
        main, extra = Resource("", kind, "", name), Resource("apps", "Deployment", "", f"{name}-extra")
        history.record(name, finished_at=BEGIN - DAY, destination=into(namespace_of(name)), resources=(main,))
        history.record(name, finished_at=extra_from, destination=into(namespace_of(name)), resources=(main, extra))
    for minutes in (0, 11):
        history.engine.ask_due(NOW + timedelta(minutes=minutes))
    return history


def test_every_day_of_every_application(open_history: OpenHistory, made: dict[str, list[Life]]) -> None:
    """One call a day and the empty tail once; the second workload counts from the day on which it was listed."""
    opencost = FakeOpenCost(lives=[life for lives in made.values() for life in lives])
    extra_from = midnight(DAYS[5]) + 10 * HOUR
    history = started(open_history, opencost, extra_from=extra_from)
    opencost.calls.clear()

    history.run(NOW)
    history.run(NOW + HOUR / 4)

    assert len(opencost.calls) == 12 + 30
    for name, lives in made.items():
        series = history.series(name)
        assert sorted(series) == sorted(DAYS)
        for day, row in series.items():
            listed = lives if midnight(day) + DAY > extra_from else lives[:3]
            assert row.cost.total == pytest.approx(expected(listed, day), abs=1e-6), (name, day)
            assert row.idle.total == pytest.approx(0.75 * row.cost.total, abs=1e-6)
            assert (row.measured_hours, row.complete, row.deployment_namespace) == (24, True, namespace_of(name))


def test_folding_everything_again_changes_nothing(open_history: OpenHistory, made: dict[str, list[Life]]) -> None:
    """Not one row is written: the same numbers to the last bit come out of the stored days."""
    opencost = FakeOpenCost(lives=[life for lives in made.values() for life in lives])
    history = started(open_history, opencost, extra_from=BEGIN)
    history.run(NOW)
    before = history.versions()
    opencost.calls.clear()

    assert history.refolding().begin(None) == 60
    outcome = history.fold()

    assert (outcome.days, outcome.rows, outcome.waiting, opencost.calls) == (12, 0, 0, [])
    assert len(before) == 60 * 12
    assert history.versions() == before
