"""The demo's forty Applications on a fresh installation, minute by minute: nobody sends a notification."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from costintel.cost.application import AppRef
from costintel.cost.sync import Record, sync_id
from costintel.opencost.client import OpenCostClient
from costintel.storage.work import INSTALL
from local.demo.application import DemoSync
from local.demo.live import after_sync, application_object, live_objects
from local.demo.more import APPLICATIONS
from local.demo.planned import application_of
from local.standin import StandIn
from tests.collection.engine import CLUSTER
from tests.exporter.conftest import NOW
from tests.exporter.installation import MINUTE, Clock, Installation, installation
from tests.measurement.syncs import a_sync, into, send

BORN = NOW - 5 * MINUTE
MISSED = [
    ("shop-api", 21, "10:00"),
    ("shop-db", 40, "10:00"),
    ("shop-cache", 59, "10:00"),
    ("orders", 60, "10:00"),
    ("payments-ledger", 68, "10:00"),
    ("shop-web", 69, "10:00"),
    ("shop-web", 72, "11:00"),
    ("tenant-alder", 70, "11:00"),
    ("tenant-elm", 75, "11:00"),
    ("shop-images", 84, "11:00"),
]
"""Application, minutes after 10:00 at which its sync finished, end of its early window."""
ALL = [application_of(plan, NOW) for plan in APPLICATIONS]
DEMO = {one.name: one for one in ALL}
LOCAL = {f"{one.namespace}:{one.name}" for one in ALL if not one.is_remote}


@pytest.fixture
def demo(database_url: str, opencost: StandIn) -> Iterator[Installation]:
    client = OpenCostClient(opencost.base_url)
    with installation(database_url, client, live_objects(NOW), Clock(moment=NOW)) as opened:
        yield opened
    client.close()


def early_total(record: Record) -> float:
    assert record.early is not None
    total: float = record.early["cost"]["total"]
    return total


def test_every_local_application_has_a_figure_after_the_first_tick(demo: Installation) -> None:
    """Thirty-eight of forty, measured on install, from 24 hours asked once; the two of other clusters have none."""
    refreshed = demo.list_all()
    demo.tick()

    assert refreshed.findings is not None
    assert dict(refreshed.findings.classes) == {"measured": 38, "other_cluster": 2, "access_application": 1}
    records = demo.records()
    assert set(records) == LOCAL
    assert {record.measured_on for record in records.values()} == {"install"}
    assert all(record.early is not None for record in records.values())
    assert early_total(records["argocd:storefront-root"]) == 0.0
    assert early_total(records["argocd:shop-web"]) > 0.0


def test_their_figures_are_the_current_ones(demo: Installation) -> None:
    """What is recorded is what `current` shows, to the last digit: both are the newest 24 hours."""
    demo.list_all()
    demo.tick()

    for name in ("shop-web", "orders", "monitoring-logs", "tenant-fir"):
        answer = demo.engine.actual(name, NOW)
        assert answer is not None
        current, early = answer["current"], answer["record"]["early"]
        assert (current["cost"], current["monthly"], current["measuredHours"]) == (
            early["cost"],
            early["monthly"],
            early["measuredHours"],
        )


def test_a_sync_that_arrives_between_list_and_tick_wins(demo: Installation) -> None:
    """One was synced meanwhile: it has the sync's record, the thirty-seven others their install's."""
    demo.list_all()
    sync = a_sync("shop-web", destination=into("shop"), resources=None, finished_at=NOW - MINUTE, received_at=NOW)
    send(demo.engine, sync, now=NOW)

    demo.tick()

    records = demo.records()
    assert set(records) == LOCAL
    assert records["argocd:shop-web"].sync.id == sync.id
    assert [name for name, record in records.items() if record.measured_on == "sync"] == ["argocd:shop-web"]


def test_a_namespace_without_data_follows(demo: Installation) -> None:
    """Five minutes old, it is in no hour: its turns come after 1, 2, 4, 8 minutes, then hourly, and each new hour is a chance.

    The hour to 11:00 has 45 minutes of it, asked at 11:10; with the hour to 12:00 there is enough, and its row is gone.
    """
    young = replace(
        DEMO["preview-42"], name="preview-43", destination_namespace="preview-43", created_at=BORN, syncs=()
    )
    item = application_object(replace(young, syncs=(DemoSync(revision="a", finished_at=BORN),)))
    demo.kubernetes.store.put("applications", item)
    demo.list_all()
    demo.tick()
    turns, figures = [NOW], dict[tuple[float, str], datetime]()

    for _ in range(111):
        demo.pass_minutes(1)
        row = demo.engine.work.find(CLUSTER, INSTALL, "argocd:preview-43")
        if row is not None and row.payload["steps"] > len(turns):
            turns.append(demo.clock.moment)
        record = demo.record("argocd:preview-43")
        if record is not None and record.early is not None:
            figures.setdefault((record.early["measuredHours"], record.early["confidence"]), demo.clock.moment)

    assert [(turn - NOW) / MINUTE for turn in turns] == [0, 1, 3, 7, 15, 75]
    assert figures == {
        (0.75, "too_little_data"): NOW.replace(hour=11, minute=10),
        (1.75, "partial"): NOW.replace(hour=12, minute=10),
    }
    assert demo.engine.work.find(CLUSTER, INSTALL, "argocd:preview-43") is None
    assert len([window for tick in demo.ticks for window in tick.hours.asked]) == 26


def test_ten_syncs_whose_notifications_never_came_are_found(demo: Installation) -> None:
    """Eight Applications are synced once and one twice within five minutes: ten records, each of its own windows.

    The early window ends with the last full hour ten minutes before the sync.
    """
    demo.list_all()
    demo.tick()
    demo.clock.moment = NOW.replace(hour=11, minute=25)
    items = {name: application_object(DEMO[name]) for name, _, _ in MISSED}
    for name, minutes, _ in MISSED:
        finished_at = NOW.replace(minute=0) + minutes * MINUTE
        sync = DemoSync(revision=f"{minutes:040x}", finished_at=finished_at)
        items[name] = after_sync(items[name], sync, started_at=finished_at - timedelta(seconds=20))
    for item in items.values():
        demo.kubernetes.store.put("applications", item)

    refreshed = demo.list_all()
    demo.tick()

    assert refreshed.findings is not None
    assert (refreshed.findings.missed, refreshed.findings.installs) == (10, 0)
    for name, minutes, window_end in MISSED:
        finished_at = NOW.replace(minute=0) + minutes * MINUTE
        record = demo.engine.records.find(CLUSTER, sync_id(CLUSTER, AppRef("argocd", name), finished_at))
        assert record is not None
        assert record.early is not None
        assert (record.found_by, record.early["window"]["end"]) == ("reconciliation", f"2026-11-30T{window_end}:00Z")
    assert demo.records()["argocd:shop-web"].sync.finished_at == NOW.replace(hour=11, minute=12)
