"""What PostgreSQL remembers to do."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from costintel.cost.application import AppRef
from costintel.errors import InvalidInput
from costintel.storage.records import Records
from costintel.storage.work import HOUR, SYNC, Work, WorkItem
from tests.storage.conftest import OpenDatabase
from tests.storage.examples import CLUSTER, NOON, record, sync

MINUTE = timedelta(minutes=1)
PAYLOAD = {"sync": {"id": "a", "images": ["é", '"quoted"', "back\\slash"]}, "early": None}


def test_a_sync_is_remembered(work: Work) -> None:
    """It is due at once, with its payload as it was and no attempts."""
    assert work.insert_syncs(CLUSTER, {"a": PAYLOAD}, NOON) == {"a"}
    assert work.due(CLUSTER, SYNC, NOON, 10) == [
        WorkItem(kind=SYNC, subject="a", payload=PAYLOAD, not_before=NOON, attempts=0, last_error="", created_at=NOON)
    ]


def test_a_sync_that_waits_is_not_inserted_again(work: Work) -> None:
    """A repetition neither counts as new nor changes what is remembered; the others of its batch are new."""
    work.insert_syncs(CLUSTER, {"a": PAYLOAD}, NOON)

    assert work.insert_syncs(CLUSTER, {"a": {"changed": True}, "b": PAYLOAD}, NOON + MINUTE) == {"b"}
    assert [item.payload for item in work.all(CLUSTER, SYNC)] == [PAYLOAD, PAYLOAD]


def test_a_sync_that_has_a_record_is_not_inserted(work: Work, records: Records) -> None:
    """What is measured and done does not begin anew when its message comes again; another cluster's record is no obstacle."""
    records.save(record(sync("a")))

    assert work.insert_syncs(CLUSTER, {"a": PAYLOAD, "b": PAYLOAD}, NOON) == {"b"}
    assert work.insert_syncs("elsewhere", {"a": PAYLOAD}, NOON) == {"a"}


def test_no_syncs_are_no_statement_gone_wrong(work: Work) -> None:
    """An empty batch inserts nothing."""
    assert work.insert_syncs(CLUSTER, {}, NOON) == set()


def test_batches_at_once_insert_each_sync_once(open_database: OpenDatabase) -> None:
    """Six functions get the same forty syncs in different orders at the same moment: each is new for exactly one of them."""
    works = [Work(open_database()) for _ in range(6)]
    ids = [f"{number:032}" for number in range(40)]

    def insert(number: int) -> set[str]:
        turned = ids[number * 7 :] + ids[: number * 7]
        return works[number].insert_syncs(CLUSTER, dict.fromkeys(turned, PAYLOAD), NOON)

    with ThreadPoolExecutor(6) as pool:
        inserted = [sync_id for found in pool.map(insert, range(6)) for sync_id in found]

    assert sorted(inserted) == ids
    assert len(works[0].all(CLUSTER, SYNC)) == 40


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\0b", "text without NUL characters"),
        ("\ud800", "text without half surrogate pairs"),
        (float("nan"), "finite numbers, without NaN or infinity"),
        (float("-inf"), "finite numbers, without NaN or infinity"),
    ],
)
def test_a_payload_that_cannot_be_kept_is_named(work: Work, value: object, expected: str) -> None:
    """The error says which sync and what was expected; nothing of the batch is inserted."""
    with pytest.raises(InvalidInput) as caught:
        work.insert_syncs(CLUSTER, {"a": PAYLOAD, "b": {"revision": value}}, NOON)

    assert (caught.value.field, caught.value.expected) == ("sync b", expected)
    assert work.all(CLUSTER, SYNC) == []


def test_the_letters_of_an_escape_are_ordinary_text(work: Work) -> None:
    r"""A text that reads \u0000, and is no NUL, is kept."""
    payload = {"revision": "\\u0000"}
    work.insert_syncs(CLUSTER, {"a": payload}, NOON)

    assert work.all(CLUSTER, SYNC)[0].payload == payload


