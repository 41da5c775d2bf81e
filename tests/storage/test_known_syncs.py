"""The syncs we know of, in short, and what the list corrects of them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.cost.sync import Record
from costintel.measurement.task import new_payload
from costintel.storage.connection import Database
from costintel.storage.known_syncs import KnownSync, KnownSyncs
from costintel.storage.live import LiveApplications
from costintel.storage.records import Records
from costintel.storage.work import SYNC, Work
from tests.storage.examples import CLUSTER, IN_CLUSTER, NOON, SHOP, record, sync
from tests.storage.live_examples import application, listed

MINUTE = timedelta(minutes=1)
WEB = (Resource("apps", "Deployment", "shop", "web"),)


@pytest.fixture
def known(database: Database) -> KnownSyncs:
    return KnownSyncs(database)


def in_short(told: Any, **changes: Any) -> KnownSync:
    """Give what is kept in short of a sync."""
    kept = KnownSync(
        id=told.id,
        application=told.application,
        project=told.project,
        destination=told.destination,
        lists_resources=told.resources is not None and not told.resources_omitted,
        finished_at=told.finished_at,
        finished_at_known=told.finished_at_known,
        revision=told.revision,
        revisions=list(told.revisions),
        received_at=told.received_at,
        is_install=False,
    )
    return replace(kept, **changes)


def saved(records: Records, *kept: Record) -> None:
    for one in kept:
        records.save(one)


def test_records_and_waiting_syncs_look_alike(known: KnownSyncs, records: Records, work: Work) -> None:
    """The same sync from either table."""
    told = sync(resources=WEB, revisions=("a", "b"), project="shop")
    saved(records, record(sync=told))
    work.put(CLUSTER, SYNC, told.id, new_payload(told), NOON)

    assert known.newest_recorded(CLUSTER) == known.waiting(CLUSTER) == [in_short(told)]
    assert known.newest_recorded("another") == known.waiting("another") == []


@pytest.mark.parametrize(
    ("resources", "omitted", "lists"),
    [(WEB, False, True), ((), False, True), (None, False, False), (None, True, False)],
)
def test_whether_resources_are_known(
    known: KnownSyncs, records: Records, work: Work, resources: Any, omitted: bool, lists: bool
) -> None:
    """An empty list is a list; one that was left out is not."""
    told = sync(resources=resources, resources_omitted=omitted)
    saved(records, record(sync=told))
    work.put(CLUSTER, SYNC, told.id, new_payload(told), NOON)

    assert [one.lists_resources for one in (*known.newest_recorded(CLUSTER), *known.waiting(CLUSTER))] == [lists, lists]


def test_the_newest_of_each_application(known: KnownSyncs, records: Records) -> None:
    """By the time it finished; an install counts only without a sync."""
    old = sync(id="old", finished_at=NOON)
    new = sync(id="new", finished_at=NOON + MINUTE)
    installed = sync(id="installed", finished_at=NOON + 2 * MINUTE)
    other = sync(id="other", application=AppRef("argocd", "other"))
    install: dict[str, Any] = {"measured_on": "install", "found_by": "install"}
    saved(records, record(sync=new), record(sync=old), record(sync=installed, **install), record(sync=other, **install))

    assert known.newest_recorded(CLUSTER) == [in_short(other, is_install=True), in_short(new)]


def test_recorded_syncs_without_a_finish(known: KnownSyncs, records: Records) -> None:
    """All of them, oldest first, not only the newest of each Application."""
    guesses = [sync(id=f"id-{n}", finished_at=NOON + n * MINUTE, finished_at_known=False) for n in (1, 0)]
    saved(
        records, *(record(sync=one) for one in guesses), record(sync=sync(id="certain", finished_at=NOON + 5 * MINUTE))
    )

    assert [one.id for one in known.with_unknown_finish(CLUSTER)] == ["id-0", "id-1"]


class TestCorrect:
    """What a sync told is corrected."""

    def test_project_destination_resources_and_creation(self, records: Records) -> None:
        """Nothing else: not its figures, nor when it was measured."""
        told = sync(resources=None, project="default", created_at=None)
        right = replace(
            told,
            project="shop",
            destination=Destination(server="https://kubernetes.default.svc", namespace="store"),
            resources=WEB,
            created_at=NOON - 60 * MINUTE,
        )
        before = record(sync=told)
        saved(records, before)

        assert records.correct(CLUSTER, right)

        assert records.find(CLUSTER, told.id) == replace(before, sync=right)
        assert [one.sync.id for one in records.latest_of_all(CLUSTER, ["shop"])] == [told.id]

    def test_a_first_current_figure_of_other_pods_goes(self, records: Records) -> None:
        """One of the same pods stays."""
        told = sync(resources=None)
        saved(records, record(sync=told, first_current={"cost": {"total": 1}}))

        records.correct(CLUSTER, replace(told, project="other"))
        kept = records.find(CLUSTER, told.id)
        records.correct(CLUSTER, replace(told, resources=WEB))
        gone = records.find(CLUSTER, told.id)

        assert kept is not None
        assert kept.first_current == {"cost": {"total": 1}}
        assert gone is not None
        assert gone.first_current is None

    def test_without_a_record_there_is_nothing_to_correct(self, records: Records) -> None:
        """It waits, or was pruned."""
        assert not records.correct(CLUSTER, sync(id="unknown"))


def test_applications_by_name(applications: LiveApplications) -> None:
    """Those that the last list had, whole, or only when they were created."""
    shop = application(destination=IN_CLUSTER)
    team = application(AppRef("team-a", "shop"), created_at=NOON - MINUTE)
    applications.replace(CLUSTER, listed(shop, team))
    absent = AppRef("argocd", "absent")

    assert applications.named(CLUSTER, [SHOP, absent]) == {SHOP: shop}
    assert applications.created_at(CLUSTER, [team.application, absent]) == {team.application: NOON - MINUTE}
