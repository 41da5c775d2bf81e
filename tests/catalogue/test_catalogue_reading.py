"""The catalogue from real tables: read once, read again where they changed, and the same as an Application's own answer."""

from datetime import datetime, timedelta

import pytest

from costintel.cost.application import AppRef
from costintel.cost.live import ListOutcome, LiveNamespace
from costintel.errors import StorageUnavailable
from costintel.measurement.age import CreationTimes
from costintel.measurement.catalogue_reading import CatalogueReader
from costintel.measurement.current import Actuals
from costintel.measurement.listing import Listing
from costintel.measurement.selection import Selection
from costintel.measurement.subject import SubjectState
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.live import LiveApplications, LiveNamespaces
from costintel.storage.records import Records
from costintel.storage.work import Work
from tests.catalogue.landscape import LONG_AGO, NOON, WEB, container, deployment, header, live, volume
from tests.catalogue.tables import (
    CLUSTER,
    DB,
    LISTED_AT,
    NOW,
    entries,
    put_waiting,
    reader,
    record,
    store_fold,
    store_list,
    web_sync,
)


def test_empty_tables_are_an_empty_catalogue(database: Database) -> None:
    """Before anything was stored there is nothing, and no error."""
    made = reader(database).read(NOW)

    assert (made.header, list(made.entries), list(made.unowned)) == (None, [], [])


def test_fold_list_and_records_are_put_together(database: Database) -> None:
    """Two listed Applications, one of them recorded, one workload each, and something that nobody owns."""
    store_fold(database, container("shop", "web", 3.0), container("shop", "db", 2.0), volume("shop", 0.5))
    store_list(database, live(), live(application=DB, resources=(deployment("db"),), labels={}, parent=None))
    Records(database).save(record(web_sync()))

    made = reader(database).read(NOW)
    found = entries(made)

    assert {name: entry.cost for name, entry in found.items()} == {"argocd:db": 2.0, "argocd:web": 3.0}
    assert (found["argocd:web"].state, found["argocd:db"].state) == (SubjectState.MEASURED, SubjectState.NOT_MEASURED)
    assert found["argocd:web"].subject.labels == {"team": "blue"}
    assert [(entry.namespace, sum(entry.counted.cost)) for entry in made.unowned] == [("shop", 500_000)]


def test_without_a_list_records_alone_are_the_applications(database: Database) -> None:
    """No Kubernetes is configured: the newest record of each says what it owns, an older one nothing."""
    store_fold(database, container("shop", "web", 3.0), container("shop", "old", 2.0))
    Records(database).save(record(web_sync(id="old", resources=(deployment("old"),), finished_at=LONG_AGO)))
    Records(database).save(record(web_sync(created_at=None)))

    [entry] = reader(database).read(NOW).entries

    assert (entry.subject.application, entry.cost, entry.state) == (WEB, 3.0, SubjectState.MEASURED)
    assert entry.subject.first_recorded_at == LONG_AGO
    assert (entry.age.hours, entry.age.is_known) == (24.0, True)


def test_a_waiting_sync_is_received(database: Database) -> None:
    """It is newer than the record: the Application waits, its current figure is there all the same."""
    store_fold(database, container("shop", "web", 3.0))
    store_list(database, live())
    Records(database).save(record(web_sync()))
    put_waiting(database, web_sync(id="2", finished_at=NOON, received_at=NOON))

    [entry] = reader(database).read(NOW).entries

    assert (entry.state, entry.cost) == (SubjectState.RECEIVED, 3.0)
    assert entry.subject.last_sync is not None
    assert entry.subject.last_sync.finished_at == NOON


def test_a_sync_newer_than_the_list_brings_its_resources(database: Database) -> None:
    """The list of 12:15 does not know the Deployment that was added at 12:18."""
    store_fold(database, container("shop", "web", 3.0), container("shop", "added", 2.0))
    store_list(database, live())
    new = (deployment("web"), deployment("added"))
    put_waiting(database, web_sync(resources=new, finished_at=NOW, received_at=LISTED_AT + timedelta(minutes=3)))

    assert entries(reader(database).read(NOW))["argocd:web"].cost == 5.0


