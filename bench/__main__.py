"""Every benchmark, one after the other, each in a fresh process so that peaks of memory are its own: `make bench`."""

import subprocess
import sys

BENCHMARKS = ("bench.decode", "bench.local", "bench.listing", "bench.live_state", "bench.applications", "bench.days")


def main() -> int:
    """Run them all; return the number of those that failed."""
    failed = 0
    for name in BENCHMARKS:
        print(f"\n== {name}", flush=True)
        failed += subprocess.run([sys.executable, "-m", name], check=False).returncode != 0  # noqa: S603  our own modules
    return failed


if __name__ == "__main__":
    sys.exit(main())
