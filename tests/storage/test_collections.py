"""Hours as they were answered."""

import math
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from costintel.cost.allocation import Allocation
from costintel.cost.collection import StoredHour
from costintel.cost.hour import HourState
from costintel.cost.window import HOUR, Window
from costintel.errors import InvalidInput, SchemaError, StorageUnavailable
from costintel.storage import bodies
from costintel.storage.collections import Collections
from costintel.storage.leases import Lease, LeaseLost, Leases
from tests.storage.conftest import OpenDatabase
from tests.storage.examples import CLUSTER, NOON, allocation, header, stored_hour, volume

Connection = psycopg.Connection[Any]
EVER = Window(NOON - 100 * HOUR, NOON + 100 * HOUR)


@pytest.fixture
def lease(leases: Leases) -> Lease:
    found = leases.acquire(CLUSTER, "test", 60)
    assert found is not None
    return found


def rows_of(collections: Collections, namespaces: list[str] | None = None) -> list[tuple[Any, str, list[Allocation]]]:
    return list(collections.namespace_rows(CLUSTER, EVER, namespaces))


def test_an_hour_comes_back_as_it_was_stored(collections: Collections, lease: Lease) -> None:
    """Header and every field of every row, volumes and load balancers included."""
    rows = [
        allocation(cpu_core_hours_used=None, cpu_cost=0.1 + 0.2, ram_cost=1e-07, ram_byte_hours=1.5e16),
        allocation(pod='odd "name" \\ \t é 🐘'),
        volume(),
    ]
    collections.store_hour(lease, stored_hour(NOON, *rows))

    assert collections.headers(CLUSTER, EVER) == [header()]
    assert rows_of(collections) == [(NOON, "shop", rows)]


def test_a_namespace_has_its_totals_as_columns(collections: Collections, lease: Lease, sql: Connection) -> None:
    """Exactly the sums of its rows; idle is what was requested and not used (half of 0.08 twice), per row."""
    rows = [allocation(), allocation(pod="web-2", gpu_cost=0.5, network_cost=0.25), volume()]
    collections.store_hour(lease, stored_hour(NOON, *rows))

    found = sql.execute(
        "SELECT cpu_cost::text, ram_cost::text, gpu_cost::text, storage_cost::text, network_cost::text,"
        " load_balancer_cost::text, idle_cpu_cost::text, idle_ram_cost::text, idle_complete, running_rows"
        " FROM collection_namespaces"
    ).fetchall()
    assert found == [("0.16", "0.08", "0.5", "0.005", "0.25", "0.025", "0.08", "0.0", True, 2)]


def test_unmeasured_usage_makes_the_idle_incomplete(collections: Collections, lease: Lease, sql: Connection) -> None:
    """Unknown idle adds nothing and is not called zero."""
    collections.store_hour(lease, stored_hour(NOON, allocation(), allocation(pod="web-2", cpu_core_hours_used=None)))

    found = sql.execute("SELECT idle_cpu_cost::text, idle_complete FROM collection_namespaces").fetchall()
    assert found == [("0.04", False)]


def test_the_cluster_s_totals_are_exact_sums(collections: Collections, lease: Lease, sql: Connection) -> None:
    """Decimal sums of the namespaces' columns: 0.1 + 0.2 is 0.3."""
    collections.store_hour(
        lease, stored_hour(NOON, allocation("a", cpu_cost=0.1), allocation("b", cpu_cost=0.2), volume("c"))
    )

    assert sql.execute("SELECT totals::text FROM collections").fetchall() == [
        ('{"cpu": 0.3, "gpu": 0.0, "ram": 0.08, "network": 0.0, "storage": 0.005, "load_balancer": 0.025}',)
    ]


def test_assets_and_version_are_kept(collections: Collections, lease: Lease, sql: Connection) -> None:
    """Later figures of the cluster come from them."""
    collections.store_hour(lease, stored_hour())

    found = sql.execute(
        "SELECT assets #>> '{0,type}', (assets #> '{0,total_cost}')::text, opencost_version FROM collections"
    ).fetchall()
    assert found == [("Node", "0.2", "1.120.2")]


def test_a_second_answer_replaces_the_first(collections: Collections, lease: Lease) -> None:
    """Namespaces that are no longer there are gone, and the header is the new one."""
    collections.store_hour(lease, stored_hour(NOON, allocation("old"), allocation("kept")))
    collections.store_hour(lease, stored_hour(NOON, allocation("kept", cpu_cost=9.0), asked_count=2))

    assert collections.headers(CLUSTER, EVER) == [header(asked_count=2)]
    assert rows_of(collections) == [(NOON, "kept", [allocation("kept", cpu_cost=9.0)])]


