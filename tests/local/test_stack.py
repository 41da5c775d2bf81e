"""The stack as a whole, with small functions in place of the real ones."""

import contextlib
import http.client
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from local.options import read_options
from local.stack import ROOT, Stack
from tests.fixtures.assembly import write_assembly

pytestmark = pytest.mark.stack
HOST = {"Host": "localhost:1"}


def until(check: Callable[[], Any], *, seconds: float = 20) -> Any:
    """Wait until the check gives something true; give that, or what it gave last."""
    deadline = time.monotonic() + seconds
    while not (found := check()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def noted(seen: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in seen.read_text().splitlines()] if seen.exists() else []


def ask(port: int, method: str, path: str, *, headers: dict[str, str] | None = None, body: str = "") -> tuple[int, Any]:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request(method, path, body or None, headers or {})
        response = connection.getresponse()
        content = response.read()
    return response.status, json.loads(content) if response.headers["content-type"] == "application/json" else content


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("seen") / "measure"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, seen: Path) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("stack")
    options = read_options(
        {
            "PORT": "0",
            "GATEWAY_PORT": "0",
            "NOW": "2030-01-01T00:00:00Z",
            "OPENCOST_BASE_URL": "http://127.0.0.1:9",
            "OPENCOST_TOKEN": "opencost-secret",
            "CURRENCY": "EUR",
            "PROXY_TOKEN": "proxy-secret",
        }
    )
    started = Stack(options, assembly=write_assembly(folder, seen=seen), folder=folder / "run")
    try:
        started.start()
        yield started
    finally:
        started.close()


def test_the_schedule_fires_at_start_with_the_functions_settings(stack: Stack, seen: Path) -> None:
    """`measure` gets the tick, OpenCost's settings, the moved clock and a database, and no way to AWS."""
    (first, *_) = until(lambda: noted(seen))
    environment = first["environment"]

    assert first["event"] == {"source": "costintel.schedule", "job": "tick"}
    assert environment["OPENCOST_BASE_URL"] == "http://127.0.0.1:9"
    assert environment["OPENCOST_TOKEN"] == "opencost-secret"
    assert environment["CURRENCY"] == "EUR"
    assert float(environment["CLOCK_OFFSET_SECONDS"]) == pytest.approx(stack.options.clock_offset_seconds)
    assert not [name for name in environment if "ENDPOINT" in name or "ACCESS_KEY" in name]
    with psycopg.connect(environment["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT current_database(), current_user").fetchone() == ("costintel", "small")


def test_a_message_travels_from_the_webhook_to_measure(stack: Stack, seen: Path) -> None:
    """Gateway, webhook, SQS, event source mapping: the body arrives as it was posted."""
    status, answer = stack.webhook.push(b'{"application": "shop"}')

    def arrived() -> list[str]:
        return [record["body"] for line in noted(seen) for record in line["event"].get("Records", [])]

    assert (status, answer) == (202, {})
    assert until(arrived) == ['{"application": "shop"}']


def test_the_proxy_asks_the_api_with_the_proxy_token(stack: Stack) -> None:
    """Page port, extension proxy, gateway, function; the function knows the token's hash only."""
    headers = {**HOST, "Argocd-Application-Name": "argocd:shop", "Argocd-Project-Name": "default"}

    status, answer = ask(
        stack.page_port, "GET", "/extensions/cost-intel/api/cost-analysis/shop/actual", headers=headers
    )

    assert status == 200
    assert answer["path"] == "/api/cost-analysis/shop/actual"
    assert answer["headers"]["authorization"] == "Bearer proxy-secret"
    assert answer["headers"]["argocd-application-name"] == "argocd:shop"
    assert answer["environment"]["TOKENS"] == stack.options.tokens.hashes()["proxy"]
    assert "OPENCOST_TOKEN" not in answer["environment"]
    assert "proxy-secret" not in json.dumps(answer["environment"])


@pytest.mark.parametrize(
    ("path", "kind"), [("/", "<!doctype html>"), ("/page.css", ":root"), ("/page.js", '"use strict"')]
)
def test_the_page_is_served(stack: Stack, path: str, kind: str) -> None:
    """Page, style and script come from the page's port."""
    status, content = ask(stack.page_port, "GET", path, headers=HOST)

    assert status == 200
    assert content.decode().startswith(kind)


@pytest.mark.parametrize("host", ["evil.example.com", "evil.example.com:8080", ""])
def test_another_sites_name_gets_no_demo_session(stack: Stack, host: str) -> None:
    """Without a login, a name that resolves to this machine must not open it to another site's scripts."""
    assert ask(stack.page_port, "GET", "/demo/applications", headers={"Host": host})[0] == 403


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Type": "text/plain"}, '{"namespace": "argocd", "name": "shop"}', 415),
        ({"Content-Type": "application/json"}, '{"namespace": "argocd", "name": "unlisted"}', 404),
        ({"Content-Type": "application/json"}, "no json", 404),
        ({"Content-Type": "application/json"}, "[]", 404),
    ],
)
def test_a_push_names_a_listed_application(stack: Stack, headers: dict[str, str], body: str, status: int) -> None:
    """The button's request is JSON, which a form of another site cannot send, and names what the page lists."""
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS collection_namespaces (namespace text, cpu_cost numeric, ram_cost numeric)"
        )

    assert ask(stack.page_port, "POST", "/demo/sync", headers={**HOST, **headers}, body=body)[0] == status


