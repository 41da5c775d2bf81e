"""Run the whole stack on one machine: `python -m local run`, or show it once: `python -m local demo`."""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from infra.bundling import BundlingError
from infra.synth import SynthesisError, synthesize
from local.intrinsics import TemplateError
from local.options import OptionsError, read_options
from local.postgres import PostgresError
from local.queues import QueuesError
from local.showing import DemoError, show
from local.stack import ROOT, Stack, StackError
from local.webhook import ON_SYNC

_RUN_FOLDER = ROOT / ".run"
_DEMO_SECONDS = 45.0
"""How long the three figures may take once everything is up."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_FAILURES = (
    BundlingError,
    DemoError,
    OptionsError,
    OSError,
    PostgresError,
    QueuesError,
    StackError,
    SynthesisError,
    TemplateError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until SIGTERM or Ctrl-C, or the demo to its end; give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m local", description=__doc__)
    parser.add_argument("what", choices=("run", "demo"))
    what = parser.parse_args(arguments).what
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    _catch_signals()
    try:
        options = read_options(os.environ)
        folder = _RUN_FOLDER / (str(options.port) if options.port else f"run-{os.getpid()}")
        stack = Stack(options, assembly=synthesize(_RUN_FOLDER / "assembly"), folder=folder)
        serve(stack, demo_seconds=_DEMO_SECONDS if what == "demo" else None)
    except KeyboardInterrupt:
        return 0 if what == "run" else 1
    except _FAILURES as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def serve(stack: Stack, *, demo_seconds: float | None = None) -> None:
    """Start a stack, say so, and close it at the end of the demo, or when a signal asks for it.

    Raises:
        KeyboardInterrupt: a signal came. Whatever `Stack.start` and `show` raise.
    """
    _catch_signals()
    try:
        stack.start()
        if demo_seconds is None:
            print(f"{_announcement(stack)}\nready", flush=True)
            signal.pause()
        else:
            print(show(stack, seconds=demo_seconds), flush=True)
    finally:
        _ignore_signals()
        stack.close()


def _catch_signals() -> None:
    for number in _SIGNALS:
        signal.signal(number, _stop)


def _stop(_number: int, _frame: FrameType | None) -> None:
    """End the run; once is enough, what follows must not be interrupted."""
    _ignore_signals()
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _announcement(stack: Stack) -> str:
    """Say where everything is. The tokens belong to this run alone unless they were given."""
    gateway = f"http://127.0.0.1:{stack.gateway_port}"
    opencost = "OPENCOST_BASE_URL" if stack.options.opencost_base_url else "stand-in with the demo cluster"
    database = "DATABASE_URL" if stack.options.database_url else "embedded, empty at each start"
    tokens = stack.options.tokens
    lines = {
        "page and proxy": f"http://127.0.0.1:{stack.page_port}/ (a demo session: no login)",
        "gateway": gateway,
        "webhook": f"POST {gateway}{ON_SYNC}",
        "opencost": f"{stack.opencost_base_url} ({opencost})",
        "database": f"{stack.database_url} ({database})" if not stack.options.database_url else database,
        "logs": str(stack.logs),
        "time": stack.options.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "PROXY_TOKEN": tokens.proxy,
        "WEBHOOK_TOKEN": tokens.webhook,
        "METRICS_TOKEN": tokens.metrics,
    }
    return "\n".join(f"{name:15} {value}" for name, value in lines.items())


if __name__ == "__main__":
    sys.exit(main())
