"""Two recorded days of a running OpenCost 1.120.2, one of them with an outage, replayed over HTTP into days and series."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest

from costintel.cost.day import DaySource, DayState, day_window
from costintel.cost.ownership import Resource
from costintel.cost.window import Window
from costintel.opencost.client import OpenCostClient
from local.postgres import EmbeddedPostgres
from tests.collection.engine import HOUR
from tests.collection.recorded_server import FIRST_HOUR, LAST_HOUR, RecordedServer
from tests.history.history_engine import DAY, HistoryEngine, history_engine
from tests.measurement.syncs import into
from tests.opencost.entries import rows_of
from tests.opencost.recordings import by_key, day_answer

SATURDAY, SUNDAY = date(2026, 11, 28), date(2026, 11, 29)
NOW = LAST_HOUR + HOUR + timedelta(minutes=20)
OUTAGE = Window(datetime(2026, 11, 29, 5, 20, tzinfo=UTC), datetime(2026, 11, 29, 6, 40, tzinfo=UTC))
BEFORE = FIRST_HOUR - 9 * DAY


class RecordedDays(RecordedServer):
    """Serves the whole days, too; `day_calls` counts how often."""

    day_calls: list[date]

    def body(self, path: str, query: str) -> bytes | None:
        if path not in {"/allocation", "/assets"}:
            return super().body(path, query)
        start, end = (datetime.fromisoformat(text) for text in parse_qs(query)["window"][0].split(","))
        if end - start != DAY:
            return super().body(path, query)
        if path == "/allocation":
            self.day_calls.append(start.date())
        file = self.folder / f"day-{start:%Y-%m-%d}.{path[1:]}.json"
        empty: Any = [{}] if path == "/allocation" else {}
        return file.read_bytes() if file.exists() else json.dumps({"code": 200, "data": empty}).encode()


@pytest.fixture(scope="module")
def replayed(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[tuple[HistoryEngine, RecordedDays]]:
    """Ask the 56 hours, then let the hourly run close both days and heal the second."""
    url = postgres_server.create_database("recorded_days", template=migrated_template)
    with RecordedDays() as server:
        server.day_calls = []
        client = OpenCostClient(server.url)
        with history_engine(url, client, history_days=2, now=NOW) as history:
            history.record("web", finished_at=BEFORE, resources=(Resource("apps", "Deployment", "", "web"),))
            history.record("shop", finished_at=BEFORE, resources=None)
            history.record("idea", finished_at=NOW - HOUR, resources=None, destination=into("young"))
            hours = [FIRST_HOUR + number * HOUR for number in range(56)]
            for now in (NOW - HOUR / 4, NOW):
                history.engine.ensure(*hours, now=now)
            history.run(NOW)
            yield history, server
        client.close()
    postgres_server.drop_database("recorded_days")


def rows(history: HistoryEngine, day: date) -> dict[tuple[str, str, str], Any]:
    found = history.engine.collections.day_rows("local", [day], None)
    return {row[:3]: row for _, _, listed in found for row in listed}


def test_saturday_from_its_hours_is_its_day(replayed: tuple[HistoryEngine, RecordedDays]) -> None:
    """Cpu, memory, volumes and load balancer within 2e-4 per container, network within 0.5 %; the crash loop apart."""
    history, _ = replayed
    folded, answered = rows(history, SATURDAY), by_key(rows_of(day_answer("1.120.2", FIRST_HOUR)))

    assert history.headers()[SATURDAY].source is DaySource.HOURS
    assert folded.keys() == answered.keys()
    for key in (key for key in answered if not key[1].startswith("broken")):
        for name in ("cpu_cost", "ram_cost", "gpu_cost", "storage_cost", "load_balancer_cost"):
            assert getattr(folded[key], name) == pytest.approx(getattr(answered[key], name), abs=2e-4), (key, name)
        assert folded[key].network_cost == pytest.approx(answered[key].network_cost, rel=5e-3), key


def test_saturday_s_assets_are_its_day_s(replayed: tuple[HistoryEngine, RecordedDays]) -> None:
    """Node-a 24 hours at 0.1936, the load balancer 0.60, the control plane 2.40."""
    history, _ = replayed
    (found,) = history.engine.database.fetch_all(
        lambda _: lambda row: row[0],
        "SELECT assets FROM collections WHERE kind = 'day' AND window_start = %s",
        [FIRST_HOUR],
    )
    costs = {(one["type"], one["name"]): one["total_cost"] for one in found}

    assert costs["Node", "node-a"] == pytest.approx(24 * 0.1936, abs=1e-3)
    assert sum(cost for (kind, _), cost in costs.items() if kind == "LoadBalancer") == pytest.approx(0.60, abs=1e-3)
    assert sum(cost for (kind, _), cost in costs.items() if kind == "ClusterManagement") == pytest.approx(2.4, abs=1e-6)


def test_sunday_is_healed_once(replayed: tuple[HistoryEngine, RecordedDays]) -> None:
    """Everything was lost from 05:20 to 06:40; the whole day bridges it. Saturday needed no call."""
    history, server = replayed
    header = history.headers()[SUNDAY]

    assert server.day_calls == [SUNDAY]
    assert (header.source, header.healed, header.state) == (DaySource.DAY, True, DayState.COMPLETE)
    assert header.observed == (day_window(SUNDAY),)


def test_the_cost_over_the_outage_is_there(replayed: tuple[HistoryEngine, RecordedDays]) -> None:
    """`shop/web` runs evenly: of cpu and memory the day has 24/22.67 of what its hours have: 0.92556 instead of 0.87415."""
    history, _ = replayed
    of_hours = _hours_of_web(history)
    web = history.series("web")[SUNDAY]
    answered = [
        row
        for key, row in by_key(rows_of(day_answer("1.120.2", FIRST_HOUR + DAY))).items()
        if key[1].startswith("web-")
    ]

    assert web.cost.cpu + web.cost.ram == pytest.approx(sum(row.cpu_cost + row.ram_cost for row in answered), abs=1e-9)
    assert web.cost.cpu + web.cost.ram == pytest.approx(of_hours * 24 / (22 + 40 / 60), rel=2e-3)
    assert (web.measured_hours, web.source, web.complete) == (24, "day", True)


def test_the_hours_own_figures_are_not_changed(replayed: tuple[HistoryEngine, RecordedDays]) -> None:
    """Rolling figures keep to the hours that were observed: 22 hours 40 minutes of Sunday."""
    history, _ = replayed
    folding = history.engine.measuring.live.folding

    assert sum(span.hours for span in folding.observed(day_window(SUNDAY))) == pytest.approx(22 + 40 / 60, abs=1e-9)
    assert _hours_of_web(history) < 0.96 * (
        history.series("web")[SUNDAY].cost.cpu + history.series("web")[SUNDAY].cost.ram
    )


def test_a_young_namespace(replayed: tuple[HistoryEngine, RecordedDays]) -> None:
    """`young/idea` was born on Sunday at 15:32, seen from 15:35: 8 h 25 min, and nothing on Saturday."""
    history, _ = replayed

    assert list(history.series("idea", "namespace")) == [SUNDAY]
    assert history.series("idea", "namespace")[SUNDAY].measured_hours == pytest.approx(8 + 25 / 60, abs=1e-9)


def test_today_so_far(replayed: tuple[HistoryEngine, RecordedDays]) -> None:
    """Eight hours of Monday, of which two are no figures and two were observed for 50 minutes each."""
    history, _ = replayed

    (today,) = history.read("web", date(2026, 11, 30), date(2026, 11, 30)).days

    assert today.state == "provisional"
    assert today.cost is not None
    assert today.cost.measured_hours == pytest.approx(5 + 40 / 60, abs=1e-9)
    assert not today.cost.idle.complete


def _hours_of_web(history: HistoryEngine) -> float:
    folds = history.engine.measuring.live.folding.namespaces(day_window(SUNDAY), ["shop"])
    listed = [row for _, containers in folds for row in containers if row.controller == "web"]
    return sum(row.cpu_cost + row.ram_cost for row in listed)