def test_the_page_lists_namespaces_and_pushes_their_syncs(stack: Stack, seen: Path) -> None:
    """With a real cluster every namespace of the stored hours is offered, the costliest first, and can be synced."""
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS collection_namespaces (namespace text, cpu_cost numeric, ram_cost numeric)"
        )
        connection.execute(
            "INSERT INTO collection_namespaces VALUES ('cheap', 1, 1), ('dear', 3, 1), ('__unmounted__', 9, 9), ('cheap', 1, 0)"
        )

    _, listed = ask(stack.page_port, "GET", "/demo/applications", headers=HOST)
    status, pushed = ask(
        stack.page_port,
        "POST",
        "/demo/sync",
        headers={**HOST, "Content-Type": "application/json"},
        body='{"namespace": "argocd", "name": "dear"}',
    )

    def posted() -> list[Any]:
        bodies = [record["body"] for line in noted(seen) for record in line["event"].get("Records", [])]
        return [payload for payload in map(json.loads, bodies) if payload["application"] == "dear"]

    assert [application["name"] for application in listed] == ["dear", "cheap"]
    assert (status, pushed["status"]) == (200, 202)
    (payload,) = until(posted)
    assert payload["namespace"] == "dear"
    assert payload["syncFinishedAt"].startswith("2030-01-01T00:")
    assert "resources" not in payload


def test_a_database_that_is_away_is_told(stack: Stack) -> None:
    """The list of applications cannot be read then, which is not an empty list."""
    assert stack.postgres is not None
    stack.postgres.stop()
    try:
        status, answer = ask(stack.page_port, "GET", "/demo/applications", headers=HOST)
    finally:
        stack.postgres.start()

    assert (status, answer) == (503, {"error": "the database does not answer"})


def descendants(pid: int) -> set[int]:
    """Find every process below one, by the parents that /proc tells."""
    children: dict[int, set[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), set()).add(int(entry.name))
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), set())
        found |= below
        waiting += below
    return found


def alive(pids: set[int]) -> set[int]:
    """Keep those that still run; a zombie waits for its parent only."""
    left = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X"):
                left.add(pid)
    return left


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_stopping_leaves_no_process(number: signal.Signals, tmp_path: Path) -> None:
    """Asked or killed, the stack takes everything with it, a function that hangs included."""
    seen = tmp_path / "seen"
    assembly = write_assembly(tmp_path, seen=seen)
    script = (
        "import os; from pathlib import Path; from local.__main__ import serve\n"
        "from local.options import read_options; from local.stack import Stack\n"
        f"serve(Stack(read_options(os.environ), assembly=Path({str(assembly)!r}), folder=Path({str(tmp_path / 'run')!r})))\n"
    )
    environment = {
        **os.environ,
        "PORT": "0",
        "GATEWAY_PORT": "0",
        "WEBHOOK_TOKEN": "w",
        "OPENCOST_BASE_URL": "http://x",
    }
    command = [sys.executable, "-c", script]
    running = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    lines = list(itertools.takewhile(lambda line: line != "ready\n", running.stdout))
    assert running.poll() is None, lines
    gateway = next(int(line.strip().rpartition(":")[2]) for line in lines if line.startswith("gateway "))
    assert ask(gateway, "POST", "/api/cost-analysis/on-sync", body="hang")[0] == 202
    assert until(lambda: any("Records" in line["event"] for line in noted(seen)))
    started = descendants(running.pid)

    running.send_signal(number)
    running.wait(timeout=20)
    running.stdout.close()

    assert len(started) >= 6
    assert until(lambda: not alive(started)), alive(started)
