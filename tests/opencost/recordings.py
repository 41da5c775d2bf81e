"""The recorded answers of running servers, read once."""

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from costintel.cost.allocation import Allocation
from costintel.cost.window import Window
from costintel.opencost.answer import AnswerReader, WindowAnswer
from tests.opencost.entries import rows_of

SAMPLES = Path(__file__).parents[1] / "samples"
RECORDED = SAMPLES / "opencost-recorded"
FIRST_HOUR = datetime(2026, 11, 28, tzinfo=UTC)
HOURS = tuple(FIRST_HOUR + timedelta(hours=number) for number in range(56))
Key = tuple[str, str, str]


def hour(text: str) -> datetime:
    """Return the hour written like 2026-11-28T10Z."""
    return datetime.strptime(text, "%Y-%m-%dT%HZ").replace(tzinfo=UTC)


def seconds(text: str) -> int:
    """Return a time written like 2026-11-29T05:20Z in seconds since the epoch."""
    return int(datetime.strptime(text, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC).timestamp())


@cache
def hour_answer(version: str, start: datetime) -> WindowAnswer:
    name = f"hour-{start:%Y-%m-%dT%HZ}"
    return _answer(RECORDED / version, name, Window(start, start + timedelta(hours=1)))


@cache
def day_answer(version: str, start: datetime) -> WindowAnswer:
    return _answer(RECORDED / version, f"day-{start:%Y-%m-%d}", Window(start, start + timedelta(hours=24)))


def by_key(rows: list[Allocation]) -> dict[Key, Allocation]:
    return {row.key: row for row in rows}


def hour_rows(version: str, start: datetime) -> dict[Key, Allocation]:
    return by_key(rows_of(hour_answer(version, start)))


@cache
def recorded_json(name: str) -> Any:
    return json.loads((RECORDED / name).read_text())


def _answer(folder: Path, name: str, window: Window) -> WindowAnswer:
    reader = AnswerReader(window, cluster_id="made")
    reader.read_assets([(folder / f"{name}.assets.json").read_bytes()])
    reader.read_allocations([(folder / f"{name}.allocation.json").read_bytes()])
    return reader.answer()


def name_of(start: datetime) -> str:
    """Return the name of the hour that starts at `start`."""
    return f"{start:%Y-%m-%dT%HZ}"


def _touched(start: datetime) -> bool:
    outages = recorded_json("cluster.json")["outages"]
    spans = [(datetime.fromisoformat(one["from"]), datetime.fromisoformat(one["to"])) for one in outages]
    return any(first < start + timedelta(hours=1) and last > start for first, last in spans)


UNTOUCHED_HOURS = tuple(start for start in HOURS if not _touched(start))