def test_a_recorded_sync_without_a_figure_is_measured_by_the_current_one(database: Database) -> None:
    """As its own answer says; without a current one it still waits."""
    store_list(database, live())
    Records(database).save(record(web_sync(), early=None))
    assert entries(reader(database).read(NOW))["argocd:web"].state is SubjectState.RECEIVED

    store_fold(database, container("shop", "web", 3.0))
    assert entries(reader(database).read(NOW))["argocd:web"].state is SubjectState.MEASURED


def test_an_install_is_no_sync(database: Database) -> None:
    """It measures the Application, and leaves its last sync to those who know one."""
    store_fold(database, container("shop", "web", 3.0))
    store_list(database, live())
    Records(database).save(record(web_sync(), measured_on="install", found_by="install"))

    [entry] = reader(database).read(NOW).entries

    assert (entry.state, entry.subject.last_sync) == (SubjectState.MEASURED, None)


def test_a_failed_list_keeps_the_last_one(database: Database) -> None:
    """Nothing is concluded from it."""
    store_list(database, live())
    kept = reader(database)
    kept.read(NOW)
    store_list(database, at=LISTED_AT + timedelta(minutes=5), complete=False)

    assert list(entries(kept.read(NOW + timedelta(minutes=6)))) == ["argocd:web"]


def test_a_namespaces_age_comes_from_its_list(database: Database) -> None:
    """Six hours old: what nobody owns in it is projected from six hours."""
    store_fold(database, container("shop", "web", 1.0, start=int((NOON - timedelta(hours=6)).timestamp())))
    young = LiveNamespace(name="shop", created_at=NOON - timedelta(hours=6), labels={})
    LiveNamespaces(database).replace(CLUSTER, ListOutcome(items=(young,), complete=True, listed_at=LISTED_AT))

    [entry] = reader(database).read(NOW).unowned

    assert (entry.age.hours, entry.age.is_known) == (6.0, True)


def test_unchanged_tables_give_the_very_same_catalogue(database: Database) -> None:
    """Nothing is made again, also when syncs are looked up again after five minutes, or a new list shows the same."""
    store_fold(database, container("shop", "web", 3.0))
    store_list(database, live())
    kept = reader(database)
    first = kept.read(NOW)

    assert kept.read(NOW + timedelta(minutes=4)) is first
    assert kept.read(NOW + timedelta(minutes=6)) is first
    store_list(database, live(), at=LISTED_AT + timedelta(minutes=5))
    assert kept.read(NOW + timedelta(minutes=6)) is first


def test_a_new_fold_is_read_at_once(database: Database) -> None:
    """An hour later the costs are others."""
    store_fold(database, container("shop", "web", 3.0))
    store_list(database, live())
    kept = reader(database)
    kept.read(NOW)
    store_fold(database, container("shop", "web", 4.0), of=header(end=NOON + timedelta(hours=1)))

    made = kept.read(NOW)

    assert entries(made)["argocd:web"].cost == 4.0
    assert made.header is not None
    assert made.header.window.end == NOON + timedelta(hours=1)


def test_a_new_list_is_read_at_once(database: Database) -> None:
    """One Application changed, one is new, one is gone."""
    store_fold(database, container("shop", "web", 3.0), container("shop", "db", 2.0))
    store_list(database, live(), live(application=AppRef("argocd", "gone"), resources=()))
    kept = reader(database)
    kept.read(NOW)
    changed = live(resources=(deployment("web"), deployment("db")))
    store_list(database, changed, live(application=DB, resources=()), at=LISTED_AT + timedelta(minutes=5))

    found = entries(kept.read(NOW))

    assert {name: entry.cost for name, entry in found.items()} == {"argocd:db": 0.0, "argocd:web": 5.0}


def test_syncs_are_five_minutes_old_at_most(database: Database) -> None:
    """A new record shows within five minutes; so it does when the clock was set back."""
    store_list(database, live())
    kept = reader(database)
    kept.read(NOW)
    Records(database).save(record(web_sync()))

    def state(now: datetime) -> SubjectState:
        return entries(kept.read(now))["argocd:web"].state

    assert state(NOW + timedelta(minutes=4)) is SubjectState.NOT_MEASURED
    assert state(NOW + timedelta(minutes=5)) is SubjectState.MEASURED
    Records(database).save(record(web_sync(id="3", finished_at=NOON), early=None))
    assert state(NOW - timedelta(hours=1)) is SubjectState.RECEIVED