def test_an_hour_without_rows_is_stored(collections: Collections, lease: Lease) -> None:
    """A gap is an answer too."""
    gap = StoredHour(
        cluster=CLUSTER,
        header=header(state=HourState.GAP, observed=None, running_rows=0, row_count=0, node_count=0),
        rows_by_namespace={},
        assets=[],
        opencost_version="",
    )
    collections.store_hour(lease, gap)

    assert collections.headers(CLUSTER, EVER) == [gap.header]
    assert rows_of(collections) == []


def test_nothing_is_stored_without_the_lease(
    collections: Collections, leases: Leases, lease: Lease, sql: Connection
) -> None:
    """A holder that was too slow does not overwrite what the next one stores."""
    sql.execute("UPDATE leases SET expires_at = now() - interval '1 second'")
    leases.acquire(CLUSTER, "next", 60)

    with pytest.raises(LeaseLost):
        collections.store_hour(lease, stored_hour())
    assert collections.headers(CLUSTER, EVER) == []


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_refused(collections: Collections, lease: Lease, number: float) -> None:
    """The error names the namespace; nothing of the hour is stored."""
    with pytest.raises(InvalidInput, match="namespace shop: expected finite numbers"):
        collections.store_hour(lease, stored_hour(NOON, allocation("first"), allocation("shop", cpu_cost=number)))

    assert collections.headers(CLUSTER, EVER) == []


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_the_database_itself_keeps_nan_out(
    collections: Collections, lease: Lease, sql: Connection, number: str
) -> None:
    """Whatever writes to it: a cost is a finite number."""
    collections.store_hour(lease, stored_hour())

    with pytest.raises(psycopg.errors.CheckViolation):
        sql.execute("UPDATE collection_namespaces SET cpu_cost = %s::numeric", [number])


def test_nul_in_a_name_is_refused(collections: Collections, lease: Lease) -> None:
    """PostgreSQL cannot keep it; the error says where it was."""
    with pytest.raises(InvalidInput, match="namespace shop: expected text without NUL characters"):
        collections.store_hour(lease, stored_hour(NOON, allocation(pod="web\0")))


def test_a_connection_lost_while_storing_leaves_the_former_answer(
    collections: Collections, lease: Lease, sql: Connection, open_database: OpenDatabase
) -> None:
    """The hour is replaced whole or not at all."""
    collections.store_hour(lease, stored_hour())

    class EndsTheSession(dict[str, list[Allocation]]):
        def items(self) -> Any:
            yield "first", [allocation("first")]
            sql.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            yield "second", [allocation("second")]

    interrupted = StoredHour(
        cluster=CLUSTER,
        header=header(asked_count=2),
        rows_by_namespace=EndsTheSession(),
        assets=[],
        opencost_version="",
    )
    with pytest.raises(StorageUnavailable):
        collections.store_hour(lease, interrupted)

    assert collections.headers(CLUSTER, EVER) == [header()]
    assert [namespace for _, namespace, _ in rows_of(collections)] == ["shop"]


def test_headers_are_those_whole_in_the_window_oldest_first(collections: Collections, lease: Lease) -> None:
    """An hour that the window cuts is not in it."""
    for offset in (1, -1, 0, 2):
        collections.store_hour(lease, stored_hour(NOON + offset * HOUR))

    found = collections.headers(CLUSTER, Window(NOON - timedelta(minutes=30), NOON + 2 * HOUR))
    assert [one.window.start for one in found] == [NOON, NOON + HOUR]


def test_the_nearest_good_hour_before_is_found(collections: Collections, lease: Lease) -> None:
    """Bad ones between are passed over; the hour itself does not count."""
    collections.store_hour(lease, stored_hour(NOON - 5 * HOUR))
    collections.store_hour(lease, stored_hour(NOON - 4 * HOUR))
    collections.store_hour(lease, stored_hour(NOON - HOUR, state=HourState.GAP))
    collections.store_hour(lease, stored_hour(NOON))

    assert collections.nearest_before(CLUSTER, NOON) == header(NOON - 4 * HOUR)
    assert collections.nearest_before(CLUSTER, NOON - 5 * HOUR) is None


