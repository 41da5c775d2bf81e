"""The migrations' runner."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from costintel.errors import ConfigurationError, SchemaError, StorageError, StorageUnavailable
from costintel.storage import migrations
from costintel.storage.migrations import apply, read_migrations, revert

ROOT = Path(__file__).parents[2]
NEWEST = len(read_migrations())
TABLES = {
    *("schema_migrations", "leases", "work", "collections", "collection_namespaces", "cost_actuals"),
    *("live_lists", "applications", "namespaces", "recommendations", "autoscalers", "opencost_status", "run_summaries"),
    *("cost_daily", "cost_daily_progress"),
}


def tables(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    return {row[0] for row in rows}


def fetch(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()


def step(folder: Path, number: int, *, up: str, down: str = "SELECT 1") -> None:
    (folder / f"{number:04}_step.up.sql").write_text(up, encoding="utf-8")
    (folder / f"{number:04}_step.down.sql").write_text(down, encoding="utf-8")


def test_an_empty_database_gets_the_whole_schema(empty_database_url: str) -> None:
    """The first run creates every table and answers the newest version."""
    assert apply(empty_database_url) == NEWEST
    assert tables(empty_database_url) == TABLES


def test_a_second_run_changes_nothing(empty_database_url: str) -> None:
    """Applied migrations are not applied again."""
    apply(empty_database_url)
    before = fetch(empty_database_url, "SELECT version, applied_at FROM schema_migrations")

    assert apply(empty_database_url) == NEWEST
    assert fetch(empty_database_url, "SELECT version, applied_at FROM schema_migrations") == before


def test_the_tables_belong_to_the_owner(empty_database_url: str) -> None:
    """A superuser's run leaves nothing that the owner could not change in the next release."""
    apply(empty_database_url)

    owners = fetch(empty_database_url, "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'")
    assert owners == [("costintel_owner",)]


def test_revert_takes_the_schema_back_and_apply_makes_it_again(empty_database_url: str) -> None:
    """Down to 0 only the history's own table is left, without rows; up again works."""
    apply(empty_database_url)

    assert revert(empty_database_url, 0) == 0
    assert tables(empty_database_url) == {"schema_migrations"}
    assert fetch(empty_database_url, "SELECT count(*) FROM schema_migrations") == [(0,)]
    assert apply(empty_database_url) == NEWEST


def test_reverting_days_leaves_hours(empty_database_url: str) -> None:
    """What only a later schema understands goes; what an earlier one wrote stays."""
    apply(empty_database_url)
    with psycopg.connect(empty_database_url) as connection:
        for kind in ("hour", "day"):
            connection.execute(
                "INSERT INTO collections (cluster, kind, window_start, window_end, state, running_rows, row_count,"
                " node_count, asked_at) VALUES ('local', %s, '2026-11-30', '2026-12-01', 'good', 0, 0, 0, '2026-12-01')",
                [kind],
            )

    assert revert(empty_database_url, 2) == 2
    assert fetch(empty_database_url, "SELECT kind FROM collections") == [("hour",)]
    assert revert(empty_database_url, 1) == 1
    assert tables(empty_database_url) == {
        *("schema_migrations", "leases", "work", "collections", "collection_namespaces", "cost_actuals")
    }
    assert apply(empty_database_url) == NEWEST


def test_revert_stops_at_the_version_asked_for(empty_database_url: str, tmp_path: Path) -> None:
    """The newest migrations go first, and only those above the version."""
    for number in (1, 2, 3):
        step(tmp_path, number, up=f"CREATE TABLE t{number} ()", down=f"DROP TABLE t{number}")
    apply(empty_database_url, folder=tmp_path)

    assert revert(empty_database_url, 1, folder=tmp_path) == 1
    assert tables(empty_database_url) == {"schema_migrations", "t1"}


def test_a_changed_applied_file_is_refused(empty_database_url: str, tmp_path: Path) -> None:
    """What a database got and what the release says it got must be the same."""
    step(tmp_path, 1, up="CREATE TABLE first ()")
    apply(empty_database_url, folder=tmp_path)
    step(tmp_path, 1, up="CREATE TABLE first (more int)")

    with pytest.raises(SchemaError, match="0001_step was changed after it had been applied"):
        apply(empty_database_url, folder=tmp_path)


def test_line_endings_are_no_change(empty_database_url: str, tmp_path: Path) -> None:
    """A checkout with other line endings has the same migrations."""
    step(tmp_path, 1, up="CREATE TABLE first\n()")
    apply(empty_database_url, folder=tmp_path)
    (tmp_path / "0001_step.up.sql").write_bytes(b"CREATE TABLE first\r\n()")

    assert apply(empty_database_url, folder=tmp_path) == 1


def test_a_newer_schema_is_refused(empty_database_url: str, tmp_path: Path) -> None:
    """An older release neither applies nor reverts anything of a database that a newer one has changed."""
    for number in (1, 2):
        step(tmp_path, number, up=f"CREATE TABLE t{number} ()")
    apply(empty_database_url, folder=tmp_path)
    for path in tmp_path.glob("0002_*"):
        path.unlink()

    with pytest.raises(SchemaError, match="has schema 2, this release knows 1"):
        apply(empty_database_url, folder=tmp_path)
    with pytest.raises(SchemaError, match="has schema 2, this release knows 1"):
        revert(empty_database_url, 0, folder=tmp_path)
    assert tables(empty_database_url) == {"schema_migrations", "t1", "t2"}


