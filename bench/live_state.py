"""What a run of exporter takes, and the installs that follow: `python -m bench.live_state [APPLICATIONS] [OBJECT_BYTES]`.

Each side is a process of its own, with a real PostgreSQL and the stand-ins for OpenCost and the API server. "first" is a fresh
installation, "unchanged" the same list again, "synced" a list in which every Application has one more sync, all of them missed.
"""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.listing import peak_mib, program_environment, running_stand_in
from costintel.collection.deadline import Deadline
from costintel.config import Environment
from costintel.measurement.live_state import LiveState
from costintel.storage.migrations import apply
from costintel.wiring import build_exporter, build_measure
from local.children import Children
from local.postgres import EmbeddedPostgres
from local.standin_kubernetes.generated import OBJECT_BYTES, generated_applications

COUNT = 5000
_ROOT = Path(__file__).resolve().parent.parent
_TOKEN = "token-of-the-bench"  # noqa: S105 - the stand-in's own
_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What one run took: wall clock and CPU of the run, peak resident memory of its process so far."""

    name: str
    seconds: float
    cpu_seconds: float
    peak_mib: float
    found: dict[str, int]


def main() -> None:
    """Measure both functions and print what they took."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    object_bytes = int(sys.argv[2]) if len(sys.argv) > 2 else OBJECT_BYTES
    with ExitStack() as stack:
        endpoint = stack.enter_context(running_stand_in(count, object_bytes))
        settings = {
            "DATABASE_URL": stack.enter_context(_database()),
            "OPENCOST_BASE_URL": stack.enter_context(_opencost(count)),
            "KUBERNETES_ENDPOINT": endpoint,
            "KUBERNETES_TOKEN": _TOKEN,
        }
        print(f"{count} Applications of {object_bytes / 1000:.0f} kB")
        _print("exporter", _side("exporter_side", settings, first=True))
        _print("measure", _side("measure_side", settings, first=True))
        _sync_all(endpoint, count, object_bytes)
        _print("exporter", _side("exporter_side", settings, first=False))
        _print("measure", _side("measure_side", settings, first=False))


def exporter_side(settings: dict[str, str], *, first: bool) -> Iterator[Effort]:
    """Run exporter twice on a fresh installation, or once after it."""
    state = build_exporter(Environment(settings))
    for name in ("first", "unchanged") if first else ("synced",):
        yield _effort(name, lambda: _refreshed(state))


def measure_side(settings: dict[str, str], *, first: bool) -> Iterator[Effort]:
    """Let measure ask for the hours and do what the list made due."""
    measuring = build_measure(Environment(settings))
    yield _effort(
        "installs" if first else "missed syncs",
        lambda: {
            "figures": (
                outcome := measuring.tick(now=datetime.now(UTC), deadline=Deadline.after(_SECONDS))
            ).installed.measured
            + outcome.syncs.measured
        },
    )


def _refreshed(state: LiveState) -> dict[str, int]:
    refreshed = state.refresh(Deadline.after(_SECONDS))
    assert refreshed.findings is not None, refreshed.warnings
    return {name: count for name, count in asdict(refreshed.findings).items() if isinstance(count, int)}


def _effort(name: str, run: Any) -> Effort:  # noqa: ANN401 - any call without arguments
    started, cpu = time.perf_counter(), time.process_time()
    found = run()
    return Effort(
        name=name,
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu,
        peak_mib=peak_mib(),
        found=found,
    )


def _side(name: str, settings: dict[str, str], *, first: bool) -> list[Effort]:
    """Measure one side in a process of its own."""
    program = (
        f"import json; from dataclasses import asdict; from bench.live_state import {name};"
        f"print(json.dumps([asdict(effort) for effort in {name}({settings!r}, first={first!r})]))"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", program],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=_ROOT,
        env=program_environment(),
    )
    return [Effort(**effort) for effort in json.loads(done.stdout)]


def _print(function: str, efforts: list[Effort]) -> None:
    for one in efforts:
        found = ", ".join(f"{name} {count}" for name, count in one.found.items() if count)
        print(
            f"{function:9} {one.name:13} {one.seconds:7.2f} s {one.cpu_seconds:7.2f} s CPU {one.peak_mib:6.0f} MiB peak  {found}"
        )


def _sync_all(endpoint: str, count: int, object_bytes: int) -> None:
    """Give every Application one more sync, which nobody tells of."""
    finished_at = (datetime.now(UTC) + timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    batch: list[dict[str, Any]] = []
    for item in generated_applications(count, object_bytes=object_bytes):
        if "status" in item:
            item["status"]["history"].append({"deployedAt": finished_at, "id": 99, "revision": "f" * 40})
            batch.append(item)
        if len(batch) == 100:
            _put(endpoint, batch)
            batch = []
    _put(endpoint, batch)


def _put(endpoint: str, items: list[dict[str, Any]]) -> None:
    request = urllib.request.Request(  # noqa: S310 - the stand-in
        f"{endpoint}/_objects/applications", data=json.dumps(items).encode(), method="PUT"
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - the same
        answer.read()


@contextmanager
def _database() -> Iterator[str]:
    with Children() as children:
        postgres = EmbeddedPostgres(children)
        postgres.start()
        try:
            url = postgres.create_database("bench")
            apply(url)
            yield url
        finally:
            postgres.close()


@contextmanager
def _opencost(count: int) -> Iterator[str]:
    """Run an OpenCost with three containers per Application, which are not theirs: what is measured is the way to zero."""
    command = [sys.executable, "-m", "local.standin", "--containers", str(3 * count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT, env=program_environment()) as server:  # noqa: S603 - ours
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
