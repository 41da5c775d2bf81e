"""`python -m local demo`, with the real functions, and the table it prints."""

import os
import re
import subprocess
import sys
from typing import Any

import pytest

from local.demo.catalog import OfferedApplication
from local.postgres import free_port
from local.showing import _row, _table
from local.stack import ROOT

SHOP = OfferedApplication(
    namespace="argocd", name="shop", project="default", destination_namespace="shop", description="a shop"
)


def answer(**changes: Any) -> dict[str, Any]:
    document = {
        "scope": "application",
        "currency": "EUR",
        "current": {"monthly": {"total": 1234.567}, "idle": {"total": 0.5, "complete": True}},
        "record": {"early": {"monthly": {"total": 100}}, "settlesAt": "2026-12-01T11:10:00Z"},
    }
    return {**document, **changes}


def test_a_row_shows_the_figures_with_their_currency() -> None:
    """Application, scope, month now, idle, month before the sync, and when it settles."""
    expected = ("argocd/shop", "application", "1,234.57 EUR", "0.50 EUR", "100.00 EUR", "2026-12-01T11:10:00Z")

    assert _row(SHOP, answer()) == expected


@pytest.mark.parametrize("monthly", [None, {"total": None}])
def test_what_is_not_known_is_not_zero(monthly: Any) -> None:
    """A month that cannot be told is `unknown`, an idle that is not complete is `at least`."""
    current = {"monthly": monthly, "idle": {"total": 0.5, "complete": False}}

    assert _row(SHOP, answer(current=current))[2:4] == ("unknown", "at least 0.50 EUR")


def test_the_table_lines_up() -> None:
    """Every column is as wide as its widest cell."""
    assert _table([("a", "bb"), ("ccc", "d")]) == "a    bb\n---  --\nccc  d"


@pytest.mark.stack
def test_the_demo_shows_three_figures() -> None:
    """Three syncs go in, their figures come out, nothing is unknown, exit 0."""
    environment = {**os.environ, "PORT": str(free_port()), "GATEWAY_PORT": str(free_port())}
    environment = {
        name: value for name, value in environment.items() if name not in ("OPENCOST_BASE_URL", "DATABASE_URL")
    }

    demo = subprocess.run(
        [sys.executable, "-m", "local", "demo"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert demo.returncode == 0, demo.stderr
    _, _, *rows = demo.stdout.splitlines()
    assert len(rows) == 3
    for row in rows:
        assert re.search(r"argocd/\S+ +(application|namespace) +[\d,.]+ USD +[\d,.]+ USD +[\d,.]+ USD +20\S+Z$", row), (
            row
        )
