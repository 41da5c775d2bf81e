"""The fold of the newest 24 hours."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from costintel.cost.container import container_cost
from costintel.cost.window import HOUR
from costintel.errors import InvalidInput
from costintel.storage.collections import Collections
from costintel.storage.leases import Leases
from tests.storage.conftest import OpenDatabase
from tests.storage.examples import CLUSTER, NOON, allocation, container, live_header, stored_hour, volume
from tests.storage.test_collections import EVER, Connection


def test_there_is_none_at_first(collections: Collections) -> None:
    """Before the first fold nothing is known, which is not nothing spent."""
    assert collections.live(CLUSTER) is None
    assert collections.live_fold(CLUSTER, ["shop"]) is None
    assert collections.live_namespaces(CLUSTER, ["shop"]) == []


def test_a_fold_comes_back_as_it_was_stored(collections: Collections) -> None:
    """Header, and every field of the containers of the namespaces asked for, volumes included."""
    shop = [container_cost(volume()), container(cpu_core_hours_used=None), container(pod="web-2")]
    collections.store_live(CLUSTER, live_header(), [("other", [container("other")]), ("shop", shop)])

    fold = collections.live_fold(CLUSTER, ["shop", "absent"])
    assert fold is not None
    assert fold.header == collections.live(CLUSTER) == live_header()
    assert fold.containers == shop
    assert collections.live_namespaces(CLUSTER, ["shop", "other"]) == [container("other"), *shop]


def test_a_namespace_that_is_not_in_the_fold_has_a_header_all_the_same(collections: Collections) -> None:
    """The fold exists and knows no container there: it cost nothing."""
    collections.store_live(CLUSTER, live_header(), [("shop", [container()])])

    fold = collections.live_fold(CLUSTER, ["absent"])
    assert fold is not None
    assert (fold.header, fold.containers) == (live_header(), [])


def test_totals_are_columns(collections: Collections, sql: Connection) -> None:
    """Two containers at 0.08 for CPU, half of it idle; a volume at 0.005 beside them."""
    rows = [container(), container(pod="web-2"), container_cost(volume())]
    collections.store_live(CLUSTER, live_header(), [("shop", rows)])

    found = sql.execute(
        "SELECT cpu_cost::text, storage_cost::text, idle_cpu_cost::text, idle_complete, running_rows"
        " FROM collection_namespaces"
    ).fetchall()
    assert found == [("0.16", "0.005", "0.08", True, 2)]
    assert sql.execute("SELECT totals #>> '{cpu}' FROM collections").fetchone() == ("0.16",)


@pytest.mark.parametrize("later", [timedelta(0), HOUR])
def test_a_new_fold_replaces_the_former(collections: Collections, sql: Connection, later: timedelta) -> None:
    """Of the same window or the next one: there is one fold per cluster, and of the former nothing is left."""
    collections.store_live(CLUSTER, live_header(), [("gone", [container("gone")]), ("shop", [container()])])
    collections.store_live(CLUSTER, live_header(NOON + later), [("shop", [container(cpu_cost=9.0)])])
    collections.store_live("elsewhere", live_header(), [])

    assert collections.live(CLUSTER) == live_header(NOON + later)
    assert collections.live_namespaces(CLUSTER, ["gone", "shop"]) == [container(cpu_cost=9.0)]
    assert sql.execute("SELECT count(*) FROM collections WHERE cluster = %s", [CLUSTER]).fetchone() == (1,)
    assert sql.execute("SELECT count(*) FROM collection_namespaces").fetchone() == (1,)


def test_an_older_fold_does_not_replace_a_newer(collections: Collections) -> None:
    """A slow function that folded an hour less changes nothing."""
    collections.store_live(CLUSTER, live_header(NOON + HOUR), [("shop", [container()])])
    collections.store_live(CLUSTER, live_header(NOON), [("old", [container("old")])])

    assert collections.live(CLUSTER) == live_header(NOON + HOUR)
    assert collections.live_namespaces(CLUSTER, ["old", "shop"]) == [container()]


def test_a_fold_that_fails_leaves_the_former(collections: Collections) -> None:
    """It is replaced whole or not at all."""
    collections.store_live(CLUSTER, live_header(), [("shop", [container()])])
    with pytest.raises(InvalidInput, match="namespace bad: expected finite numbers"):
        collections.store_live(
            CLUSTER,
            live_header(NOON + HOUR),
            [("shop", [container(cpu_cost=9.0)]), ("bad", [container(cpu_cost=float("nan"))])],
        )

    assert collections.live(CLUSTER) == live_header()
    assert collections.live_namespaces(CLUSTER, ["shop"]) == [container()]


def test_a_fold_is_read_and_written_in_one_go(
    collections: Collections, leases: Leases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hours are streamed from the very connection that the fold is copied to, in pieces smaller than a namespace."""
    monkeypatch.setattr("costintel.storage.batches.BATCH_CHARACTERS", 10)
    lease = leases.acquire(CLUSTER, "test", 60)
    assert lease is not None
    names = [f"n{number:03}" for number in range(100)]
    collections.store_hour(lease, stored_hour(NOON - HOUR, *(allocation(name, start=NOON - HOUR) for name in names)))

    hours = collections.namespace_rows(CLUSTER, EVER, None)
    folded = ((namespace, [container_cost(row) for row in rows]) for _, namespace, rows in hours)
    collections.store_live(CLUSTER, live_header(), folded)

    assert [one.namespace for one in collections.live_namespaces(CLUSTER, names)] == names


def test_folds_at_once_leave_one(open_database: OpenDatabase, sql: Connection) -> None:
    """Four functions fold the same window at the same moment, beside a former fold and without one."""
    many = [Collections(open_database()) for _ in range(4)]
    for end in (NOON, NOON + HOUR):

        def store(one: Collections, end: object = end) -> None:
            one.store_live(CLUSTER, live_header(NOON if end == NOON else NOON + HOUR), [("shop", [container()])])

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(store, many))
        assert sql.execute("SELECT count(*) FROM collections").fetchone() == (1,)
        assert many[0].live_namespaces(CLUSTER, ["shop"]) == [container()]
