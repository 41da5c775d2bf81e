"""Lists through the official client, from a stand-in that answers like a real API server, and fails like one."""

import json
from typing import Any

import pytest

from costintel.cluster import connection as connection_module
from costintel.cluster.access import open_connection
from costintel.cluster.connection import Connection
from costintel.cluster.kinds import APPLICATIONS, NAMESPACES
from costintel.cluster.listing import Lister
from costintel.cluster.namespaces import read_namespace
from costintel.cluster.settings import ClusterSettings
from costintel.cost.live import ListOutcome, LiveNamespace
from local.standin_kubernetes import Access, Fault, StandInKubernetes, Store, stored
from tests.cluster.conftest import NOW, TOKEN, OpenCluster, StartStandIn
from tests.cluster.objects import application, namespace_object

APPLICATIONS_PATH = "/apis/argoproj.io/v1alpha1/applications"


def namespaces(count: int) -> Store:
    store = Store()
    store.put_bodies("namespaces", [stored(namespace_object(f"team-{number:03d}")) for number in range(count)])
    return store


def listed_namespaces(
    stand_in: StandInKubernetes, *, seconds: float = 20, **changes: Any
) -> ListOutcome[LiveNamespace]:
    """List the namespaces with limits of our own."""
    with_limits = connection_at(stand_in, **changes)
    try:
        return Lister(with_limits, clock=lambda: NOW, seconds=seconds).outcome(NAMESPACES, read_namespace)
    finally:
        with_limits.close()


def connection_at(stand_in: StandInKubernetes, **changes: Any) -> Connection:
    plain = open_connection(ClusterSettings(endpoint=stand_in.endpoint, token=TOKEN))
    return Connection(plain._connect, renew=plain._renew, **changes)


def queries(stand_in: StandInKubernetes) -> list[str]:
    return [call["query"].partition("&")[0] for call in stand_in.calls.summary()["calls"]]


def test_a_list_is_read_page_by_page(start_stand_in: StartStandIn, open_standin_cluster: OpenCluster) -> None:
    """250 objects come in three pages of at most a hundred, over one connection, in order, and the list is complete."""
    stand_in = start_stand_in(namespaces(250))
    outcome = open_standin_cluster(stand_in).namespaces()

    assert (outcome.complete, outcome.error, outcome.listed_at) == (True, "", NOW)
    assert [one.name for one in outcome.items] == [f"team-{number:03d}" for number in range(250)]
    assert queries(stand_in) == ["limit=100"] * 3
    assert stand_in.calls.connections == 1


def test_namespaces_are_asked_for_their_metadata_only(
    start_stand_in: StartStandIn, open_standin_cluster: OpenCluster
) -> None:
    """Labels and creation are in it."""
    (one,) = open_standin_cluster(start_stand_in(namespaces(1))).namespaces().items

    assert (one.name, dict(one.labels), one.created_at.isoformat()) == (
        "team-000",
        {"team": "team-000"},
        "2026-08-01T09:00:00+00:00",
    )


def test_nothing_there_is_a_complete_list(stand_in: StandInKubernetes, open_standin_cluster: OpenCluster) -> None:
    """An empty list is none, and says so."""
    outcome = open_standin_cluster(stand_in).applications()

    assert (outcome.complete, outcome.items) == (True, ())


def test_what_changes_meanwhile_does_not_show(start_stand_in: StartStandIn) -> None:
    """All pages show the moment of the first, also an object that was deleted between two of them."""
    stand_in = start_stand_in(namespaces(150))
    connection = connection_at(stand_in)
    names: list[str] = []

    def read(item: object) -> str:
        if not names:
            stand_in.store.delete("namespaces", "", "team-149")
            stand_in.store.put("namespaces", namespace_object("team-120a"))
        names.append(read_namespace(item).name)
        return names[-1]

    outcome = Lister(connection, clock=lambda: NOW).outcome(NAMESPACES, read)
    connection.close()

    assert outcome.complete
    assert names == [f"team-{number:03d}" for number in range(150)]


def test_an_expired_list_is_begun_anew(start_stand_in: StartStandIn) -> None:
    """After a 410 everything is read again from the first page, and nothing twice."""
    stand_in = start_stand_in(namespaces(250))
    stand_in.faults.add(Fault(continued=True, expire=True, calls=1))
    outcome = listed_namespaces(stand_in)

    statuses = [call["status"] for call in stand_in.calls.summary()["calls"]]
    assert outcome.complete
    assert len({one.name for one in outcome.items}) == len(outcome.items) == 250
    assert statuses == [200, 410, 200, 200, 200]


