"""Work put, inserted and renamed for many at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from costintel.errors import InvalidInput
from costintel.storage.work import CORRECTION, INSTALL, PRUNE, SYNC, Work, WorkItem
from tests.storage.conftest import OpenDatabase
from tests.storage.examples import CLUSTER, NOON

MINUTE = timedelta(minutes=1)
FAILED = WorkItem(
    kind=INSTALL,
    subject="argocd:shop",
    payload={"try": 1},
    not_before=NOON + 8 * MINUTE,
    attempts=4,
    last_error="no data",
    created_at=NOON,
)


@pytest.fixture
def failed_install(work: Work) -> WorkItem:
    """Put an install that has failed four times."""
    work.put(CLUSTER, INSTALL, FAILED.subject, FAILED.payload, NOON)
    work.postpone(
        CLUSTER,
        INSTALL,
        FAILED.subject,
        not_before=FAILED.not_before,
        error=FAILED.last_error,
        attempts=FAILED.attempts,
    )
    return FAILED


def subjects(work: Work, kind: str) -> list[str]:
    return [item.subject for item in work.all(CLUSTER, kind)]


def test_inserting_leaves_what_waits_alone(work: Work, failed_install: WorkItem) -> None:
    """Each complete list names the same Applications again: their pauses go on, only new ones are new."""
    lot = {"argocd:shop": {"try": 9}, "argocd:bank": {"try": 1}}

    assert work.insert_many(CLUSTER, INSTALL, lot, NOON + MINUTE) == {"argocd:bank"}
    assert work.find(CLUSTER, INSTALL, "argocd:shop") == failed_install
    assert work.find(CLUSTER, INSTALL, "argocd:bank") == WorkItem(
        kind=INSTALL,
        subject="argocd:bank",
        payload={"try": 1},
        not_before=NOON + MINUTE,
        attempts=0,
        last_error="",
        created_at=NOON + MINUTE,
    )


def test_putting_many_replaces_payloads_and_times(work: Work, failed_install: WorkItem) -> None:
    """As putting each of them would: how often one failed stays."""
    lot = {"argocd:shop": {"try": 9}, "argocd:bank": {"try": 1}}

    work.put_many(CLUSTER, INSTALL, lot, NOON + MINUTE)

    assert subjects(work, INSTALL) == ["argocd:shop", "argocd:bank"]
    shop = work.find(CLUSTER, INSTALL, "argocd:shop")
    assert shop is not None
    assert (shop.payload, shop.not_before) == ({"try": 9}, NOON + MINUTE)
    assert (shop.attempts, shop.last_error, shop.created_at) == (4, failed_install.last_error, NOON)


def test_kinds_and_clusters_keep_apart(work: Work) -> None:
    """The same Application may be installed, corrected and pruned, here and elsewhere."""
    for kind in (INSTALL, CORRECTION, PRUNE):
        work.put_many(CLUSTER, kind, {"argocd:shop": {"kind": kind}}, NOON)
        assert work.insert_many("elsewhere", kind, {"argocd:shop": {}}, NOON) == {"argocd:shop"}

    work.delete(CLUSTER, CORRECTION, ["argocd:shop"])
    assert [subjects(work, kind) for kind in (INSTALL, CORRECTION, PRUNE)] == [["argocd:shop"], [], ["argocd:shop"]]
    assert len(work.all("elsewhere", CORRECTION)) == 1


def test_none_is_no_statement_gone_wrong(work: Work) -> None:
    """An empty batch does nothing."""
    work.put_many(CLUSTER, PRUNE, {}, NOON)

    assert work.insert_many(CLUSTER, PRUNE, {}, NOON) == set()
    assert work.all(CLUSTER, PRUNE) == []


def test_a_payload_that_cannot_be_kept_is_named(work: Work) -> None:
    """Nothing of its batch is kept either."""
    lot = {"argocd:bank": {}, "argocd:shop": {"revision": "a\0b"}}
    with pytest.raises(InvalidInput, match="install argocd:shop: expected text without NUL characters"):
        work.insert_many(CLUSTER, INSTALL, lot, NOON)
    with pytest.raises(InvalidInput, match="install argocd:shop: expected text without NUL characters"):
        work.put_many(CLUSTER, INSTALL, lot, NOON)

    assert work.all(CLUSTER, INSTALL) == []


def test_batches_at_once_do_not_wait_in_a_circle(open_database: OpenDatabase) -> None:
    """Four functions with the same forty items in different orders: each item is new for exactly one of them."""
    works = [Work(open_database()) for _ in range(4)]
    names = [f"argocd:app-{number:02}" for number in range(40)]

    def write(number: int) -> set[str]:
        turned = names[number * 9 :] + names[: number * 9]
        inserted = works[number].insert_many(CLUSTER, INSTALL, {name: {} for name in turned}, NOON)
        works[number].put_many(CLUSTER, INSTALL, {name: {"by": number} for name in turned}, NOON)
        return inserted

    with ThreadPoolExecutor(4) as pool:
        inserted = [name for found in pool.map(write, range(4)) for name in found]

    assert sorted(inserted) == names
    assert sorted(subjects(works[0], INSTALL)) == names


def test_an_item_takes_another_subject(work: Work, failed_install: WorkItem) -> None:
    """With a payload to match; when it is due and how often it failed stay."""
    assert work.rename(CLUSTER, INSTALL, "argocd:shop", to="team-b:shop", payload={"try": 2})

    (item,) = work.all(CLUSTER, INSTALL)
    assert (item.subject, item.payload) == ("team-b:shop", {"try": 2})
    assert (item.not_before, item.attempts) == (failed_install.not_before, failed_install.attempts)
    assert (item.last_error, item.created_at) == (failed_install.last_error, NOON)


def test_a_subject_that_is_taken_keeps_its_item(work: Work) -> None:
    """The one that was to be renamed is forgotten: both are about the same."""
    work.put(CLUSTER, SYNC, "arrival", {"known": False}, NOON)
    work.put(CLUSTER, SYNC, "real", {"known": True}, NOON)

    assert not work.rename(CLUSTER, SYNC, "arrival", to="real", payload={"known": "renamed"})
    assert [(item.subject, item.payload) for item in work.all(CLUSTER, SYNC)] == [("real", {"known": True})]


def test_renaming_brings_nothing_back(work: Work) -> None:
    """One that is gone stays gone, and one that already has the subject stays as it is."""
    work.put(CLUSTER, SYNC, "real", {"known": True}, NOON)

    assert not work.rename(CLUSTER, SYNC, "gone", to="other", payload={})
    assert not work.rename(CLUSTER, SYNC, "real", to="real", payload={})
    assert [(item.subject, item.payload) for item in work.all(CLUSTER, SYNC)] == [("real", {"known": True})]