def test_what_a_failure_left_half_read_is_made_good(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fold is new, and the database goes away before the Applications are read: the next request sees both."""
    store_fold(database, container("shop", "web", 3.0))
    store_list(database, live())
    kept = reader(database)
    kept.read(NOW)
    store_fold(database, container("shop", "web", 4.0), of=header(end=NOON + timedelta(hours=1)))
    with monkeypatch.context() as patched:
        patched.setattr(CatalogueReader, "_read_applications", _unavailable)
        with pytest.raises(StorageUnavailable):
            kept.read(NOW)

    assert entries(kept.read(NOW))["argocd:web"].cost == 4.0


def _unavailable(*_: object) -> None:
    raise StorageUnavailable("away")


def test_the_list_and_the_application_say_the_same(database: Database) -> None:
    """The current figure of the list is the one of /actual to the last digit, without its pods."""
    rows = [
        container("shop", "web", 1 / 3, pod=f"web-7d9f8c6b5d-{pod}", ram_cost=0.1 / 7, storage_cost=2 / 9)
        for pod in ("bbbbb", "ccccc", "ddddd")
    ]
    store_fold(database, *rows, container("shop", "db", 1.0))
    store_list(database, live())
    Records(database).save(record(web_sync()))
    actuals = Actuals(
        cluster=CLUSTER,
        currency="USD",
        basis_hours=720,
        collections=Collections(database),
        records=Records(database),
        work=Work(database),
        creation_times=CreationTimes(
            cluster=CLUSTER, applications=LiveApplications(database), namespaces=LiveNamespaces(database)
        ),
    )

    listed = Listing(currency="USD", reader=reader(database)).applications(Selection(), NOW)["applications"]
    own = actuals.actual(WEB, NOW)

    assert own is not None
    [found] = listed
    assert found["current"] == {
        name: own["current"][name] for name in own["current"] if name not in {"pods", "podsTotal"}
    }
    assert found["pods"] == own["current"]["podsTotal"]["count"] == 3
    assert (found["state"], found["scope"]) == (own["state"], own["scope"])


def test_the_whole_adds_up_to_the_stored_fold(database: Database) -> None:
    """Owned and unowned are what PostgreSQL adds up, to the millionth."""
    names = [(f"w-{number}", f"ns-{number % 3}") for number in range(50)]
    store_fold(database, *(container(place, name, len(name) / 7, ram_cost=0.1) for name, place in names))
    listed = [
        live(application=AppRef("a", f"x-{name}"), resources=(deployment(name, place),)) for name, place in names[::2]
    ]
    store_list(database, *listed)
    document = Listing(currency="USD", reader=reader(database)).applications(Selection(limit=200), NOW)

    with database.transaction() as connection:
        row = connection.execute("SELECT totals FROM collections WHERE kind = 'live'").fetchone()
    assert row is not None
    for name in ("cpu", "ram"):
        parts = [one["counted"]["cost"][name] for one in document["applications"]]
        parts += [one["cost"][name] for one in document["unowned"]["namespaces"]]
        assert abs(sum(parts) - row[0][name]) <= 1e-6
        assert abs(document["total"]["cost"][name] - row[0][name]) <= 1e-6


def test_another_cluster_of_the_database_is_not_read(database: Database) -> None:
    """Rows of another cluster are somebody else's."""
    LiveApplications(database).replace("other", ListOutcome(items=(live(),), complete=True, listed_at=LISTED_AT))
    Records(database).save(record(web_sync(), cluster="other"))

    assert list(reader(database).read(NOW).entries) == []


def test_many_records_of_many_applications(database: Database) -> None:
    """Of each Application the newest record counts, an install only while there is no sync."""
    for number in range(3):
        application = AppRef("argocd", f"app-{number}")
        for age in range(4):
            one = web_sync(
                id=f"{number}-{age}",
                application=application,
                revision=f"r{age}",
                finished_at=NOON - timedelta(days=age),
            )
            installed = age == 0
            Records(database).save(
                record(
                    one, measured_on="install" if installed else "sync", found_by="install" if installed else "webhook"
                )
            )

    found = reader(database).read(NOW).entries

    assert [str(entry.subject.application) for entry in found] == ["argocd:app-0", "argocd:app-1", "argocd:app-2"]
    assert {entry.subject.last_sync.revision for entry in found if entry.subject.last_sync} == {"r1"}
