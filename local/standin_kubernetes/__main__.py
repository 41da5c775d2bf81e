"""Run a stand-in: `python -m local.standin_kubernetes --port 6443 --opencost http://127.0.0.1:9003`.

From the environment: KUBERNETES_TOKEN, a bearer token it demands, and CLOCK_OFFSET_SECONDS, how far its clock is ahead.
"""

import argparse
import hmac
import os
import signal
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from local.demo.live import live_objects
from local.standin_kubernetes.access import Access, anyone
from local.standin_kubernetes.generated import OBJECT_BYTES, generated_applications
from local.standin_kubernetes.server import StandInKubernetes
from local.standin_kubernetes.store import Store, stored


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C; the first line of output is the endpoint."""
    asked = _parser().parse_args(arguments)
    stand_in = StandInKubernetes(
        _store(asked),
        access=Access(accepts=_judge(os.environ.get("KUBERNETES_TOKEN") or "")),
        services={"opencost/opencost": asked.opencost},
        port=asked.port,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stand_in.release())
    with stand_in:
        print(stand_in.endpoint, flush=True)
        stand_in.wait()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m local.standin_kubernetes", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument(
        "--opencost", default="", help="base URL of the service opencost/opencost; none: it has no pods"
    )
    parser.add_argument("--now", type=_moment, help="RFC 3339; what the demo's objects are laid out relative to")
    parser.add_argument("--applications", type=int, help="so many generated Applications instead of the demo's objects")
    parser.add_argument("--object-bytes", type=int, default=OBJECT_BYTES, help="size of a generated Application")
    return parser


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise argparse.ArgumentTypeError(f"expected RFC 3339 with a time zone, got {text!r}")
    return moment


def _judge(token: str) -> Callable[[str], bool]:
    return (lambda given: hmac.compare_digest(given.encode(), token.encode())) if token else anyone


def _store(asked: argparse.Namespace) -> Store:
    store = Store()
    if asked.applications is not None:
        store.put_bodies(
            "applications", map(stored, generated_applications(asked.applications, object_bytes=asked.object_bytes))
        )
        return store
    offset = timedelta(seconds=float(os.environ.get("CLOCK_OFFSET_SECONDS") or 0))
    for resource, items in live_objects(asked.now or datetime.now(UTC) + offset).items():
        store.put_bodies(resource, map(stored, items))
    return store


if __name__ == "__main__":
    main()