def test_a_failing_file_leaves_nothing_of_itself(empty_database_url: str, tmp_path: Path) -> None:
    """Files before it stay applied; of the one that fails not even its first statement stays."""
    step(tmp_path, 1, up="CREATE TABLE whole ()")
    step(tmp_path, 2, up="CREATE TABLE half (); CREATE TABLE whole ()")

    with pytest.raises(StorageError, match='relation "whole" already exists'):
        apply(empty_database_url, folder=tmp_path)
    assert tables(empty_database_url) == {"schema_migrations", "whole"}
    assert fetch(empty_database_url, "SELECT version FROM schema_migrations") == [(1,)]


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (["0001_a.up.sql"], "0001_a: expected number 0001, with .up.sql and .down.sql"),
        (["0002_a.up.sql", "0002_a.down.sql"], "0002_a: expected number 0001"),
        (["0001_a.up.sql", "0001_a.down.sql", "0001_b.up.sql", "0001_b.down.sql"], "0001_b: expected number 0002"),
        (["1_a.up.sql"], "1_a.up.sql: expected NNNN_name"),
    ],
)
def test_a_folder_with_holes_is_refused(tmp_path: Path, names: list[str], complaint: str) -> None:
    """Numbers run from 1 without holes or repetitions, and each file has its counterpart."""
    for name in names:
        (tmp_path / name).touch()

    with pytest.raises(SchemaError, match=complaint):
        read_migrations(tmp_path)


def _apply_together(url: str, folder: Path, ready: Any) -> None:
    ready.wait()
    apply(url, folder=folder)


def test_five_starters_at_once_apply_each_file_once(empty_database_url: str, tmp_path: Path) -> None:
    """A file that cannot be applied twice is applied once, and all five succeed."""
    for number in range(1, 6):
        step(tmp_path, number, up=f"CREATE TABLE once_{number} (); SELECT pg_sleep(0.02)")
    fork = multiprocessing.get_context("fork")
    ready = fork.Barrier(5)
    starters = [fork.Process(target=_apply_together, args=(empty_database_url, tmp_path, ready)) for _ in range(5)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()

    assert [starter.exitcode for starter in starters] == [0] * 5
    assert fetch(empty_database_url, "SELECT version FROM schema_migrations ORDER BY 1") == [(n,) for n in range(1, 6)]


def _wait_for(url: str, query: str) -> tuple[Any, ...]:
    deadline = time.monotonic() + 10
    with psycopg.connect(url, autocommit=True) as connection:
        while time.monotonic() < deadline:
            row = connection.execute(query.encode()).fetchone()
            if row:
                return row
            time.sleep(0.02)
    raise AssertionError(f"nothing came of {query}")


def test_a_killed_migrator_leaves_neither_lock_nor_half_a_file(empty_database_url: str, tmp_path: Path) -> None:
    """SIGKILL in the middle of a file: the next run finds the file not begun, and nobody in the way."""
    step(tmp_path, 1, up="CREATE TABLE whole ()")
    step(tmp_path, 2, up="CREATE TABLE half (); SELECT pg_sleep(600)")
    program = (
        "import sys; from pathlib import Path; from costintel.storage.migrations import apply\n"
        "apply(sys.argv[1], folder=Path(sys.argv[2]))"
    )
    migrator = subprocess.Popen(
        [sys.executable, "-c", program, empty_database_url, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "layers/common")},
    )
    (backend,) = _wait_for(
        empty_database_url,
        "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
    )
    migrator.send_signal(signal.SIGKILL)
    migrator.wait()
    # The server notices the closed connection when it next talks to it; a sleeping statement it is spared here.
    fetch(empty_database_url, f"SELECT pg_terminate_backend({backend}, 5000)")

    step(tmp_path, 2, up="CREATE TABLE half ()")
    assert apply(empty_database_url, folder=tmp_path) == 2
    assert tables(empty_database_url) == {"schema_migrations", "whole", "half"}


def test_waiting_for_another_migrator_ends(empty_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not get the lock in time gives up with an error that says so, however short its statements' time is."""
    monkeypatch.setattr(migrations, "_LOCK_WAIT", "500ms")
    with psycopg.connect(empty_database_url) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [migrations._LOCK])
        with pytest.raises(StorageUnavailable, match="another migration has been running for 500ms"):
            apply(f"{empty_database_url}?options=-c%20statement_timeout%3D200ms")


def test_a_server_that_is_away_is_unavailable() -> None:
    """No server at that port is a reason to try again later."""
    with pytest.raises(StorageUnavailable):
        apply("postgresql://nobody@127.0.0.1:1/nothing")


def test_a_malformed_url_is_a_configuration_error_without_the_password() -> None:
    """The message names the setting and does not repeat what stood in it."""
    with pytest.raises(ConfigurationError, match="DATABASE_URL: expected a postgresql:// URL") as caught:
        apply("postgresql://user:s3cret@[host/db")
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
