"""`python -m bench.local`: start-up of the local stack, its webhook, and the cold start of each function."""

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bench.cold_start import measure_cold_start
from bench.webhook import measure_webhook
from infra.synth import synthesize
from local.children import Children
from local.options import read_options
from local.stack import ROOT, Stack

_FUNCTIONS = ("webhook", "measure", "history", "exporter", "api", "migrate")
_FREE_PORTS = {"PORT": "0", "GATEWAY_PORT": "0"}


def main() -> int:
    """Measure and print; give the exit status."""
    with tempfile.TemporaryDirectory(prefix="cost-intel-bench-") as scratch:
        started_at = time.perf_counter()
        assembly = synthesize(ROOT / ".run" / "assembly")
        print(f"template           {time.perf_counter() - started_at:8.2f} s (from the cache unless something changed)")
        stack = Stack(read_options(_FREE_PORTS), assembly=assembly, folder=Path(scratch))
        try:
            started_at = time.perf_counter()
            stack.start()
            print(f"stack              {time.perf_counter() - started_at:8.2f} s until ready")
            _print_webhook(stack)
            _print_cold_starts(stack, Path(scratch))
        finally:
            started_at = time.perf_counter()
            stack.close()
            print(f"stop               {time.perf_counter() - started_at:8.2f} s")
    return 0


def _print_webhook(stack: Stack) -> None:
    figures = measure_webhook(stack)
    print(f"webhook, no queue  {figures.without_queue_milliseconds:8.2f} ms p50 through the runtime client")
    print(f"webhook            {figures.p50_milliseconds:8.2f} ms p50, {figures.p95_milliseconds:.2f} ms p95")
    print(
        f"webhook            {figures.accepted_per_second:8.0f} accepted/s = {figures.ratio:.2f} x"
        f" the {figures.queue_alone_per_second:.0f}/s the queue takes alone"
    )
    print(f"syncs              {figures.arrived:8d} arrived of {figures.sent} sent")


def _print_cold_starts(stack: Stack, folder: Path) -> None:
    with Children() as children:
        for name in _FUNCTIONS:
            plan = replace(stack.functions[name].plan, name=f"cold-{name}")
            start = measure_cold_start(plan, children=children, packages=folder / "packages", log=folder / "cold.log")
            print(
                f"cold {name:13} {start.median_milliseconds:8.0f} ms median, {start.slowest_milliseconds:.0f} ms slowest,"
                f" {start.rss_mib:.0f} MiB"
            )


if __name__ == "__main__":
    sys.exit(main())
