"""Concurrent callers cause one call."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from psycopg.rows import scalar_row

from costintel.opencost.client import OpenCostClient
from tests.collection.conftest import OpenEngine
from tests.collection.engine import HOUR, NEWEST, NOW, engine
from tests.collection.fake_opencost import FakeOpenCost
from tests.collection.recorded_server import LAST_HOUR, RecordedServer

ROOT = Path(__file__).parents[2]
AT_THE_END = LAST_HOUR + HOUR * 1.5


@pytest.fixture
def recorded() -> Iterator[RecordedServer]:
    with RecordedServer() as server:
        yield server


def program(database_url: str, opencost_url: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/common")])
    return subprocess.Popen(
        [sys.executable, "-m", "tests.collection.asking_program", database_url, opencost_url, AT_THE_END.isoformat()],
        env={**os.environ, "PYTHONPATH": paths},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_start_together_ask_each_hour_once(engine_url: str, recorded: RecordedServer) -> None:
    """Three environments, 24 owed hours: 24 calls, and every hour is stored."""
    running = [program(engine_url, recorded.url) for _ in range(3)]
    printed = [process.communicate(timeout=60)[0] for process in running]

    assert [process.returncode for process in running] == [0, 0, 0]
    assert dict(recorded.calls) == {LAST_HOUR - n * HOUR: 1 for n in range(24)}
    assert sum(int(text.split()[0]) for text in printed) == 24


def test_threads_of_many_environments_ask_each_hour_once(open_engine: OpenEngine) -> None:
    """Six environments in one moment, each with connections of its own."""
    opencost = FakeOpenCost()
    engines = [open_engine(opencost) for _ in range(6)]
    together = threading.Barrier(6)

    def ask(number: int) -> None:
        together.wait(10)
        engines[number].ask_due()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(opencost.hours) == [NEWEST - n * HOUR for n in range(23, -1, -1)]


def test_the_lease_is_renewed_during_a_long_call(open_engine: OpenEngine) -> None:
    """While OpenCost takes its time, the lease's end moves on, so that a call may outlast it."""
    opencost = FakeOpenCost()
    asking, other = open_engine(opencost, lease_seconds=2), open_engine(opencost)
    ends: list[datetime] = []

    def end_of_the_lease() -> datetime:
        (end,) = other.database.fetch_all(scalar_row, "SELECT expires_at FROM leases")
        assert isinstance(end, datetime)
        return end

    def wait_for_a_renewal(_: object) -> None:
        ends.append(end_of_the_lease())
        patience = time.monotonic() + 10
        while time.monotonic() < patience and end_of_the_lease() == ends[0]:
            time.sleep(0.05)
        ends.append(end_of_the_lease())

    opencost.before = wait_for_a_renewal
    asking.ensure(NEWEST)

    assert ends[1] > ends[0]


def test_a_killed_holder_is_followed_when_its_lease_ends(engine_url: str, recorded: RecordedServer) -> None:
    """SIGKILL in the middle of a call: nobody gets the lease before its end, everybody after it, and the rest is asked."""
    reached = threading.Event()
    ended = threading.Event()

    def hold_the_third(hour: object) -> None:
        if hour == LAST_HOUR - 2 * HOUR and not reached.is_set():
            reached.set()
            ended.wait(20)

    recorded.barrier = hold_the_third
    process = program(engine_url, recorded.url)
    assert reached.wait(30)
    process.kill()
    process.communicate(timeout=10)
    ended.set()

    client = OpenCostClient(recorded.url, read_timeout_seconds=30)
    with engine(engine_url, client, read_timeout_seconds=30) as following:
        later = AT_THE_END + HOUR / 30
        assert following.ask_due(later).asked == ()
        following.database.execute("UPDATE leases SET expires_at = now()")
        following.ask_due(later)
        stored = following.headers()
    client.close()

    assert set(stored) == {LAST_HOUR - n * HOUR for n in range(24)}
    assert recorded.calls[LAST_HOUR - 2 * HOUR] == 2
    assert sum(recorded.calls.values()) == 25


def test_now_is_the_services_time(open_engine: OpenEngine) -> None:
    """Hours are due by the time given, not by the clock of the machine or the database."""
    opencost = FakeOpenCost()
    long_ago = NOW.replace(year=2020)

    open_engine(opencost).ask_due(long_ago)

    assert max(opencost.hours) == NEWEST.replace(year=2020)
