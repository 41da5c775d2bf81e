"""The series of each Application's days."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from typing import Any

import psycopg
import pytest

from costintel.cost.amounts import Amounts
from costintel.cost.application import AppRef
from costintel.cost.daily import DailyCost
from costintel.errors import InvalidInput
from costintel.storage.daily import Daily
from tests.storage.conftest import OpenDatabase
from tests.storage.examples import CLUSTER, NOON, SHOP
from tests.storage.live_examples import THURSDAY, daily_cost, progress

Connection = psycopg.Connection[Any]
BANK = AppRef("argocd", "bank")
OTHER_SHOP = AppRef("team-b", "shop")
DAY = timedelta(days=1)
EVER = (date(2026, 1, 1), date(2027, 12, 31))


def series(daily: Daily, application: AppRef = SHOP, scope: str = "application") -> list[DailyCost]:
    return daily.series(CLUSTER, application, scope, *EVER)


def row_versions(sql: Connection) -> list[tuple[Any, ...]]:
    return sql.execute("SELECT day, xmin::text, ctid::text FROM cost_daily ORDER BY day").fetchall()


def test_a_day_comes_back_as_it_was_stored(daily: Daily) -> None:
    """Every field, and every number to its last bit."""
    one = daily_cost()

    assert daily.store(CLUSTER, [one]) == 1
    assert series(daily) == [one]


def test_amounts_are_exact_decimals(daily: Daily, sql: Connection) -> None:
    """As the number is written: sums in the database add up without a float's error."""
    daily.store(CLUSTER, [daily_cost(cost=Amounts(cpu=0.1)), daily_cost(THURSDAY + DAY, cost=Amounts(cpu=0.2))])

    assert sql.execute("SELECT sum(cpu_cost)::text FROM cost_daily").fetchone() == ("0.3",)


def test_a_series_is_one_application_in_one_scope(daily: Daily) -> None:
    """Another scope, namesake, neighbour or cluster is another series; days come oldest first, both ends included."""
    days = [daily_cost(THURSDAY + number * DAY) for number in (2, 0, 1, 3)]
    others = [daily_cost(scope="namespace"), daily_cost(reference=OTHER_SHOP), daily_cost(reference=BANK)]
    daily.store(CLUSTER, days + others)
    daily.store("elsewhere", [daily_cost(THURSDAY + 9 * DAY)])

    found = daily.series(CLUSTER, SHOP, "application", THURSDAY + DAY, THURSDAY + 3 * DAY)
    assert [one.day - THURSDAY for one in found] == [DAY, 2 * DAY, 3 * DAY]
    assert series(daily, scope="namespace") == others[:1]


def test_storing_again_replaces_what_differs(daily: Daily, sql: Connection) -> None:
    """A day that is as it was is not written again; one with another number, or another word, is."""
    rows = [daily_cost(THURSDAY + number * DAY) for number in range(3)]
    daily.store(CLUSTER, rows)
    before = row_versions(sql)
    changed = [rows[0], daily_cost(THURSDAY + DAY, source="day"), daily_cost(THURSDAY + 2 * DAY, measured_hours=24.0)]

    assert daily.store(CLUSTER, rows) == 0
    assert row_versions(sql) == before
    assert daily.store(CLUSTER, changed) == 2
    assert series(daily) == changed
    assert row_versions(sql)[0] == before[0]


@pytest.mark.parametrize(
    "change",
    [
        {"deployment_namespace": "front"},
        {"cost": Amounts(cpu=0.1 + 0.2, ram=1 / 3, gpu=1e-07, storage=2.0, load_balancer=0.6000000000000001)},
        {"cpu_core_hours_used": 24.2},
        {"complete": False},
    ],
)
def test_every_change_is_seen(daily: Daily, change: dict[str, Any]) -> None:
    """In any column, down to the last bit of an amount."""
    daily.store(CLUSTER, [daily_cost()])

    assert daily.store(CLUSTER, [daily_cost(**change)]) == 1
    assert series(daily) == [daily_cost(**change)]


def test_many_rows_pass_in_pieces(daily: Daily, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come from an iterator, and more than one statement is needed."""
    monkeypatch.setattr("costintel.storage.batches.BATCH_CHARACTERS", 5_000)
    rows = [daily_cost(THURSDAY + number * DAY, cost=Amounts(cpu=number / 7)) for number in range(100)]

    assert daily.store(CLUSTER, iter(rows)) == 100
    assert series(daily) == rows
    assert daily.store(CLUSTER, []) == 0


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_nan_is_never_stored(daily: Daily, number: float) -> None:
    """The error names the Application and the day."""
    with pytest.raises(InvalidInput, match="argocd:shop on 2026-11-26: expected finite numbers"):
        daily.store(CLUSTER, [daily_cost(cost=Amounts(cpu=number))])

    assert series(daily) == []


def test_writers_at_once_do_not_wait_in_a_circle(open_database: OpenDatabase) -> None:
    """Four functions with the same rows in different orders."""
    many = [Daily(open_database()) for _ in range(4)]
    rows = [daily_cost(THURSDAY + number * DAY) for number in range(40)]
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda n: many[n].store(CLUSTER, rows[n * 9 :] + rows[: n * 9]), range(4)))

    assert sum(counts) == 40
    assert series(many[0]) == rows


def test_old_days_are_forgotten(daily: Daily, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every Application of the cluster, in as many statements as it takes; the day itself stays."""
    monkeypatch.setattr("costintel.storage.daily._AT_ONCE", 4)
    for one in (SHOP, BANK):
        daily.store(CLUSTER, [daily_cost(THURSDAY + number * DAY, one) for number in range(6)])
    daily.store("elsewhere", [daily_cost()])

    assert daily.delete_before(CLUSTER, THURSDAY + 5 * DAY) == 10
    assert [one.day for one in series(daily)] == [THURSDAY + 5 * DAY]
    assert len(daily.series("elsewhere", SHOP, "application", *EVER)) == 1
    assert daily.delete_before(CLUSTER, THURSDAY + 5 * DAY) == 0


def test_a_series_is_deleted_with_its_progress(daily: Daily) -> None:
    """In one scope or in both; other Applications keep theirs."""
    for one in (SHOP, BANK):
        for scope in ("application", "namespace"):
            daily.store(CLUSTER, [daily_cost(reference=one, scope=scope)])
            daily.save_progress(CLUSTER, [progress(one, scope=scope)])

    assert daily.delete(CLUSTER, SHOP, "namespace") == 1
    assert daily.all_progress(CLUSTER) == [progress(BANK), progress(BANK, scope="namespace"), progress()]
    assert (len(series(daily)), len(series(daily, scope="namespace"))) == (1, 0)
    assert daily.delete(CLUSTER, BANK) == 2
    assert daily.all_progress(CLUSTER) == [progress()]


def test_there_is_no_progress_at_first(daily: Daily) -> None:
    """A series that was never folded covers no day."""
    daily.save_progress(CLUSTER, [progress(scope="namespace"), progress(OTHER_SHOP)])
    daily.save_progress("elsewhere", [progress()])

    assert daily.progress(CLUSTER, SHOP, "application") is None


def test_progress_comes_back_as_it_was_saved(daily: Daily) -> None:
    """The later one, by Application and scope."""
    daily.save_progress(CLUSTER, [progress(), progress(BANK)])
    later = progress(ownership="other", folded_until=THURSDAY + DAY, updated_at=NOON + DAY)
    daily.save_progress(CLUSTER, [later])

    assert daily.progress(CLUSTER, SHOP, "application") == later
    assert daily.all_progress(CLUSTER) == [progress(BANK), later]
