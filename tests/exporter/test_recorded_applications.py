"""The Applications that a real controller left behind, read end to end beside the notifications of the same syncs."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from costintel.argocd.destination import DestinationRules
from costintel.argocd.message import sync_from_dict
from costintel.argocd.notification import Accepted, parse_notification
from costintel.cost.sync import Sync
from costintel.storage.work import SYNC
from local.standin_kubernetes import stored
from tests.collection.engine import CLUSTER
from tests.collection.fake_opencost import FakeOpenCost, Life
from tests.exporter.installation import Clock, Installation, installation
from tests.measurement.syncs import send

SAMPLES = Path(__file__).parents[1] / "samples/argocd-recorded"
BEFORE = datetime(2026, 11, 30, 8, 30, tzinfo=UTC)
LISTED = datetime(2026, 11, 30, 8, 40, tzinfo=UTC)
NAMES = (
    "cronjob",
    "deployment-service-configmap",
    "multi-source",
    "orders-synced-through-the-api-server",
    "presync-hook",
)
NOTIFICATIONS = {
    **{name: name for name in NAMES},
    "deployment-service-configmap": "deployment-service-configmap-automated",
}
"""The notification of the sync that is an Application's last one in its recording."""
CHECKOUT = Life(pod="checkout-5c9d8f7b6d-aaaaa", controller="checkout")


def application(name: str) -> dict[str, Any]:
    item: dict[str, Any] = json.loads((SAMPLES / f"applications-real-controller/{name}.json").read_bytes())
    return item


def told(name: str) -> Sync:
    """Return the sync as its notification told it."""
    path = SAMPLES / f"notifications-real-controller/{NOTIFICATIONS[name]}.json"
    body = json.loads(path.read_bytes())["request"]["body"]
    text = body if isinstance(body, str) else json.dumps(body)
    parsed = parse_notification(text.encode(), now=LISTED, cluster=CLUSTER, rules=DestinationRules(), access=None)
    assert isinstance(parsed, Accepted)
    return parsed.sync


@pytest.fixture
def recorded(database_url: str) -> Iterator[Installation]:
    """Open an installation that listed an empty cluster at 08:30; now it is 08:40, and the Applications are there."""
    with installation(database_url, FakeOpenCost(lives=(CHECKOUT,)), {}, Clock(moment=BEFORE)) as opened:
        opened.list_all()
        opened.clock.moment = LISTED
        opened.kubernetes.store.put_bodies("applications", [stored(application(name)) for name in NAMES])
        yield opened


def waiting(recorded: Installation) -> dict[str, Sync]:
    syncs = [sync_from_dict(item.payload["sync"]) for item in recorded.engine.work.all(CLUSTER, SYNC)]
    return {sync.id: sync for sync in syncs}


def test_the_list_finds_what_the_notifications_told(recorded: Installation) -> None:
    """All five, field by field as the notification had them; only the list knows when the Application was created."""
    refreshed = recorded.list_all()

    assert refreshed.findings is not None
    assert (refreshed.findings.missed, dict(refreshed.findings.classes)) == (5, {"measured": 5})
    expected = {sync.id: sync for sync in map(told, NAMES)}
    found = waiting(recorded)
    assert {key: replace(sync, created_at=None, received_at=LISTED) for key, sync in found.items()} == expected
    assert {sync.created_at for sync in found.values() if sync.created_at} == {
        BEFORE + timedelta(minutes=4, seconds=1),
        BEFORE + timedelta(minutes=4, seconds=2),
        BEFORE + timedelta(minutes=8, seconds=36),
    }


def test_after_the_notifications_the_list_finds_nothing(recorded: Installation) -> None:
    """Nothing was missed, nothing is contradicted, nobody is without a measurement."""
    send(recorded.engine, *map(told, NAMES), now=LISTED)
    before = waiting(recorded)

    refreshed = recorded.list_all()

    findings = refreshed.findings
    assert findings is not None
    assert (findings.missed, findings.corrections, findings.installs, findings.prunes) == (0, 0, 0, 0)
    assert waiting(recorded) == before


def test_the_notifications_after_the_list_change_nothing(recorded: Installation) -> None:
    """They are the same syncs."""
    recorded.list_all()
    before = waiting(recorded)

    received = send(recorded.engine, *map(told, NAMES), now=LISTED)

    assert (received.new, waiting(recorded)) == (frozenset(), before)


def test_what_they_own_is_measured(recorded: Installation) -> None:
    """`checkout` and `bundle` list the same Deployment: it counts at `checkout`, which is a second older."""
    recorded.list_all()
    recorded.clock.moment += timedelta(hours=26)

    recorded.tick()

    costs = {}
    for name in ("checkout", "bundle", "nightly"):
        record = recorded.record(f"argocd:{name}")
        assert record is not None
        assert record.settled is not None
        costs[name] = record.settled["cost"]["total"]
    assert costs == {"checkout": 0.96, "bundle": 0.0, "nightly": 0.0}


def test_config_maps_and_hooks_without_pods_own_nothing(recorded: Installation) -> None:
    """`billing` has a ConfigMap and a hook that is one: application scope, with nothing of its own."""
    recorded.list_all()

    (billing,) = (sync for sync in waiting(recorded).values() if sync.application.name == "billing")

    assert billing.resources == ()


def test_the_sample_of_ten_is_classified(database_url: str) -> None:
    """Seven are ours, two of other clusters, and one has nothing but cluster-wide objects."""
    items = json.loads((SAMPLES.parent / "argocd/applications.json").read_bytes())["items"]
    with installation(database_url, FakeOpenCost(), {"applications": items}, Clock(moment=LISTED)) as opened:
        findings = opened.list_all().findings

        assert findings is not None
        assert dict(findings.classes) == {"measured": 7, "no_namespace": 1, "other_cluster": 2}
        assert findings.installs == 7
