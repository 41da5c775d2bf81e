"""Records found, kept first, given their real id and deleted, Application by Application."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from costintel.cost.application import AppRef
from costintel.cost.sync import Record
from costintel.cost.window import HOUR
from costintel.errors import InvalidInput
from costintel.storage.daily import Daily
from costintel.storage.records import Records
from costintel.storage.work import HOUR as HOUR_WORK
from costintel.storage.work import SYNC, Work
from tests.storage.conftest import OpenDatabase
from tests.storage.examples import CLUSTER, NOON, SHOP, figure, record, sync
from tests.storage.live_examples import THURSDAY, daily_cost, progress

Connection = psycopg.Connection[Any]
BANK = AppRef("argocd", "bank")
OTHER_SHOP = AppRef("team-b", "shop")


def install(install_id: str = "i" * 32, application: AppRef = SHOP, **fields: Any) -> Record:
    usual = {"measured_on": "install", "found_by": "install", "settles_at": None, "early": figure()}
    return record(sync(install_id, application=application), **{**usual, **fields})


def waiting(work: Work, application: AppRef, *, cluster: str = CLUSTER, sync_id: str = "w" * 32) -> None:
    """Remember a sync of the Application, as far as storage looks at one."""
    payload = {"sync": {"id": sync_id, "application": [application.namespace, application.name]}}
    work.insert_syncs(cluster, {sync_id: payload}, NOON)


def ids(records: Records, cluster: str = CLUSTER) -> list[str]:
    return sorted(one.id for one in records.syncs(cluster))


def test_known_ids_are_told_from_new_ones(records: Records) -> None:
    """Of many candidates those that have a record, in this cluster."""
    records.save(record(sync("a")))
    records.save(record(sync("b"), cluster="elsewhere"))

    assert records.ids(CLUSTER, ["a", "b", "c", "a"]) == {"a"}
    assert records.ids(CLUSTER, []) == set()


def test_applications_with_records(records: Records) -> None:
    """Each once, whatever its records are, in this cluster."""
    records.save(record(sync("a")))
    records.save(record(sync("b")))
    records.save(install(application=OTHER_SHOP))
    records.save(record(sync("c", application=BANK), cluster="elsewhere"))

    assert records.applications_with_records(CLUSTER) == {SHOP, OTHER_SHOP}


def test_an_install_is_kept_when_nothing_else_is_known(records: Records, work: Work) -> None:
    """What is known of other Applications, and of the same one elsewhere, is no obstacle."""
    records.save(record(sync("a", application=OTHER_SHOP)))
    records.save(record(sync("b"), cluster="elsewhere"))
    waiting(work, BANK)
    waiting(work, SHOP, cluster="elsewhere")
    work.put(CLUSTER, HOUR_WORK, "h", {"sync": {"application": ["argocd", "shop"]}}, NOON)

    assert records.save_first(install())
    assert records.find(CLUSTER, "i" * 32) == install()


@pytest.mark.parametrize("first", [record(sync("a", finished_at=NOON - HOUR)), install("other")])
def test_an_install_is_not_kept_beside_another_record(records: Records, first: Record) -> None:
    """Neither a sync's nor another install's."""
    records.save(first)

    assert not records.save_first(install())
    assert ids(records) == [first.sync.id]


def test_an_install_is_not_kept_while_a_sync_waits(records: Records, work: Work) -> None:
    """The sync that came meanwhile wins."""
    waiting(work, SHOP)

    assert not records.save_first(install())
    assert ids(records) == []


def test_an_install_measured_again_replaces_the_former(records: Records) -> None:
    """With more data the same record says more; its early figure is the later one."""
    records.save_first(install(early=figure(0.5, None)))

    assert records.save_first(install(early=figure(12.0)))
    assert records.find(CLUSTER, "i" * 32) == install(early=figure(12.0))


def test_an_install_never_replaces_a_sync(records: Records) -> None:
    """Not even one of the same id."""
    records.save(record(sync("i" * 32)))

    assert not records.save_first(install())
    assert records.find(CLUSTER, "i" * 32) == record(sync("i" * 32))


def test_an_install_that_cannot_be_kept_is_named(records: Records) -> None:
    """As with every record."""
    with pytest.raises(InvalidInput, match="early: expected finite numbers"):
        records.save_first(install(early=figure(float("nan"))))


def test_installs_at_once_are_kept_once(open_database: OpenDatabase) -> None:
    """Six functions measure the same install at the same moment."""
    many = [Records(open_database()) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda one: one.save_first(install()), many)) == [True] * 6

    assert ids(many[0]) == ["i" * 32]


def test_syncs_come_without_their_figures(records: Records, sql: Connection) -> None:
    """By Application and oldest first, whatever was measured of them, every field as it was."""
    bank = sync("bank", application=BANK, resources=None, started_at=None, created_at=None, revisions=(), images=())
    new, old = sync("new"), sync("old", finished_at=NOON - HOUR)
    for one in (new, old, bank):
        records.save(record(one, early=figure()))
    records.save(record(sync("remote"), cluster="elsewhere"))

    assert list(records.syncs(CLUSTER)) == [bank, old, new]


def test_syncs_whose_finish_is_unknown(records: Records) -> None:
    """Only those, oldest first."""
    late, early = (
        sync(name, finished_at=moment, finished_at_known=False)
        for name, moment in (("late", NOON), ("early", NOON - HOUR))
    )
    for one in (late, sync("known"), early):
        records.save(record(one))
    records.save(record(sync("remote", finished_at_known=False), cluster="elsewhere"))

    assert records.syncs_with_unknown_finish(CLUSTER) == [early, late]


def test_a_record_takes_over_its_real_id(records: Records) -> None:
    """And the real finish; its figures stay, and it is done only once."""
    unknown = sync("arrival", finished_at_known=False)
    records.save(record(unknown, early=figure()))
    finished_at = NOON - timedelta(minutes=7)

    assert records.adopt_id(CLUSTER, "arrival", "real", finished_at=finished_at)

    real = sync("real", finished_at=finished_at, started_at=unknown.started_at, received_at=unknown.received_at)
    kept = record(real, early=figure(), measured_at=record(unknown).measured_at, settles_at=record(unknown).settles_at)
    assert records.find(CLUSTER, "real") == kept
    assert records.find(CLUSTER, "arrival") is None
    assert not records.adopt_id(CLUSTER, "arrival", "real", finished_at=finished_at)


def test_of_two_records_of_one_sync_the_real_one_stays(records: Records) -> None:
    """Reconciliation found it before the outdated notification was recognised."""
    real = record(sync("real"), early=figure(2.0))
    records.save(real)
    records.save(record(sync("arrival", finished_at_known=False), early=figure(1.0)))

    assert records.adopt_id(CLUSTER, "arrival", "real", finished_at=NOON)
    assert ids(records) == ["real"]
    assert records.find(CLUSTER, "real") == real


def test_a_known_finish_is_never_replaced(records: Records) -> None:
    """Such a record keeps its id, and so does one of another cluster."""
    records.save(record(sync("known")))
    records.save(record(sync("remote", finished_at_known=False), cluster="elsewhere"))

    assert not records.adopt_id(CLUSTER, "known", "real", finished_at=NOON)
    assert not records.adopt_id(CLUSTER, "remote", "real", finished_at=NOON)
    assert (ids(records), ids(records, "elsewhere")) == (["known"], ["remote"])


def test_everything_measured_of_an_application_is_deleted(records: Records, work: Work, daily: Daily) -> None:
    """Records, days, progress and waiting syncs: of this one, not of its namesake, its neighbour or another cluster's."""
    for number, one in enumerate((SHOP, OTHER_SHOP, BANK)):
        records.save(record(sync(f"a{number}", application=one)))
        records.save(record(sync(f"b{number}", application=one)))
        waiting(work, one, sync_id=f"w{number}")
        daily.store(CLUSTER, [daily_cost(reference=one), daily_cost(reference=one, scope="namespace")])
        daily.save_progress(CLUSTER, [progress(one)])
    records.save(record(sync("c"), cluster="elsewhere"))

    assert records.delete_measurements(CLUSTER, SHOP) == 2

    assert records.applications_with_records(CLUSTER) == {OTHER_SHOP, BANK}
    assert [item.subject for item in work.all(CLUSTER, SYNC)] == ["w1", "w2"]
    assert daily.series(CLUSTER, SHOP, "namespace", THURSDAY, THURSDAY) == []
    assert [one.application for one in daily.all_progress(CLUSTER)] == [BANK, OTHER_SHOP]
    assert len(daily.series(CLUSTER, OTHER_SHOP, "namespace", THURSDAY, THURSDAY)) == 1
    assert records.applications_with_records("elsewhere") == {SHOP}
    assert records.delete_measurements(CLUSTER, SHOP) == 0


def test_the_index_finds_waiting_syncs(sql: Connection) -> None:
    """The condition of the statements is the one that is indexed."""
    sql.execute("SET enable_seqscan = off")
    try:
        plan = sql.execute(
            "EXPLAIN SELECT FROM work WHERE cluster = 'local' AND kind = 'sync'"
            " AND payload #> '{sync,application}' = jsonb_build_array('argocd'::text, 'shop'::text)"
        ).fetchall()
    finally:
        sql.execute("RESET enable_seqscan")

    assert any("work_syncs" in line for (line,) in plan)
