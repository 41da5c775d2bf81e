"""The Applications of the last complete list."""

from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

import psycopg
import pytest

from costintel.cost.application import AppRef
from costintel.cost.ownership import Resource
from costintel.cost.window import HOUR
from costintel.errors import StorageError
from costintel.storage.live import LiveApplications
from costintel.storage.live_table import Replaced
from tests.storage.examples import CLUSTER, NOON, SHOP
from tests.storage.live_examples import application, bare_application, failed, listed, live_sync

Connection = psycopg.Connection[Any]
BANK = AppRef("argocd", "bank")
OTHER_SHOP = AppRef("team-b", "shop")
MINUTES = timedelta(minutes=5)


def versions(sql: Connection) -> dict[str, str]:
    """Return which version of its row each Application has: another one after every write, and after every lock."""
    rows = sql.execute("SELECT namespace || ':' || name, xmin::text || ctid::text || xmax::text FROM applications")
    return dict(rows.fetchall())


def names(applications: LiveApplications, cluster: str = CLUSTER) -> list[str]:
    return [str(one.application) for one in applications.all(cluster)]


def test_applications_come_back_as_they_were_listed(applications: LiveApplications) -> None:
    """Every field, unknown ones as unknown, by namespace and name."""
    known, bare = application(), bare_application(BANK)
    empty = application(OTHER_SHOP, resources=())

    assert applications.replace(CLUSTER, listed(known, empty, bare)) == Replaced(written=3)
    assert list(applications.all(CLUSTER)) == [bare, known, empty]


def test_one_is_found_by_namespace_and_name(applications: LiveApplications) -> None:
    """Of the same name in another namespace, or in another cluster, it is another one."""
    applications.replace(CLUSTER, listed(application(), bare_application(BANK)))

    assert applications.find(CLUSTER, SHOP) == application()
    assert applications.find(CLUSTER, OTHER_SHOP) is None
    assert applications.find("elsewhere", SHOP) is None


def test_a_complete_list_is_the_truth(applications: LiveApplications) -> None:
    """What is new is there, what changed is changed, what is absent is gone; other clusters keep theirs."""
    applications.replace("elsewhere", listed(application()))
    applications.replace(CLUSTER, listed(application(), bare_application(BANK)))
    moved = application(project="other")

    outcome = applications.replace(CLUSTER, listed(moved, application(OTHER_SHOP), at=NOON + MINUTES))

    assert outcome == Replaced(written=2, removed=1)
    assert list(applications.all(CLUSTER)) == [moved, application(OTHER_SHOP)]
    assert list(applications.all("elsewhere")) == [application()]


def test_an_empty_complete_list_empties(applications: LiveApplications) -> None:
    """There are none any more."""
    applications.replace(CLUSTER, listed(application()))

    assert applications.replace(CLUSTER, listed(at=NOON + MINUTES)) == Replaced(removed=1)
    assert names(applications) == []


def test_an_unchanged_application_is_not_written(applications: LiveApplications, sql: Connection) -> None:
    """Its row is neither replaced nor locked, whatever the order of the list and of the labels; a changed one is."""
    applications.replace(CLUSTER, listed(application(), bare_application(BANK), application(OTHER_SHOP)))
    before = versions(sql)
    turned = application(labels={"env": "prod", "team": "front"})

    outcome = applications.replace(CLUSTER, listed(replace(bare_application(BANK), deleting=False), turned))

    assert outcome == Replaced(written=1, removed=1)
    after = versions(sql)
    assert after["argocd:shop"] == before["argocd:shop"]
    assert after["argocd:bank"] != before["argocd:bank"]


@pytest.mark.parametrize(
    "change",
    [
        {"resources": None},
        {"resources": ()},
        {"last_sync": None},
        {"history": (live_sync(NOON - HOUR),)},
        {"labels": {"team": "back", "env": "prod"}},
        {"parent": None},
        {"deleting": True},
        {"created_at": NOON},
    ],
)
def test_every_change_is_seen(applications: LiveApplications, change: dict[str, Any]) -> None:
    """No field is left out of the comparison."""
    applications.replace(CLUSTER, listed(application()))

    assert applications.replace(CLUSTER, listed(application(**change))) == Replaced(written=1)
    assert applications.find(CLUSTER, SHOP) == application(**change)


def test_a_failed_list_changes_no_row(applications: LiveApplications) -> None:
    """What is not in it may be there all the same."""
    applications.replace(CLUSTER, listed(application()))

    assert applications.replace(CLUSTER, failed(at=NOON + MINUTES)) == Replaced()
    assert names(applications) == ["argocd:shop"]


