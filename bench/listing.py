"""What it takes to list Applications: time, CPU and peak memory of one process, against decoding the same bytes bare.

Run as `python -m bench.listing [COUNT] [OBJECT_BYTES]`. The API server is the stand-in, in a process of its own.
"""

import json
import os
import resource
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from costintel.argocd.destination import DestinationRules
from costintel.cluster.cluster import open_cluster
from costintel.cluster.settings import ClusterSettings
from local.standin_kubernetes.generated import OBJECT_BYTES

COUNT = 5000
_ROOT = Path(__file__).resolve().parent.parent
_TOKEN = "token-of-the-bench"  # noqa: S105 - the stand-in's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What one process took: wall clock and CPU of the list alone, peak resident memory of all of it, imports included."""

    items: int
    seconds: float
    cpu_seconds: float
    peak_mib: float


def main() -> None:
    """Measure both sides and print the comparison."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    object_bytes = int(sys.argv[2]) if len(sys.argv) > 2 else OBJECT_BYTES
    with running_stand_in(count, object_bytes) as endpoint:
        bare, listed = measure("bare", endpoint), measure("listed", endpoint)
    print(f"{count} Applications of {object_bytes / 1000:.0f} kB")
    for name, effort in (("pages fetched and json.loads, dropped", bare), ("listed and kept", listed)):
        print(f"{name:38} {effort.seconds:6.2f} s {effort.cpu_seconds:6.2f} s CPU {effort.peak_mib:6.0f} MiB peak")
    print(f"CPU ratio {listed.cpu_seconds / bare.cpu_seconds:.2f}; peak {listed.peak_mib:.0f} MiB (bar: 256)")


def measure_listing(count: int = COUNT, object_bytes: int = OBJECT_BYTES) -> Effort:
    """Measure a list of that many Applications of that size."""
    with running_stand_in(count, object_bytes) as endpoint:
        return measure("listed", endpoint)


def measure(side: str, endpoint: str) -> Effort:
    """Measure one side in a process of its own."""
    program = f"from bench.listing import one_side; one_side({side!r}, {endpoint!r})"
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        cwd=_ROOT,
        env=program_environment(),
    )
    return Effort(**json.loads(done.stdout))


def one_side(side: str, endpoint: str) -> None:
    """List, or only fetch and decode, and print what it took."""
    started, cpu = time.perf_counter(), time.process_time()
    items = _listed(endpoint) if side == "listed" else _bare(endpoint)
    took, took_cpu = time.perf_counter() - started, time.process_time() - cpu
    print(json.dumps({"items": items, "seconds": took, "cpu_seconds": took_cpu, "peak_mib": peak_mib()}))


def _listed(endpoint: str) -> int:
    settings = ClusterSettings(endpoint=endpoint, token=_TOKEN)
    cluster = open_cluster(settings, rules=DestinationRules(), clock=lambda: datetime.now(UTC))
    assert cluster is not None
    with cluster:
        outcome = cluster.applications()
    assert outcome.complete, outcome.error
    return len(outcome.items)


def _bare(endpoint: str) -> int:
    items, token = 0, ""
    while True:
        url = f"{endpoint}/apis/argoproj.io/v1alpha1/applications?limit=100&continue={token}"
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {_TOKEN}"})  # noqa: S310 - the stand-in
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - the same
            page = json.loads(answer.read())
        items += len(page["items"])
        token = page["metadata"].get("continue", "")
        if not token:
            return items


@contextmanager
def running_stand_in(count: int, object_bytes: int) -> Iterator[str]:
    """Run a stand-in with generated Applications and give its endpoint."""
    arguments = ["--applications", str(count), "--object-bytes", str(object_bytes)]
    command = [sys.executable, "-m", "local.standin_kubernetes", *arguments]
    environment = {**program_environment(), "KUBERNETES_TOKEN": _TOKEN}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT, env=environment) as server:  # noqa: S603 - ours
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def program_environment() -> dict[str, str]:
    """Give the environment of our own programs."""
    return {**os.environ, "PYTHONPATH": f"{_ROOT}{os.pathsep}{_ROOT / 'layers/common'}"}


def peak_mib() -> float:
    """Return the peak resident memory of this program; `getrusage` would count what its parent had before it."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


if __name__ == "__main__":
    main()
