"""How lists went, and the smaller kinds of live objects."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication
from costintel.storage.connection import Database
from costintel.storage.live import LiveApplications, LiveHpas, LiveNamespaces, LiveVpas
from costintel.storage.live_lists import APPLICATIONS, HPAS, NAMESPACES, VPAS, LiveLists, LiveListStatus
from costintel.storage.live_table import Replaced
from tests.storage.conftest import OpenDatabase
from tests.storage.examples import CLUSTER, NOON
from tests.storage.live_examples import amounts, application, failed, hpa, listed, namespace, vpa

MINUTES = timedelta(minutes=5)


def test_a_list_that_was_never_asked_for_has_no_status(applications: LiveApplications) -> None:
    """Nothing known is not the same as a complete empty list."""
    assert applications.status(CLUSTER) is None


def test_a_complete_list_is_noted(applications: LiveApplications) -> None:
    """With the time it was begun, which is the first complete one until there is a later."""
    for minutes in (0, 1, 2):
        applications.replace(CLUSTER, listed(application(), at=NOON + minutes * MINUTES))

    assert applications.status(CLUSTER) == LiveListStatus(
        kind=APPLICATIONS,
        listed_at=NOON + 2 * MINUTES,
        complete=True,
        error="",
        last_complete_at=NOON + 2 * MINUTES,
        first_complete_at=NOON,
    )


def test_a_failed_list_is_noted_beside_the_last_complete_one(applications: LiveApplications) -> None:
    """Its error in 500 characters that PostgreSQL can keep; the next complete list clears it."""
    applications.replace(CLUSTER, listed(application()))
    applications.replace(CLUSTER, failed("bad\0" + "x" * 600, at=NOON + MINUTES))

    assert applications.status(CLUSTER) == LiveListStatus(
        kind=APPLICATIONS,
        listed_at=NOON + MINUTES,
        complete=False,
        error="bad\N{REPLACEMENT CHARACTER}" + "x" * 496,
        last_complete_at=NOON,
        first_complete_at=NOON,
    )
    applications.replace(CLUSTER, listed(at=NOON + 2 * MINUTES))
    status = applications.status(CLUSTER)
    assert status is not None
    assert (status.complete, status.error, status.first_complete_at) == (True, "", NOON)


def test_lists_that_only_failed_have_no_complete_one(applications: LiveApplications) -> None:
    """Nothing may be concluded from them; the first complete one is the first that was."""
    applications.replace(CLUSTER, failed())
    before = applications.status(CLUSTER)
    applications.replace(CLUSTER, listed(at=NOON + MINUTES))
    after = applications.status(CLUSTER)

    assert before is not None
    assert after is not None
    assert (before.last_complete_at, before.first_complete_at) == (None, None)
    assert (after.last_complete_at, after.first_complete_at) == (NOON + MINUTES, NOON + MINUTES)


def test_every_kind_has_its_own_status(database: Database) -> None:
    """One may fail while the others succeed, and another cluster's are others."""
    LiveApplications(database).replace(CLUSTER, listed(application()))
    LiveNamespaces(database).replace(CLUSTER, failed("namespaces: 401"))
    LiveVpas(database).replace(CLUSTER, listed(vpa()))
    LiveHpas(database).replace("elsewhere", listed(hpa()))
    lists = LiveLists(database)

    assert {kind: status.complete for kind, status in lists.all(CLUSTER).items()} == {
        APPLICATIONS: True,
        NAMESPACES: False,
        VPAS: True,
    }
    assert lists.status(CLUSTER, NAMESPACES) == lists.all(CLUSTER)[NAMESPACES]
    assert lists.status(CLUSTER, HPAS) is None


