"""A sync through the queue."""

import base64
import gzip
import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costintel.argocd.destination import DestinationRules
from costintel.argocd.message import LIMIT_BYTES, parse_message, sync_from_dict, sync_message, sync_to_dict
from costintel.argocd.notification import Accepted, parse_notification
from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.cost.sync import Sync
from costintel.errors import InvalidInput
from tests.argocd.bodies import body

FINISHED = datetime(2026, 8, 20, 9, 58, 57, tzinfo=UTC)
SYNC = Sync(
    id="0" * 32,
    application=AppRef("team-a", "web"),
    project="shop",
    destination=Destination(name="in-cluster", namespace="shop"),
    resources=(Resource("apps", "Deployment", "shop", "web"), Resource("", "Pod", "", "one")),
    resources_omitted=False,
    finished_at=FINISHED,
    finished_at_known=True,
    started_at=None,
    created_at=FINISHED - timedelta(days=3),
    revision="",
    revisions=("75.6.1", "048b0cb1"),
    sync_status="Synced",
    health_status="Healthy",
    initiated_by="jörg@example.com",
    images=("café-ui:1.0-β",),
    received_at=FINISHED + timedelta(seconds=3, microseconds=17),
)

texts = st.text(max_size=40)
moments = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001  hypothesis wants naive bounds
resources = st.none() | st.lists(st.builds(Resource, texts, texts, texts, texts), max_size=5).map(tuple)
syncs = st.builds(
    Sync,
    id=texts,
    application=st.builds(AppRef, texts, texts),
    project=texts,
    destination=st.builds(Destination, server=texts, name=texts, namespace=texts),
    resources=resources,
    resources_omitted=st.booleans(),
    finished_at=moments,
    finished_at_known=st.booleans(),
    started_at=st.none() | moments,
    created_at=st.none() | moments,
    revision=texts,
    revisions=st.lists(texts, max_size=3).map(tuple),
    sync_status=texts,
    health_status=texts,
    initiated_by=texts,
    images=st.lists(texts, max_size=3).map(tuple),
    received_at=moments,
)


def with_resources(count: int, *, seed: int | None = None) -> Sync:
    return with_resources_of(SYNC, count, seed=seed)


def with_resources_of(sync: Sync, count: int, *, seed: int | None) -> Sync:
    """Return a sync with many Deployments; with a seed their names do not compress."""
    generator = random.Random(seed)
    names = [f"svc-{number:03d}" if seed is None else f"{generator.getrandbits(800):x}" for number in range(count)]
    return replace(sync, resources=tuple(Resource("apps", "Deployment", "shop", name) for name in names))


@settings(max_examples=200, deadline=None)
@given(syncs)
def test_a_sync_comes_out_as_it_went_in(sync: Sync) -> None:
    """Every sync survives the queue unchanged."""
    message = sync_message(sync)

    assert parse_message(message) == sync
    assert message.isascii()


@given(syncs)
@settings(max_examples=100, deadline=None)
def test_a_sync_survives_being_stored(sync: Sync) -> None:
    """The JSON object in PostgreSQL gives back the same sync."""
    assert sync_from_dict(json.loads(json.dumps(sync_to_dict(sync)))) == sync


def test_times_are_written_in_utc() -> None:
    """A time in another zone is the same moment, written with Z."""
    berlin = replace(SYNC, finished_at=FINISHED.astimezone(timezone(timedelta(hours=2))))

    assert sync_to_dict(berlin)["finished_at"] == "2026-08-20T09:58:57Z"
    assert parse_message(sync_message(berlin)) == SYNC


@pytest.mark.parametrize("count", [0, 1, 300, 600])
def test_ordinary_applications_are_carried_plain(count: int) -> None:
    """Up to hundreds of resources a message can be read as it is."""
    message = sync_message(with_resources(count))

    assert "gzip" not in json.loads(message)
    assert len(json.loads(message)["sync"]["resources"]) == count


