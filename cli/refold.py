"""`costintel refold`: fold series anew from the stored days, as after a mistake in the model was mended."""

import argparse
import sys
import time
from contextlib import closing
from typing import Any

from costintel.collection.deadline import Deadline
from costintel.config import Environment
from costintel.cost.application import AppRef
from costintel.history.refolding import Refolding
from costintel.storage.connection import Database
from costintel.wiring import build_refolding

_AT_ONCE_SECONDS = 600.0
_LOOK_AGAIN_SECONDS = 5.0


def add_refold(commands: Any) -> None:  # noqa: ANN401  argparse does not name the type
    """Add the command to the parser's others."""
    parser = commands.add_parser(
        "refold",
        help="fold the daily series of Applications anew from the stored days",
        description="Fold the daily series of Applications anew from the stored days. OpenCost is not asked; a series that "
        "is right already is not written.",
    )
    parser.add_argument(
        "applications",
        nargs="*",
        type=_application,
        metavar="NAMESPACE:NAME",
        help="only these; all of them by default",
    )
    parser.add_argument(
        "--wait-seconds", type=float, default=900, help="how long to wait for a run that is at it (900)"
    )
    parser.set_defaults(run=_refold)


def _refold(asked: argparse.Namespace, environment: Environment) -> int:
    with closing(Database.of(environment)) as database:
        refolding = build_refolding(environment, database)
        begun = refolding.begin(asked.applications or None)
        print(f"{begun} series to fold")
        rows = _fold(refolding, asked.wait_seconds)
    if rows is None:
        print("another run is at it: the hourly runs do the rest", file=sys.stderr)
        return 1
    print(f"done: {rows} rows changed")
    return 0


def _fold(refolding: Refolding, wait_seconds: float) -> int | None:
    """Fold until nothing is left; return how many rows changed, None if others were at it for too long."""
    rows, patience = 0, Deadline.after(wait_seconds)
    while True:
        outcome = refolding.go_on(deadline=Deadline.after(_AT_ONCE_SECONDS))
        if outcome is not None:
            rows += outcome.rows
            print(f"{outcome.days} days folded, {outcome.waiting} left")
            if not outcome.waiting:
                return rows
        elif not patience.allows(_LOOK_AGAIN_SECONDS):
            return None
        else:
            time.sleep(_LOOK_AGAIN_SECONDS)


def _application(text: str) -> AppRef:
    application = AppRef.parse(text)
    if application is None:
        raise argparse.ArgumentTypeError(f"expected NAMESPACE:NAME, got {text!r}")
    return application
