"""Closed days of the whole cluster."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from costintel.cost.container import ContainerCost, container_cost
from costintel.cost.day import DaySource, DayState
from costintel.cost.window import HOUR, Window
from costintel.errors import InvalidInput
from costintel.storage.collections import Collections
from costintel.storage.leases import Lease, LeaseLost, Leases
from tests.storage.examples import CLUSTER, NOON, allocation, container, live_header, stored_hour, volume
from tests.storage.live_examples import THURSDAY, day_header, stored_day
from tests.storage.test_collections import EVER

Connection = psycopg.Connection[Any]
DAY = timedelta(days=1)
SHOP = [container_cost(volume()), container(cpu_core_hours_used=None), container(pod="web-2")]


@pytest.fixture
def lease(leases: Leases) -> Lease:
    found = leases.acquire(CLUSTER, "test", 60)
    assert found is not None
    return found


def rows_of(collections: Collections, number: int = 0) -> dict[str, list[ContainerCost]]:
    return {name: rows for _, name, rows in collections.day_rows(CLUSTER, [THURSDAY + number * DAY], None)}


def test_a_day_comes_back_as_it_was_stored(collections: Collections, lease: Lease) -> None:
    """Header, and every field of every container, volumes included."""
    collections.store_day(lease, stored_day(namespaces=[("shop", SHOP), ("bank", [container("bank")])]))

    assert collections.day_headers(CLUSTER, THURSDAY, THURSDAY) == [day_header()]
    assert rows_of(collections) == {"shop": SHOP, "bank": [container("bank")]}


def test_totals_assets_and_version_are_kept(collections: Collections, lease: Lease, sql: Connection) -> None:
    """Exact sums: three times 0.08 for CPU and a volume at 0.005, half of one measured CPU idle."""
    collections.store_day(lease, stored_day(namespaces=[("bank", [container("bank")]), ("shop", SHOP)]))

    found = sql.execute(
        "SELECT totals #>> '{cpu}', totals #>> '{storage}', assets #>> '{0,type}', opencost_version, observed_start"
        " FROM collections"
    ).fetchall()
    assert found == [("0.24", "0.005", "Node", "1.120.2", None)]
    idle = sql.execute(
        "SELECT namespace, idle_cpu_cost::text, idle_complete FROM collection_namespaces ORDER BY namespace"
    ).fetchall()
    assert idle == [("bank", "0.04", True), ("shop", "0.04", False)]


def test_an_empty_day_is_stored(collections: Collections, lease: Lease) -> None:
    """A gap and what lies before all history are days too."""
    for number, state in enumerate((DayState.BEFORE_HISTORY, DayState.GAP)):
        collections.store_day(lease, stored_day(THURSDAY + number * DAY, state=state, observed=()))

    first, second = collections.day_headers(CLUSTER, THURSDAY, THURSDAY + DAY)
    assert (first.state, second.state) == (DayState.BEFORE_HISTORY, DayState.GAP)
    assert (first.observed_hours, rows_of(collections)) == (0, {})


def test_a_healed_day_replaces_the_folded_one(collections: Collections, lease: Lease, sql: Connection) -> None:
    """Its containers, header and totals; of the former nothing is left."""
    collections.store_day(lease, stored_day(namespaces=[("gone", [container("gone")]), ("shop", SHOP)]))
    healed: dict[str, Any] = {
        "state": DayState.COMPLETE,
        "source": DaySource.DAY,
        "observed": (Window(NOON, NOON + HOUR),),
        "asked_at": NOON,
        "asked_count": 1,
        "healed": True,
    }
    collections.store_day(lease, stored_day(namespaces=[("shop", [container(cpu_cost=9.0)])], **healed))

    assert collections.day_headers(CLUSTER, THURSDAY, THURSDAY) == [day_header(**healed)]
    assert rows_of(collections) == {"shop": [container(cpu_cost=9.0)]}
    assert sql.execute("SELECT totals #>> '{cpu}' FROM collections").fetchall() == [("9.0",)]


def test_nothing_is_stored_without_the_lease(collections: Collections, leases: Leases, lease: Lease) -> None:
    """A holder that was too slow does not overwrite what the next one stores."""
    collections.store_day(lease, stored_day(namespaces=[("shop", SHOP)]))
    leases.release(lease)

    with pytest.raises(LeaseLost):
        collections.store_day(lease, stored_day(namespaces=[("late", [container("late")])], asked_count=7))
    assert collections.day_headers(CLUSTER, THURSDAY, THURSDAY) == [day_header()]
    assert rows_of(collections) == {"shop": SHOP}


def test_a_day_that_fails_leaves_the_former(collections: Collections, lease: Lease) -> None:
    """It is replaced whole or not at all."""
    collections.store_day(lease, stored_day(namespaces=[("shop", SHOP)]))
    bad = [("shop", [container(cpu_cost=9.0)]), ("bad", [container(cpu_cost=float("nan"))])]

    with pytest.raises(InvalidInput, match="namespace bad: expected finite numbers"):
        collections.store_day(lease, stored_day(namespaces=bad, asked_count=1))
    assert collections.day_headers(CLUSTER, THURSDAY, THURSDAY) == [day_header()]
    assert rows_of(collections) == {"shop": SHOP}


def test_a_day_is_folded_and_stored_in_one_go(
    collections: Collections, lease: Lease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hours are streamed from the very connection that the day is copied to, in pieces smaller than a namespace."""
    monkeypatch.setattr("costintel.storage.batches.BATCH_CHARACTERS", 10)
    names = [f"n{number:03}" for number in range(60)]
    collections.store_hour(lease, stored_hour(NOON, *(allocation(name) for name in names)))

    def folded() -> Iterator[tuple[str, list[ContainerCost]]]:
        for _, name, rows in collections.namespace_rows(CLUSTER, EVER, None):
            yield name, [container_cost(row) for row in rows]

    collections.store_day(lease, stored_day(namespaces=folded()))
    assert rows_of(collections) == {name: [container(name)] for name in names}


