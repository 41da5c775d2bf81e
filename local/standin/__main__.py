"""Run a stand-in: `python -m local.standin --port 9003`.

From the environment: OPENCOST_TOKEN, a bearer token it demands, and CLOCK_OFFSET_SECONDS, how far its clock is ahead.
"""

import argparse
import os
import signal
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from local.demo.cluster import demo_cluster
from local.standin.generated import generated_cluster
from local.standin.model import ClusterModel
from local.standin.recorded import recorded_cluster
from local.standin.server import StandIn, real_now
from local.standin.version import VERSIONS


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C; the first line of output is the base URL."""
    asked = _parser().parse_args(arguments)
    offset = timedelta(seconds=float(os.environ.get("CLOCK_OFFSET_SECONDS") or 0))
    clock = clock_ahead(asked.now - real_now() if asked.now else offset)
    stand_in = StandIn(
        _cluster(asked, clock()),
        clock=clock,
        version=asked.version,
        loses_first_minutes=asked.loses_first_minutes,
        token=os.environ.get("OPENCOST_TOKEN") or None,
        path_prefix=asked.path_prefix,
        port=asked.port,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stand_in.release())
    with stand_in:
        print(stand_in.base_url, flush=True)
        stand_in.wait()


def clock_ahead(offset: timedelta) -> Callable[[], datetime]:
    """Make a clock that runs `offset` ahead of the real one."""
    return lambda: real_now() + offset


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m local.standin", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--version", choices=sorted(VERSIONS), default="1.120.2")
    parser.add_argument("--loses-first-minutes", action="store_true", help="as over Prometheus 3")
    parser.add_argument("--path-prefix", default="", help="such as /model")
    parser.add_argument("--now", type=_moment, help="RFC 3339; goes on in real time from there")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--recorded", type=Path, metavar="FOLDER", help="with cluster.json and truth.json")
    source.add_argument("--containers", type=int, help="a generated cluster of that size")
    return parser


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise argparse.ArgumentTypeError(f"expected RFC 3339 with a time zone, got {text!r}")
    return moment


def _cluster(asked: argparse.Namespace, now: datetime) -> ClusterModel:
    if asked.recorded:
        return recorded_cluster(asked.recorded)
    if asked.containers:
        return generated_cluster(containers=asked.containers, namespaces=max(1, asked.containers // 250))
    return demo_cluster(now)


if __name__ == "__main__":
    main()
