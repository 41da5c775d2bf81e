"""`python -m local demo`: three syncs go in through the webhook, their figures come out through the proxy."""

import contextlib
import time
from collections.abc import Sequence
from typing import Any

from local.actual import ActualAnswer, ask_actual
from local.demo.catalog import CatalogError, OfferedApplication
from local.stack import Stack

SYNCS = 3
_PAUSE_SECONDS = 0.5
_COLUMNS = ("application", "scope", "now/month", "idle (window)", "early/month", "settles at")


class DemoError(Exception):
    """The demo did not come to its end; the text says what is missing."""


def show(stack: Stack, *, seconds: float) -> str:
    """Push the syncs and give a table of their figures.

    Raises:
        DemoError: the webhook refused one, or a figure did not come within `seconds`.
    """
    deadline = time.monotonic() + seconds
    applications = _offered(stack, deadline)
    for application in applications:
        _push(stack, application)
    answers = [_wait(stack, application, deadline) for application in applications]
    return _table([_COLUMNS, *(_row(one, answer) for one, answer in zip(applications, answers, strict=True))])


def _offered(stack: Stack, deadline: float) -> list[OfferedApplication]:
    while time.monotonic() < deadline:
        with contextlib.suppress(CatalogError):
            if applications := stack.catalog.applications()[:SYNCS]:
                return applications
        time.sleep(_PAUSE_SECONDS)
    raise DemoError(f"no hour of the cluster was stored in time, see {stack.logs}")


def _push(stack: Stack, application: OfferedApplication) -> None:
    status, answer = stack.controller.sync(application, stack.options.now())
    if status != 202:
        raise DemoError(f"the webhook answered {status} for {application.namespace}/{application.name}: {answer}")


def _wait(stack: Stack, application: OfferedApplication, deadline: float) -> dict[str, Any]:
    """Wait for the early figure of the sync and for the current one."""
    answer = ActualAnswer(status=0, document={})
    while time.monotonic() < deadline:
        answer = ask_actual(stack.page_port, application)
        record = answer.document.get("record") or {}
        if record.get("early") and answer.document.get("current"):
            return answer.document
        time.sleep(_PAUSE_SECONDS)
    raise DemoError(
        f"no figure came for {application.namespace}/{application.name}:"
        f" the last answer was {answer.status}, state {answer.document.get('state', 'unknown')}, see {stack.logs}"
    )


def _row(application: OfferedApplication, answer: dict[str, Any]) -> Sequence[str]:
    current, record = answer["current"], answer["record"]
    idle = current.get("idle") or {}
    currency = answer.get("currency")
    prefix = "" if idle.get("complete", True) else "at least "
    return (
        f"{application.namespace}/{application.name}",
        answer.get("scope") or "unknown",
        _money((current.get("monthly") or {}).get("total"), currency),
        prefix + _money(idle.get("total"), currency),
        _money((record["early"].get("monthly") or {}).get("total"), currency),
        record.get("settlesAt") or "unknown",
    )


def _money(amount: float | None, currency: str | None) -> str:
    return "unknown" if amount is None else f"{amount:,.2f} {currency}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