def test_a_list_that_always_expires_is_given_up(start_stand_in: StartStandIn) -> None:
    """Three beginnings, then it is not complete: a part of a list is nothing."""
    stand_in = start_stand_in(namespaces(250))
    stand_in.faults.add(Fault(continued=True, expire=True))
    outcome = listed_namespaces(stand_in)

    statuses = [call["status"] for call in stand_in.calls.summary()["calls"]]
    assert (outcome.complete, outcome.items) == (False, ())
    assert outcome.error == "namespaces: the list expired while it was read (410)"
    assert statuses == [200, 410] * 3


def test_a_failure_on_the_way_leaves_nothing(start_stand_in: StartStandIn) -> None:
    """Two of three pages are no list."""
    stand_in = start_stand_in(namespaces(250))
    stand_in.faults.add(Fault(continued=True, status=500))
    outcome = listed_namespaces(stand_in)

    assert (outcome.complete, outcome.items) == (False, ())
    assert outcome.error == "namespaces: the API server answered 500"


def test_missing_rights_name_the_rule(start_stand_in: StartStandIn, open_standin_cluster: OpenCluster) -> None:
    """403 is not none: the error holds the rule the role lacks, and nothing the API server wrote."""
    access = Access(accepts=TOKEN.__eq__, readable=frozenset({"namespaces"}))
    cluster = open_standin_cluster(start_stand_in(namespaces(1), access=access))

    outcome = cluster.applications()
    assert (outcome.complete, outcome.items) == (False, ())
    assert outcome.error == (
        "applications: reading them is forbidden (403); the role needs the rule "
        '{apiGroups: ["argoproj.io"], resources: [applications], verbs: [get, list]}'
    )
    assert cluster.namespaces().complete


def test_what_is_not_installed_is_unavailable(start_stand_in: StartStandIn, open_standin_cluster: OpenCluster) -> None:
    """404 for a kind is not an empty list of it."""
    access = Access(accepts=TOKEN.__eq__, installed=frozenset({"applications", "namespaces"}))
    outcome = open_standin_cluster(start_stand_in(access=access)).vertical_autoscalers()

    assert not outcome.complete
    assert outcome.error == (
        "verticalpodautoscalers: the API server has no autoscaling.k8s.io/v1 verticalpodautoscalers (404)"
    )


def test_a_refused_token_is_renewed_once(start_stand_in: StartStandIn) -> None:
    """After a 401 the request is sent once more with a new token, and no more than once."""
    stand_in = start_stand_in(namespaces(1))
    renewed: list[int] = []
    connection = connection_at(stand_in)
    again = Connection(connection._connect, renew=lambda: renewed.append(1))
    stand_in.faults.add(Fault(status=401, calls=1))
    first = Lister(again, clock=lambda: NOW).outcome(NAMESPACES, read_namespace)
    stand_in.faults.add(Fault(status=401))
    second = Lister(again, clock=lambda: NOW).outcome(NAMESPACES, read_namespace)
    again.close()

    assert first.complete
    assert second.error == (
        "namespaces: the API server did not accept the token (401); is there an access entry for its role?"
    )
    assert len(renewed) == 2
    assert stand_in.calls.summary()["total"] == 4


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(status=429), "the API server is too busy (429)"),
        (Fault(status=503), "the API server answered 503"),
        (Fault(status=307), "redirected with 307; is the endpoint the API server's own address?"),
        (Fault(reset=True), "the API server's answer broke off"),
        (Fault(truncate=True), "the API server's answer broke off"),
        (Fault(html=True), "the API server's answer is not JSON"),
    ],
)
def test_failures_say_what_happened(start_stand_in: StartStandIn, fault: Fault, error: str) -> None:
    """Each is told in one line, and asked for once."""
    stand_in = start_stand_in(namespaces(3))
    stand_in.faults.add(fault)
    outcome = listed_namespaces(stand_in)

    assert (outcome.complete, outcome.error) == (False, f"namespaces: {error}")
    assert stand_in.calls.summary()["total"] == 1