def test_due_work_comes_in_order_and_not_before_its_time(work: Work) -> None:
    """Longest due first, of equals the oldest first; what is due later, another kind's and another cluster's stay away."""
    work.insert_syncs(CLUSTER, {"second": {}}, NOON + MINUTE)
    work.insert_syncs(CLUSTER, {"first": {}}, NOON)
    work.insert_syncs(CLUSTER, {"third": {}}, NOON + 2 * MINUTE)
    work.insert_syncs("elsewhere", {"other cluster": {}}, NOON)
    work.put(CLUSTER, HOUR, "other kind", {}, NOON)

    def due(minutes: int, limit: int = 10) -> list[str]:
        return [item.subject for item in work.due(CLUSTER, SYNC, NOON + minutes * MINUTE, limit)]

    assert due(-1) == []
    assert due(1) == ["first", "second"]
    assert due(2, limit=2) == ["first", "second"]
    assert [item.subject for item in work.all(CLUSTER, SYNC)] == ["first", "second", "third"]


def test_putting_replaces_payload_and_time_only(work: Work) -> None:
    """How often it has failed stays with the item."""
    work.put(CLUSTER, HOUR, "h", {"asked": 1}, NOON)
    work.postpone(CLUSTER, HOUR, "h", not_before=NOON + MINUTE, error="timeout", attempts=2)
    work.put(CLUSTER, HOUR, "h", {"asked": 2}, NOON + 5 * MINUTE)

    assert work.find(CLUSTER, HOUR, "h") == WorkItem(
        kind=HOUR,
        subject="h",
        payload={"asked": 2},
        not_before=NOON + 5 * MINUTE,
        attempts=2,
        last_error="timeout",
        created_at=NOON,
    )


def test_a_failure_is_noted(work: Work) -> None:
    """When to try again, how often it failed, and why: in 500 characters that PostgreSQL can keep."""
    work.insert_syncs(CLUSTER, {"a": PAYLOAD}, NOON)
    work.postpone(CLUSTER, SYNC, "a", not_before=NOON + MINUTE, error="bad\0" + "x" * 600, attempts=1)

    (item,) = work.all(CLUSTER, SYNC)
    assert (item.not_before, item.attempts) == (NOON + MINUTE, 1)
    assert item.last_error == "bad\N{REPLACEMENT CHARACTER}" + "x" * 496
    assert work.due(CLUSTER, SYNC, NOON, 10) == []


def test_a_step_that_succeeded_clears_the_failures(work: Work) -> None:
    """The next step begins with a clean slate."""
    work.insert_syncs(CLUSTER, {"a": PAYLOAD}, NOON)
    work.postpone(CLUSTER, SYNC, "a", not_before=NOON, error="timeout", attempts=3)
    work.update_payload(CLUSTER, SYNC, "a", {"early": True}, NOON + MINUTE)

    (item,) = work.all(CLUSTER, SYNC)
    assert (item.payload, item.not_before) == ({"early": True}, NOON + MINUTE)
    assert (item.attempts, item.last_error) == (0, "")


def test_finished_work_stays_gone(work: Work) -> None:
    """A slower function that still has the item in its hands does not bring it back."""
    work.insert_syncs(CLUSTER, {"a": PAYLOAD, "b": PAYLOAD}, NOON)
    work.delete(CLUSTER, SYNC, ["a"])
    work.update_payload(CLUSTER, SYNC, "a", {}, NOON)
    work.postpone(CLUSTER, SYNC, "a", not_before=NOON, error="", attempts=1)

    assert work.find(CLUSTER, SYNC, "a") is None
    assert [item.subject for item in work.all(CLUSTER, SYNC)] == ["b"]


def test_the_syncs_of_one_application(work: Work) -> None:
    """Of same names in two namespaces only the one that was asked for."""
    for subject, application in (("a", ["team-a", "web"]), ("b", ["team-b", "web"]), ("c", ["team-a", "api"])):
        work.put(CLUSTER, SYNC, subject, {"sync": {"application": application}}, NOON)

    assert [item.subject for item in work.syncs_of(CLUSTER, AppRef("team-a", "web"))] == ["a"]


def test_the_syncs_without_a_record(work: Work, records: Records) -> None:
    """A sync that was measured once speaks through its record, although it waits to be settled."""
    work.insert_syncs(CLUSTER, {"a": PAYLOAD, "b": PAYLOAD}, NOON)
    records.save(record(sync("a")))

    assert [item.subject for item in work.unrecorded_syncs(CLUSTER)] == ["b"]