def test_a_large_message_is_packed() -> None:
    """What is over 240 KiB plain is packed, with all its resources."""
    sync = with_resources(9000)
    message = sync_message(sync)
    packed = json.loads(message)["gzip"]

    assert len(message) <= LIMIT_BYTES
    assert len(json.loads(gzip.decompress(base64.b64decode(packed)))["resources"]) == 9000
    assert parse_message(message) == sync


def test_equal_syncs_give_equal_messages() -> None:
    """Packing carries no time of its own."""
    assert sync_message(with_resources(9000)) == sync_message(with_resources(9000))


def test_images_give_way_before_resources() -> None:
    """Images are only shown: they are left out before the scope of the measurement suffers."""
    generator = random.Random(1)
    images = tuple(f"{generator.getrandbits(1600):x}" for _ in range(1000))
    carried = parse_message(sync_message(replace(with_resources(1000), images=images)))

    assert carried == replace(with_resources(1000), images=())


def test_an_oversize_list_of_resources_is_left_out_and_told() -> None:
    """Still too large packed: the list goes, its absence is known to be ours, and the images stay."""
    message = sync_message(with_resources(2000, seed=1))
    carried = parse_message(message)

    assert len(message) <= LIMIT_BYTES
    assert carried == replace(SYNC, resources=None, resources_omitted=True)


def test_both_give_way_if_they_must() -> None:
    """Whatever is sent, a message stays under the limit."""
    generator = random.Random(2)
    images = tuple(f"{generator.getrandbits(1600):x}" for _ in range(1000))
    carried = parse_message(sync_message(replace(with_resources(2000, seed=3), images=images)))

    assert carried == replace(SYNC, resources=None, resources_omitted=True, images=())


def test_a_hostile_notification_still_fits() -> None:
    """Texts of the greatest length, of characters that take most bytes, leave room."""
    generator = random.Random(4)
    long = "".join(chr(generator.randrange(0x10000, 0x110000)) for _ in range(1000))
    shown = dict.fromkeys(("project", "revision", "syncStatus", "healthStatus", "initiatedBy", "destinationName"), long)
    content = body(**shown, revisions=[long] * 1000, images=[long] * 1000, destinationServer="")
    decision = parse_notification(content, now=FINISHED, cluster="local", rules=DestinationRules([long]), access=None)
    assert isinstance(decision, Accepted)

    assert len(sync_message(with_resources_of(decision.sync, 2000, seed=5))) <= LIMIT_BYTES


def packed(content: bytes) -> str:
    return json.dumps({"v": 1, "gzip": base64.b64encode(content).decode()})


@pytest.mark.parametrize(
    "message",
    [
        "",
        "null",
        "[]",
        "{}",
        '"text"',
        '{"v": 2, "sync": {}}',
        '{"v": 1}',
        '{"v": 1, "sync": null}',
        '{"v": 1, "sync": {"id": "x"}}',
        '{"v": 1, "gzip": 5}',
        '{"v": 1, "gzip": "?"}',
        packed(b"not gzip"),
        packed(gzip.compress(b"{}", mtime=0)),
        packed(gzip.compress(b"not json", mtime=0)),
        packed(gzip.compress(b"x" * 1000, mtime=0)[:-5]),
        packed(gzip.compress(b" " * 20_000_000, mtime=0)),
        json.dumps({"v": 1, "sync": {**sync_to_dict(SYNC), "finished_at": "2026-08-20T09:58:57"}}),
        json.dumps({"v": 1, "sync": {**sync_to_dict(SYNC), "application": ["only-one"]}}),
        json.dumps({"v": 1, "sync": {**sync_to_dict(SYNC), "destination": "x"}}),
    ],
)
def test_what_the_webhook_did_not_write_is_refused(message: str) -> None:
    """A foreign or damaged message is told apart from a failure of ours."""
    with pytest.raises(InvalidInput, match="message: expected"):
        parse_message(message)