def test_a_hang_is_asked_for_once(start_stand_in: StartStandIn) -> None:
    """The client's own three retries are off: a timeout is one timeout."""
    stand_in = start_stand_in(namespaces(1))
    stand_in.faults.add(Fault(hang=True))
    outcome = listed_namespaces(stand_in, seconds=0.2)
    stand_in.faults.clear()
    stand_in.stop()

    assert outcome.error == "namespaces: the API server was silent for 0 s"
    assert stand_in.calls.connections == 1


def test_a_list_has_a_time_of_its_own(start_stand_in: StartStandIn) -> None:
    """Pages that each come in time add up to a list that does not."""
    stand_in = start_stand_in(namespaces(1000))
    stand_in.faults.add(Fault(latency_seconds=0.05))
    outcome = listed_namespaces(stand_in, seconds=0.3)

    assert not outcome.complete
    assert outcome.error in {
        "namespaces: the list was not complete in time",
        "namespaces: the API server was silent for 0 s",
    }


def test_nobody_listens(stand_in: StandInKubernetes) -> None:
    """A closed port is told as such, without its address."""
    endpoint = stand_in.endpoint
    stand_in.stop()
    connection = open_connection(ClusterSettings(endpoint=endpoint, token=TOKEN))
    outcome = Lister(connection, clock=lambda: NOW).outcome(NAMESPACES, read_namespace)

    assert outcome.error == "namespaces: no connection to the API server"


def test_large_objects_come_in_smaller_pages(start_stand_in: StartStandIn) -> None:
    """A page over the limit is asked for again with a quarter of the objects, and so are those after it."""
    store = Store()
    for number in range(40):
        item = namespace_object(f"team-{number:03d}")
        item["metadata"]["labels"]["padding"] = "x" * 1000
        store.put("namespaces", item)
    stand_in = start_stand_in(store)
    outcome = listed_namespaces(stand_in, page_bytes=40_000)

    assert outcome.complete
    assert len(outcome.items) == 40
    assert queries(stand_in) == ["limit=100", "limit=25", "limit=25"]


def test_an_object_beyond_the_limit_is_an_error(start_stand_in: StartStandIn) -> None:
    """One that fits no page ends the list; no API server stores one as large."""
    item = namespace_object("large")
    item["metadata"]["labels"]["padding"] = "x" * 5000
    store = Store()
    store.put("namespaces", item)
    outcome = listed_namespaces(start_stand_in(store), page_bytes=2000)

    assert outcome.error == "namespaces: one object is larger than a page may be"


def test_the_page_limit_leaves_room_for_what_etcd_takes() -> None:
    """An object has at most 1.5 MiB."""
    assert connection_module.PAGE_BYTES > 1.5 * 1024**2


def test_an_object_without_identity_ends_the_list(start_stand_in: StartStandIn) -> None:
    """To leave it out would say that it is gone."""
    store = Store()
    store.put("applications", application("ok"))
    store.put("applications", {**application("web"), "metadata": {"name": "web", "namespace": "argocd"}})
    connection = connection_at(start_stand_in(store))
    outcome = Lister(connection, clock=lambda: NOW).outcome(APPLICATIONS, read_namespace)
    connection.close()

    assert outcome.error == (
        "applications: an object's metadata.creationTimestamp: expected an RFC 3339 time, such as 2026-08-20T09:58:57Z"
    )


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"kind": "NamespaceList", "metadata": {}, "items": None}, ""),
        ({"kind": "NamespaceList", "metadata": {}}, "the API server's answer is not a list"),
        ({"kind": "Status", "metadata": {}, "items": []}, "the API server's answer is not a list"),
        ({"kind": "NamespaceList", "metadata": {"continue": 7}, "items": []}, "the API server's answer is not a list"),
        ([], "the API server's answer is not a list"),
    ],
)
def test_answers_that_are_lists_and_others(body: object, error: str) -> None:
    """Null items are none; what is not a list is an error, never an empty list."""
    outcome = Lister(Scripted(json.dumps(body).encode()), clock=lambda: NOW).outcome(NAMESPACES, read_namespace)

    assert (outcome.complete, outcome.error) == (not error, f"namespaces: {error}" if error else "")


class Scripted(Connection):
    """Gives one body, whatever is asked."""

    def __init__(self, body: bytes) -> None:
        super().__init__(lambda: pytest.fail("nothing is to be asked"), renew=lambda: None)
        self._body_given = body

    def get(self, *_: Any, **__: Any) -> bytes:
        return self._body_given
