"""One conversation with OpenCost at a time."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from costintel.storage.leases import Lease, LeaseLost, Leases, require_lease
from tests.storage.conftest import OpenDatabase

LONG = 60.0
Connection = psycopg.Connection[Any]


def expire(sql: Connection) -> None:
    """Let the time of every lease run out."""
    sql.execute("UPDATE leases SET expires_at = now() - interval '1 second'")


def taken(leases: Leases, holder: str = "one", *, cluster: str = "local") -> Lease:
    lease = leases.acquire(cluster, holder, LONG)
    assert lease is not None
    return lease


def test_the_first_to_ask_gets_it(leases: Leases) -> None:
    """A cluster that nobody talks to is free; the first fence is 1."""
    assert leases.acquire("local", "one", LONG) == Lease(cluster="local", holder="one", fence=1)


def test_nobody_gets_a_lease_that_is_held(leases: Leases) -> None:
    """Neither another holder nor the same one a second time: its other half would not know."""
    taken(leases)

    assert leases.acquire("local", "two", LONG) is None
    assert leases.acquire("local", "one", LONG) is None


def test_clusters_do_not_wait_for_each_other(leases: Leases) -> None:
    """Each cluster has its own OpenCost."""
    taken(leases, cluster="local")

    assert taken(leases, cluster="other").cluster == "other"


def test_of_many_at_once_one_gets_it(open_database: OpenDatabase) -> None:
    """Eight connections ask at the same moment."""
    contenders = [Leases(open_database()) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: contenders[number].acquire("local", f"h{number}", LONG), range(8)))

    assert len([lease for lease in found if lease is not None]) == 1


def test_of_many_at_once_one_gets_an_expired_one(open_database: OpenDatabase, sql: Connection) -> None:
    """The same when the row exists already."""
    taken(Leases(open_database()))
    expire(sql)
    contenders = [Leases(open_database()) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: contenders[number].acquire("local", f"h{number}", LONG), range(8)))

    assert [lease.fence for lease in found if lease is not None] == [2]


def test_a_dead_holder_is_followed_after_its_time(leases: Leases) -> None:
    """Who stops renewing loses it when the time is up, by the database's clock, and not before."""
    assert leases.acquire("local", "one", 0.3) is not None
    assert leases.acquire("local", "two", LONG) is None

    deadline = time.monotonic() + 10
    while (second := leases.acquire("local", "two", LONG)) is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert second == Lease(cluster="local", holder="two", fence=2)


def test_renewing_keeps_it(leases: Leases, sql: Connection) -> None:
    """A renewal counts from now."""
    lease = taken(leases)
    sql.execute("UPDATE leases SET expires_at = now() + interval '1 millisecond'")

    assert leases.renew(lease, LONG)
    left = sql.execute("SELECT extract(epoch FROM expires_at - now()) FROM leases").fetchone()
    assert left is not None
    assert 50 < float(left[0]) <= LONG


def test_a_lease_taken_over_cannot_be_renewed_or_released(leases: Leases, sql: Connection) -> None:
    """The former holder learns it, and cannot touch the new one's."""
    former = taken(leases)
    expire(sql)
    taken(leases, "two")

    assert not leases.renew(former, LONG)
    leases.release(former)
    assert leases.acquire("local", "three", LONG) is None


def test_an_expired_lease_that_nobody_took_can_be_renewed(leases: Leases, sql: Connection) -> None:
    """Its fence is still the newest, so nothing has happened in between."""
    lease = taken(leases)
    expire(sql)

    assert leases.renew(lease, LONG)
    assert leases.acquire("local", "two", LONG) is None


def test_a_released_lease_is_free_at_once(leases: Leases) -> None:
    """The next one gets a higher fence; the former one is over for good."""
    lease = taken(leases)
    leases.release(lease)

    assert not leases.renew(lease, LONG)
    assert taken(leases, "one").fence == 2


def test_a_closed_lease_is_nobodys_until_its_time(leases: Leases, sql: Connection) -> None:
    """After a timeout OpenCost is left alone: not even the holder itself may ask again."""
    lease = taken(leases)
    leases.release(lease, closed_for_seconds=LONG)

    assert leases.acquire("local", "one", LONG) is None
    assert not leases.renew(lease, LONG)
    expire(sql)
    assert taken(leases, "two").fence == 2


def test_the_service_clock_does_not_count(leases: Leases, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function whose clock is a day ahead takes nothing from anybody."""
    taken(leases)
    monkeypatch.setenv("CLOCK_OFFSET_SECONDS", "86400")

    assert leases.acquire("local", "two", LONG) is None


def test_a_lease_required_in_a_transaction_is_kept_to_its_end(open_database: OpenDatabase, sql: Connection) -> None:
    """Between the check and the commit nobody becomes the next holder, even of an expired one."""
    mine, other = open_database(), open_database()
    lease = taken(Leases(mine))
    expire(sql)
    with ThreadPoolExecutor(1) as pool:
        with mine.transaction():
            require_lease(mine, lease)
            waiting = pool.submit(Leases(other).acquire, "local", "two", LONG)
            deadline = time.monotonic() + 10
            while (
                time.monotonic() < deadline and not sql.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone()
            ):
                time.sleep(0.01)
            assert not waiting.done()
        assert waiting.result() == Lease(cluster="local", holder="two", fence=2)


def test_a_lost_lease_is_refused(open_database: OpenDatabase, sql: Connection) -> None:
    """The check names cluster, holder and fence."""
    database = open_database()
    lease = taken(Leases(database))
    expire(sql)
    taken(Leases(database), "two")

    with pytest.raises(LeaseLost, match=r"local was lost by one \(fence 1\)"):
        require_lease(database, lease)
