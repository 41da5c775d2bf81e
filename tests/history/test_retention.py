"""What is forgotten when it is old."""

from datetime import timedelta
from typing import Any

from psycopg.rows import scalar_row

from costintel.cost.application import AppRef
from costintel.storage.daily import Daily
from tests.collection.engine import CLUSTER, HOUR, NOW
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.history.conftest import OpenHistory
from tests.history.history_engine import DAY, HistoryEngine
from tests.measurement.syncs import into

LAST = NOW.date() - DAY
LONG_AGO = NOW - 401 * DAY


def started(open_history: OpenHistory, **settings: Any) -> HistoryEngine:
    history = open_history(FakeOpenCost(lives=[Life(hourly_cost=0.5)]), **{"history_days": 4, **settings})
    history.record("shop", finished_at=NOW - 9 * DAY)
    history.hour(NOW)
    return history


def records(history: HistoryEngine, name: str) -> list[str]:
    return history.engine.database.fetch_all(
        scalar_row,
        "SELECT revision FROM cost_actuals WHERE application_name = %s ORDER BY sync_finished_at",
        [name],
    )


def test_days_and_series_are_kept_for_as_many_days(open_history: OpenHistory) -> None:
    """A shorter history forgets the days before it, with their containers and rows."""
    history = started(open_history)
    history.history_days = 2

    report = history.run()

    assert report.summary["pruned"] == {"days": 2, "rows": 2, "records": 0, "applications": 0}
    assert sorted(history.headers()) == sorted(history.costs("shop")) == [LAST - DAY, LAST]


def test_of_old_records_the_first_and_the_last_stay(open_history: OpenHistory) -> None:
    """The first says since when it is known, the last what it listed when the records begin."""
    history = started(open_history)
    for number in range(4):
        history.record("shop", finished_at=LONG_AGO - number * DAY, revision=f"old-{number}")
    history.record("shop", finished_at=LONG_AGO + 2 * DAY, revision="young")

    report = history.run()

    assert report.summary["pruned"]["records"] == 2
    assert records(history, "shop") == ["old-3", "old-0", "young", "9f1c2d3"]


def test_a_record_before_a_year_is_kept_however_few_days_are(open_history: OpenHistory) -> None:
    """Trends are made of records, not of days."""
    history = started(open_history, history_days=1)
    for number in range(3):
        history.record("shop", finished_at=NOW - (399 - number) * DAY, revision=str(number))

    report = history.run()

    assert report.summary["pruned"]["records"] == 0


def test_an_application_long_gone_is_forgotten(open_history: OpenHistory) -> None:
    """No sync, no cost and in no list for 400 days: nothing of it is left. One that still costs something stays."""
    history = started(open_history)
    history.record("gone", finished_at=LONG_AGO, destination=into("nowhere"))
    history.record("silent", finished_at=LONG_AGO, destination=into("shop"), resources=None)
    history.record("listed", finished_at=LONG_AGO, destination=into("nowhere"))
    history.list_applications("listed", "shop", destination=into("nowhere"))

    report = history.run()

    assert report.summary["pruned"]["applications"] == 1
    assert [len(records(history, name)) for name in ("gone", "silent", "listed")] == [0, 1, 1]


def test_no_application_is_forgotten_while_the_list_fails(open_history: OpenHistory) -> None:
    """It may be there all the same."""
    history = started(open_history)
    history.record("gone", finished_at=LONG_AGO, destination=into("nowhere"))
    history.list_applications(complete=False)

    report = history.run()

    assert (report.summary["pruned"]["applications"], len(records(history, "gone"))) == (0, 1)


def test_progress_goes_with_its_application(open_history: OpenHistory) -> None:
    """Records of an Application of another cluster were removed: what its series covered is forgotten."""
    history = started(open_history)
    history.engine.database.execute("DELETE FROM cost_actuals")

    history.run()

    assert Daily(history.engine.database).progress(CLUSTER, AppRef("argocd", "shop"), "application") is None


def test_nothing_grows_from_hour_to_hour(open_history: OpenHistory) -> None:
    """After three days of hourly runs the tables hold what is due to them and `work` holds nothing."""
    history = started(open_history)
    for number in range(1, 10):
        history.hour(NOW + number * 8 * HOUR)

    counts = {
        table: history.engine.database.execute(f"SELECT FROM {table}")
        for table in ("work", "cost_daily", "cost_daily_progress", "cost_actuals", "leases")
    }

    assert counts == {"work": 0, "cost_daily": 4, "cost_daily_progress": 1, "cost_actuals": 1, "leases": 2}
    assert len(history.headers()) == 4


def test_a_day_is_kept_until_the_history_ends(open_history: OpenHistory) -> None:
    """Today minus four days is the last one."""
    history = started(open_history)

    history.hour(NOW + timedelta(hours=24))

    assert sorted(history.headers()) == [LAST - 2 * DAY, LAST - DAY, LAST, LAST + DAY]
