"""The recorded answers of running OpenCost servers, and a stand-in of the cluster they were asked about."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from local.standin import ClusterModel, StandIn, recorded_cluster

RECORDED = Path(__file__).parents[1] / "samples/opencost-recorded"
FIRST_HOUR = datetime(2026, 11, 28, tzinfo=UTC)
HOURS = tuple((FIRST_HOUR + timedelta(hours=number)).strftime("%Y-%m-%dT%HZ") for number in range(56))
LEGACY_HOURS = tuple(f"2026-11-28T{hour:02}Z" for hour in range(8, 16))
# What was lost in an hour's course or whole: its amounts are not compared, its state is.
OUTAGE_HOURS = frozenset({"2026-11-29T05Z", "2026-11-29T06Z", *(f"2026-11-30T{hour:02}Z" for hour in range(1, 8))})
ASKED_AT = datetime(2026, 11, 30, 8, 20, 10, 832400, tzinfo=UTC)
Row = dict[str, Any]


@dataclass(slots=True)
class SettableClock:
    """A clock that shows what it is set to."""

    now: datetime = field(default=ASKED_AT)

    def __call__(self) -> datetime:
        return self.now


@cache
def cluster() -> ClusterModel:
    return recorded_cluster(RECORDED)


@cache
def truth() -> Mapping[str, Mapping[str, Row]]:
    recorded: Mapping[str, Mapping[str, Row]] = json.loads((RECORDED / "truth.json").read_text())
    return recorded


@cache
def recorded(name: str) -> Any:
    """Read the `data` of a recorded answer."""
    return json.loads((RECORDED / name).read_text())["data"]


def window_of(hour: str) -> str:
    start = datetime.strptime(hour, "%Y-%m-%dT%HZ").replace(tzinfo=UTC)
    return bounds(start, start + timedelta(hours=1))


def day_window(day: str) -> str:
    start = datetime.fromisoformat(f"{day}T00:00:00Z")
    return bounds(start, start + timedelta(days=1))


def bounds(start: datetime, end: datetime) -> str:
    return f"{start:%Y-%m-%dT%H:%M:%SZ},{end:%Y-%m-%dT%H:%M:%SZ}"


@dataclass(slots=True)
class Asker:
    """Asks a stand-in over HTTP; closed windows are asked once."""

    stand_in: StandIn
    client: httpx.Client
    known: dict[tuple[str, str], Any] = field(default_factory=dict)

    def get(self, path: str, **query: str) -> httpx.Response:
        return self.client.get(f"{self.stand_in.base_url}{path}", params=query)

    def rows(self, window: str) -> dict[str, Row]:
        rows: dict[str, Row] = self._once("/allocation", window)[0]
        return rows

    def assets(self, window: str) -> dict[str, Row]:
        assets: dict[str, Row] = self._once("/assets", window)
        return assets

    def _once(self, path: str, window: str) -> Any:
        if (path, window) not in self.known:
            self.known[path, window] = self.get(path, window=window).json()["data"]
        return self.known[path, window]


def asking(version: str, clock: SettableClock) -> Iterator[Asker]:
    """Ask a stand-in of the recorded cluster; `version` as the folders of the recordings are called."""
    number, _, prometheus = version.partition("-")
    stand_in = StandIn(cluster(), clock=clock, version=number, loses_first_minutes=bool(prometheus))
    with stand_in, httpx.Client(trust_env=False, timeout=10) as client:
        yield Asker(stand_in, client)