def test_headers_come_oldest_first_with_both_ends(collections: Collections, lease: Lease) -> None:
    """A day that is not stored is not there; another cluster's is not ours."""
    for number in (3, 0, 2, 4):
        collections.store_day(lease, stored_day(THURSDAY + number * DAY))

    found = collections.day_headers(CLUSTER, THURSDAY, THURSDAY + 3 * DAY)
    assert [one.day - THURSDAY for one in found] == [0 * DAY, 2 * DAY, 3 * DAY]
    assert collections.day_headers("elsewhere", THURSDAY, THURSDAY + 3 * DAY) == []


def test_rows_come_day_by_day(collections: Collections, lease: Lease) -> None:
    """Of the days asked for, oldest first, and of the namespaces asked for; days between them stay away."""
    for number in (2, 0, 1):
        lot = [("bank", [container("bank")]), ("shop", [container(cpu_cost=float(number))])]
        collections.store_day(lease, stored_day(THURSDAY + number * DAY, namespaces=lot))
    days = [THURSDAY + 2 * DAY, THURSDAY, THURSDAY + 9 * DAY]

    assert list(collections.day_rows(CLUSTER, days, ["shop", "absent"])) == [
        (THURSDAY, "shop", [container(cpu_cost=0.0)]),
        (THURSDAY + 2 * DAY, "shop", [container(cpu_cost=2.0)]),
    ]
    assert [(day - THURSDAY).days for day, _, _ in collections.day_rows(CLUSTER, days, None)] == [0, 0, 2, 2]
    assert list(collections.day_rows(CLUSTER, [], None)) == []
    assert list(collections.day_rows(CLUSTER, days, [])) == []
    assert list(collections.day_rows("elsewhere", days, None)) == []


def test_days_hours_and_the_fold_keep_apart(collections: Collections, lease: Lease) -> None:
    """One may begin where another does: reading or pruning one kind does not touch the others."""
    midnight = day_header().window.start
    collections.store_hour(lease, stored_hour(midnight, allocation("hour", start=midnight)))
    collections.store_live(CLUSTER, live_header(midnight + DAY), [("live", [container("live")])])
    collections.store_day(lease, stored_day(namespaces=[("day", [container("day")])]))

    assert [name for _, name, _ in collections.namespace_rows(CLUSTER, EVER, None)] == []
    found = collections.namespace_rows(CLUSTER, Window(midnight, midnight + DAY), None)
    assert [name for _, name, _ in found] == ["hour"]
    assert collections.live_namespaces(CLUSTER, ["live", "day", "hour"]) == [container("live")]
    assert list(rows_of(collections)) == ["day"]
    assert collections.nearest_before(CLUSTER, NOON) is not None
    assert collections.prune_hours(CLUSTER, asked_before=NOON + 99 * DAY, needed_from=None) == 1
    assert collections.prune_days(CLUSTER, THURSDAY + 99 * DAY) == 1
    assert collections.live(CLUSTER) is not None


def test_old_days_are_forgotten(
    collections: Collections, lease: Lease, sql: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their namespaces, in as many statements as it takes; the day itself stays."""
    monkeypatch.setattr("costintel.storage.collections._DAYS_AT_ONCE", 2)
    for number in range(6):
        collections.store_day(lease, stored_day(THURSDAY + number * DAY, namespaces=[("shop", SHOP)]))

    assert collections.prune_days(CLUSTER, THURSDAY + 5 * DAY) == 5
    assert [one.day for one in collections.day_headers(CLUSTER, THURSDAY, THURSDAY + 9 * DAY)] == [THURSDAY + 5 * DAY]
    assert sql.execute("SELECT count(*) FROM collection_namespaces").fetchone() == (1,)
    assert collections.prune_days("elsewhere", THURSDAY + 9 * DAY) == 0


def test_a_day_tells_that_a_namespace_had_cost_before(collections: Collections, lease: Lease) -> None:
    """Long after its hours are gone; a day that is not over by then does not, nor does a volume without a container."""
    lot = [("ran", [container("ran")]), ("stored", [container_cost(volume("stored"))])]
    collections.store_day(lease, stored_day(namespaces=lot))
    end = day_header().window.end

    assert collections.namespaces_with_cost_before(CLUSTER, ["ran", "stored", "never"], end) == {"ran"}
    assert collections.namespaces_with_cost_before(CLUSTER, ["ran"], end - timedelta(seconds=1)) == set()