def test_namespaces_come_back_as_they_were_listed(database: Database) -> None:
    """With creation time and labels; an absent one goes."""
    namespaces = LiveNamespaces(database)
    shop, bank = namespace("shop", team="front"), namespace("bank")

    assert namespaces.replace(CLUSTER, listed(shop, bank)) == Replaced(written=2)
    assert list(namespaces.all(CLUSTER)) == [bank, shop]
    assert namespaces.replace(CLUSTER, listed(shop)) == Replaced(removed=1)
    assert list(namespaces.all(CLUSTER)) == [shop]


def test_namespaces_are_found_by_name(database: Database) -> None:
    """Those that exist, each once."""
    namespaces = LiveNamespaces(database)
    namespaces.replace(CLUSTER, listed(namespace("shop"), namespace("bank"), namespace("jobs")))

    assert namespaces.named(CLUSTER, ["shop", "gone", "bank", "shop"]) == [namespace("bank"), namespace("shop")]
    assert namespaces.named(CLUSTER, []) == []


def test_vertical_autoscalers_come_back_as_they_were_listed(database: Database) -> None:
    """Amounts to the last digit, missing ones as missing, policies in their order."""
    vpas = LiveVpas(database)
    bare = vpa("bare", update_mode="", policies=(), recommendations=(), conditions=())

    assert vpas.replace(CLUSTER, listed(vpa(), bare)) == Replaced(written=2)
    assert list(vpas.all(CLUSTER)) == [bare, vpa()]
    assert vpas.replace(CLUSTER, listed(vpa(), bare)) == Replaced()


def test_the_smallest_amount_keeps_its_digits(database: Database) -> None:
    """A recommendation in nanocores or exbibytes is no float on its way."""
    vpas = LiveVpas(database)
    tiny = amounts("0.000000001", "1152921504606846977")
    (recommendation,) = vpa().recommendations
    one = vpa(
        recommendations=(type(recommendation)(container="c", target=tiny, lower=tiny, upper=tiny, uncapped=tiny),)
    )
    vpas.replace(CLUSTER, listed(one))

    assert list(vpas.all(CLUSTER)) == [one]


def test_horizontal_autoscalers_come_back_as_they_were_listed(database: Database) -> None:
    """Unknown replicas as unknown, targets of absolute amounts without a percentage."""
    hpas = LiveHpas(database)
    bare = hpa("bare", min_replicas=None, max_replicas=None, current_replicas=0, targets=())

    assert hpas.replace(CLUSTER, listed(hpa(), bare)) == Replaced(written=2)
    assert list(hpas.all(CLUSTER)) == [bare, hpa()]
    assert hpas.replace(CLUSTER, listed(hpa(), hpa("bare"))) == Replaced(written=1)


def test_autoscalers_are_found_by_namespace(database: Database) -> None:
    """Those of an Application's namespaces, by namespace and name."""
    vpas, hpas = LiveVpas(database), LiveHpas(database)
    vpas.replace(CLUSTER, listed(vpa("b"), vpa("a"), vpa(namespace="bank"), vpa(namespace="jobs")))
    hpas.replace(CLUSTER, listed(hpa(), hpa(namespace="bank")))

    assert vpas.within(CLUSTER, ["shop", "bank"]) == [vpa(namespace="bank"), vpa("a"), vpa("b")]
    assert hpas.within(CLUSTER, ["shop"]) == [hpa()]
    assert hpas.within(CLUSTER, []) == []


def test_lists_at_once_leave_one_whole(open_database: OpenDatabase) -> None:
    """Four functions with four lists at the same moment: the newest of them is what is stored."""
    tables = [LiveApplications(open_database()) for _ in range(4)]

    def lot(number: int) -> list[LiveApplication]:
        return [application(AppRef("argocd", f"app-{one}"), project=str(number)) for one in range(number, number + 30)]

    def store(number: int) -> None:
        tables[number].replace(CLUSTER, listed(*lot(number), at=NOON + number * MINUTES))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(store, range(4)))

    found = list(tables[0].all(CLUSTER))
    assert sorted(found, key=lambda one: one.application) == found
    assert {one.application: one for one in found} == {one.application: one for one in lot(3)}