def test_a_list_begun_earlier_comes_too_late(applications: LiveApplications) -> None:
    """A slow function that lists what was neither changes rows nor what is said of the list."""
    applications.replace(CLUSTER, listed(application(), at=NOON + MINUTES))
    status = applications.status(CLUSTER)

    assert applications.replace(CLUSTER, listed(bare_application(BANK), at=NOON)) == Replaced()
    assert applications.replace(CLUSTER, failed(at=NOON)) == Replaced()
    assert names(applications) == ["argocd:shop"]
    assert applications.status(CLUSTER) == status


def test_of_two_with_one_name_the_first_counts(applications: LiveApplications) -> None:
    """A file may repeat itself; that does not stop the list."""
    doubled = listed(application(project="first"), application(project="second"))

    assert applications.replace(CLUSTER, doubled) == Replaced(written=1)
    assert applications.replace(CLUSTER, doubled) == Replaced()
    assert [one.project for one in applications.all(CLUSTER)] == ["first"]


def test_odd_text_does_not_stop_the_list(applications: LiveApplications) -> None:
    """What one tenant wrote and PostgreSQL refuses is replaced, also in resources; the letters of an escape are just letters."""
    odd = application(
        project="a\0b",
        images=("\ud800", "\\u0000", 'é"\\'),
        resources=(Resource("apps", "Deployment", "", "web\0\0"),),
    )

    applications.replace(CLUSTER, listed(odd))

    assert applications.find(CLUSTER, SHOP) == replace(
        odd,
        project="a\N{REPLACEMENT CHARACTER}b",
        images=("?", "\\u0000", 'é"\\'),
        resources=(Resource("apps", "Deployment", "", "web" + 2 * "\N{REPLACEMENT CHARACTER}"),),
    )
    assert applications.replace(CLUSTER, listed(odd)) == Replaced()


def test_times_in_another_zone_are_the_same_times(applications: LiveApplications) -> None:
    """They come back as the same moments."""
    east = timezone(timedelta(hours=2))
    one = application(created_at=NOON.astimezone(east), last_sync=live_sync(NOON.astimezone(east)))
    applications.replace(CLUSTER, listed(one))

    assert applications.find(CLUSTER, SHOP) == one


def test_many_pass_in_pieces(applications: LiveApplications, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list larger than one statement is written and read whole, and shrinks whole."""
    monkeypatch.setattr("costintel.storage.batches.BATCH_CHARACTERS", 5_000)
    many = [application(AppRef(f"team-{number % 7}", f"app-{number:03}")) for number in range(300)]
    in_order = sorted(many, key=lambda one: one.application)

    assert applications.replace(CLUSTER, listed(*many)) == Replaced(written=300)
    assert list(applications.all(CLUSTER)) == in_order
    assert applications.replace(CLUSTER, listed(*in_order[:20])) == Replaced(removed=280)
    assert list(applications.all(CLUSTER)) == in_order[:20]


def test_a_list_that_cannot_be_written_changes_nothing(applications: LiveApplications, sql: Connection) -> None:
    """It is all or nothing: the rows, and what is said of the list."""
    applications.replace(CLUSTER, listed(application()))
    status = applications.status(CLUSTER)
    sql.execute("ALTER TABLE applications ADD CONSTRAINT no_bank CHECK (name <> 'bank')")
    try:
        with pytest.raises(StorageError, match="violates check constraint"):
            applications.replace(CLUSTER, listed(application(OTHER_SHOP), bare_application(BANK), at=NOON + MINUTES))
    finally:
        sql.execute("ALTER TABLE applications DROP CONSTRAINT no_bank")

    assert names(applications) == ["argocd:shop"]
    assert applications.status(CLUSTER) == status


def test_pages_follow_each_other(applications: LiveApplications) -> None:
    """By namespace and name, in the order of their bytes, without repetition or omission."""
    references = [AppRef("a", "z"), AppRef("a-b", "a"), AppRef("a-b", "b"), AppRef("b", "a")]
    applications.replace(CLUSTER, listed(*(application(one) for one in reversed(references))))

    first = applications.page(CLUSTER, after=None, limit=2)
    second = applications.page(CLUSTER, after=first[-1].application, limit=2)

    assert [one.application for one in first + second] == references
    assert applications.page(CLUSTER, after=references[-1], limit=2) == []


def test_applications_are_found_by_label(applications: LiveApplications) -> None:
    """Those that have it, with its value, an empty one too."""
    applications.replace(
        CLUSTER,
        listed(
            application(labels={"team": "front"}),
            application(OTHER_SHOP, labels={"team": ""}),
            application(BANK, labels={"teams": "front"}),
        ),
    )
    applications.replace("elsewhere", listed(application(labels={"team": "other"})))

    assert applications.labelled(CLUSTER, "team") == {SHOP: "front", OTHER_SHOP: ""}
    assert applications.labelled(CLUSTER, "cost-intel/cluster-access") == {}