def test_states_are_changed_together(collections: Collections, lease: Lease) -> None:
    """Only those of the named hours."""
    for offset in (0, 1, 2):
        collections.store_hour(lease, stored_hour(NOON + offset * HOUR))

    collections.set_states(CLUSTER, {NOON: (HourState.UNPRICED, False), NOON + HOUR: (HourState.GOOD, True)})

    found = [(one.state, one.suspect) for one in collections.headers(CLUSTER, EVER)]
    assert found == [(HourState.UNPRICED, False), (HourState.GOOD, True), (HourState.GOOD, False)]


def test_rows_come_by_namespace_then_by_hour(collections: Collections, lease: Lease) -> None:
    """Names in the order of their bytes, whatever the server's collation."""
    for offset in (1, 0):
        start = NOON + offset * HOUR
        rows = [allocation(name, start=start) for name in ("b", "a-b", "a", "ab")]
        collections.store_hour(lease, stored_hour(start, *rows))

    assert [(start, namespace) for start, namespace, _ in rows_of(collections)] == [
        (NOON + offset * HOUR, namespace) for namespace in ("a", "a-b", "ab", "b") for offset in (0, 1)
    ]


def test_rows_of_named_namespaces_only(collections: Collections, lease: Lease) -> None:
    """No names, no rows."""
    collections.store_hour(lease, stored_hour(NOON, allocation("a"), allocation("b"), allocation("c")))

    assert [namespace for _, namespace, _ in rows_of(collections, ["c", "a", "absent"])] == ["a", "c"]
    assert rows_of(collections, []) == []


def test_rows_of_a_newer_release_are_not_guessed_at(collections: Collections, lease: Lease, sql: Connection) -> None:
    """Fields may have changed their places."""
    collections.store_hour(lease, stored_hour())
    sql.execute("UPDATE collection_namespaces SET body = jsonb_set(body, '{v}', '2')")

    with pytest.raises(SchemaError, match=f"version 2, this release reads {bodies.VERSION}"):
        rows_of(collections)


def test_a_namespace_is_known_from_an_earlier_hour_in_which_it_ran(collections: Collections, lease: Lease) -> None:
    """A container counts, a volume alone does not, nor an hour that had not ended, nor another cluster."""
    collections.store_hour(lease, stored_hour(NOON - HOUR, allocation("ran"), volume("stored")))
    collections.store_hour(lease, stored_hour(NOON, allocation("later")))
    asked = ["ran", "stored", "later", "never"]

    assert collections.namespaces_with_cost_before(CLUSTER, asked, NOON) == {"ran"}
    assert collections.namespaces_with_cost_before(CLUSTER, asked, NOON - timedelta(seconds=1)) == set()
    assert collections.namespaces_with_cost_before("elsewhere", asked, NOON) == set()


def test_hours_are_forgotten_by_when_they_were_asked(collections: Collections, lease: Lease, sql: Connection) -> None:
    """Not by their own age; what work still needs stays, and namespaces go with their hour."""
    collections.store_hour(lease, stored_hour(NOON - 9 * HOUR, asked_at=NOON + HOUR))
    collections.store_hour(lease, stored_hour(NOON - 8 * HOUR, asked_at=NOON - HOUR))
    collections.store_hour(lease, stored_hour(NOON - 2 * HOUR, asked_at=NOON - HOUR))
    collections.store_hour(lease, stored_hour(NOON - 1 * HOUR, asked_at=NOON - HOUR))

    assert collections.prune_hours(CLUSTER, asked_before=NOON, needed_from=NOON - HOUR) == 2
    assert [one.window.start for one in collections.headers(CLUSTER, EVER)] == [NOON - 9 * HOUR, NOON - HOUR]
    assert sql.execute("SELECT count(*) FROM collection_namespaces").fetchone() == (2,)
    assert collections.prune_hours(CLUSTER, asked_before=NOON, needed_from=None) == 1


def test_many_containers_pass_in_pieces(
    collections: Collections, lease: Lease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour larger than one piece of the copy is stored and read whole."""
    monkeypatch.setattr("costintel.storage.batches.BATCH_CHARACTERS", 2_000)
    rows = [allocation(f"n{number % 40:02}", f"pod-{number}") for number in range(400)]
    collections.store_hour(lease, stored_hour(NOON, *rows))

    found = rows_of(collections)
    assert [namespace for _, namespace, _ in found] == [f"n{number:02}" for number in range(40)]
    assert sorted(row for _, _, kept in found for row in kept) == sorted(rows)
