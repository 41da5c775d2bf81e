"""The records of measured syncs."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.cost.sync import Record
from costintel.cost.window import HOUR
from costintel.errors import InvalidInput
from costintel.storage.records import Records
from tests.storage.conftest import OpenDatabase
from tests.storage.examples import CLUSTER, IN_CLUSTER, NOON, SHOP, figure, record, sync

Connection = psycopg.Connection[Any]


def found(records: Records, sync_id: str = "a" * 32) -> Record:
    one = records.find(CLUSTER, sync_id)
    assert one is not None
    return one


@pytest.mark.parametrize(
    "one",
    [
        record(),
        record(early=figure(), settled=figure(13.0), is_settled=True, first_current=figure(0.1, None)),
        record(is_settled=True, settles_at=None),
        record(sync(resources=None, started_at=None, created_at=None, revisions=(), images=())),
        record(sync(resources=(), resources_omitted=True, finished_at_known=False)),
        record(sync(destination=Destination(name="in-cluster"))),
        record(measured_on="install", found_by="install"),
    ],
)
def test_a_record_comes_back_as_it_was_saved(records: Records, one: Record) -> None:
    """Every field, unknown ones as unknown."""
    records.save(one)

    assert records.find(CLUSTER, one.sync.id) == one


def test_an_unknown_sync_has_no_record(records: Records) -> None:
    """Nor has one of another cluster."""
    records.save(record())

    assert records.find(CLUSTER, "b" * 32) is None
    assert records.find("elsewhere", "a" * 32) is None


def test_saving_again_keeps_one_record(records: Records, sql: Connection) -> None:
    """A sync that is measured twice has one record, the later one."""
    records.save(record(scope="namespace"))
    records.save(record(scope="application"))

    assert found(records).scope == "application"
    assert sql.execute("SELECT count(*) FROM cost_actuals").fetchone() == (1,)


def test_figures_are_never_lost(records: Records) -> None:
    """A save that lacks early, settled and first current leaves those it finds, and a settled record settled."""
    whole = record(early=figure(1.0), settled=figure(2.0), is_settled=True, first_current=figure(3.0))
    records.save(whole)
    records.save(record(settles_at=None))

    assert found(records) == whole


def test_figures_may_come_one_after_the_other(records: Records) -> None:
    """First current, early, settled, each saved on its own; later amounts replace former ones."""
    records.save(record(first_current=figure(0.5)))
    records.save(record(early=figure(1.0)))
    records.save(record(early=figure(1.5)))
    records.save(record(settled=figure(2.0), is_settled=True))

    assert found(records) == record(first_current=figure(0.5), early=figure(1.5), settled=figure(2.0), is_settled=True)


def test_figures_saved_at_once_are_all_kept(open_database: OpenDatabase) -> None:
    """Two functions, one with the early and one with the settled figure, at the same moment."""
    both = [Records(open_database()) for _ in range(2)]
    halves = [record(early=figure(1.0)), record(settled=figure(2.0), is_settled=True)]
    with ThreadPoolExecutor(2) as pool:
        for number in range(10):
            names = [replace(half, sync=sync(f"{number:032}")) for half in halves]
            list(pool.map(lambda pair: pair[0].save(pair[1]), zip(both, names, strict=True)))

    for number in range(10):
        one = found(both[0], f"{number:032}")
        assert (one.early, one.settled, one.is_settled) == (figure(1.0), figure(2.0), True)


def test_costs_are_columns_of_their_figures(records: Records, sql: Connection) -> None:
    """Exactly as in the document; unknown is null."""
    records.save(record(early=figure(12.500001, None), settled=figure(0.3, 9.0), is_settled=True))

    columns = "early_cost::text, early_monthly_cost::text, settled_cost::text, settled_monthly_cost::text, stage"
    assert sql.execute(f"SELECT {columns} FROM cost_actuals".encode()).fetchall() == [
        ("12.500001", None, "0.3", "9.0", "settled")
    ]


def test_the_namespaces_of_its_pods_are_a_column(records: Records, sql: Connection) -> None:
    """Those the resources name, the destination's standing in for none; the destination's alone in namespace scope."""
    records.save(record(sync("a")))
    records.save(record(sync("b", resources=None)))

    assert sql.execute("SELECT namespaces FROM cost_actuals ORDER BY id").fetchall() == [
        (["jobs", "shop"],),
        (["shop"],),
    ]


@pytest.mark.parametrize(("number"), [float("nan"), float("inf")])
def test_nan_is_never_stored(records: Records, number: float) -> None:
    """Neither in early nor in settled; what was there stays."""
    records.save(record(early=figure(1.0)))
    with pytest.raises(InvalidInput, match="early: expected finite numbers"):
        records.save(record(early=figure(number)))
    with pytest.raises(InvalidInput, match="settled: expected finite numbers"):
        records.save(record(settled=figure(number), is_settled=True))

    assert found(records) == record(early=figure(1.0))


def test_nul_is_cleaned_out_of_what_people_write(records: Records) -> None:
    """A revision or an image with a NUL does not cost the record; the character is replaced."""
    records.save(record(sync(revision="v\0", images=("a\0b",), initiated_by="\ud800")))

    one = found(records).sync
    assert (one.revision, one.images, one.initiated_by) == (
        "v\N{REPLACEMENT CHARACTER}",
        ("a\N{REPLACEMENT CHARACTER}b",),
        "?",
    )


def test_nul_in_a_resource_is_refused(records: Records) -> None:
    """It would change which pods are its own."""
    with pytest.raises(InvalidInput, match="resources: expected text without NUL characters"):
        records.save(record(sync(resources=(Resource("apps", "Deployment", "", "web\0"),))))


def test_the_latest_sync_is_the_one_that_finished_last(records: Records) -> None:
    """An older sync that is measured last is not the latest."""
    records.save(record(sync("new", finished_at=NOON + HOUR), measured_at=NOON + HOUR))
    records.save(record(sync("old", finished_at=NOON), measured_at=NOON + 9 * HOUR))

    latest = records.latest(CLUSTER, SHOP)
    assert latest is not None
    assert latest.sync.id == "new"


def test_a_sync_comes_before_an_install(records: Records) -> None:
    """However late the install was measured; without a sync it is the latest."""
    records.save(record(sync("install", finished_at=NOON + HOUR), measured_on="install", found_by="install"))
    assert records.latest(CLUSTER, SHOP) == found(records, "install")

    records.save(record(sync("sync", finished_at=NOON)))
    assert records.latest(CLUSTER, SHOP) == found(records, "sync")


def test_an_application_is_its_namespace_and_name(records: Records) -> None:
    """One of the same name in another namespace, or of another cluster, is another one."""
    records.save(record(sync("a")))

    assert records.latest(CLUSTER, AppRef("team-b", "shop")) is None
    assert records.latest("elsewhere", SHOP) is None


def test_the_earliest_record_of_a_destination(records: Records) -> None:
    """Server, name and namespace must all be the same."""
    records.save(record(sync("elsewhere", finished_at=NOON - 9 * HOUR, destination=Destination(namespace="old"))))
    records.save(record(sync("second", finished_at=NOON)))
    records.save(record(sync("first", finished_at=NOON - HOUR)))

    assert records.earliest_with_destination(CLUSTER, SHOP, IN_CLUSTER) == found(records, "first")
    assert records.earliest_with_destination(CLUSTER, SHOP, replace(IN_CLUSTER, name="in-cluster")) is None


@pytest.fixture
def four_applications(records: Records) -> None:
    """Record a shop that moved from `shop` to `front`, a bank, a second shop in `shop`, and one of another cluster."""
    places = [
        ("1", SHOP, "shop", NOON, CLUSTER),
        ("2", SHOP, "front", NOON + HOUR, CLUSTER),
        ("3", AppRef("argocd", "bank"), "bank", NOON, CLUSTER),
        ("4", AppRef("team-b", "shop"), "shop", NOON, CLUSTER),
        ("5", AppRef("argocd", "remote"), "shop", NOON, "elsewhere"),
    ]
    for sync_id, application, namespace, finished_at, cluster in places:
        place = Destination(server=IN_CLUSTER.server, namespace=namespace)
        one = sync(sync_id, application=application, destination=place, resources=None, finished_at=finished_at)
        records.save(record(one, cluster=cluster))


@pytest.mark.usefixtures("four_applications")
@pytest.mark.parametrize(
    ("namespaces", "expected"),
    [
        (None, ["3", "2", "4"]),
        (["shop"], ["4"]),
        (["front", "bank"], ["3", "2"]),
        (["nowhere"], []),
        ([], []),
    ],
)
def test_the_newest_record_of_each_application(
    records: Records, namespaces: list[str] | None, expected: list[str]
) -> None:
    """By namespace and name; one that has moved away from a namespace no longer touches it."""
    assert [one.sync.id for one in records.latest_of_all(CLUSTER, namespaces)] == expected
    if namespaces is not None:
        assert [one.id for one in records.newest_syncs(CLUSTER, namespaces)] == expected


def test_a_first_current_figure_is_added(records: Records) -> None:
    """To a record that exists; the others of its figures stay."""
    records.save(record(early=figure(1.0)))

    assert records.save_first_current(CLUSTER, "a" * 32, figure(0.2))
    assert not records.save_first_current(CLUSTER, "b" * 32, figure(0.2))
    assert found(records) == record(early=figure(1.0), first_current=figure(0.2))


def test_times_keep_their_zone(records: Records) -> None:
    """They come back in UTC, to the microsecond."""
    moment = NOON + timedelta(microseconds=123456)
    records.save(record(measured_at=moment))

    assert found(records).measured_at == moment
    assert found(records).measured_at.utcoffset() == timedelta(0)
