"""What the last list has and what was heard since, put together."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from costintel.argocd.destination import DestinationRules
from costintel.cost.application import AppRef, Destination
from costintel.measurement.subject import LastSync, Subject, SubjectState
from costintel.measurement.subjects import Heard, SubjectRules, Told
from costintel.storage.roster import Deployed, ListedApplication
from tests.catalogue.landscape import IN_CLUSTER, LONG_AGO, NOON, WEB

NAME = ("argocd", "web")
THE_WEB = ["apps", "Deployment", "", "web"]
THE_NEW = ["apps", "Deployment", "", "new"]


def listed(**changes: Any) -> ListedApplication:
    usual: dict[str, Any] = {
        "namespace": "argocd",
        "name": "web",
        "project": "shop",
        "destination_server": IN_CLUSTER,
        "destination_name": "",
        "destination_namespace": "shop",
        "created_at": LONG_AGO.timestamp(),
        "labels": {"team": "blue"},
        "resources": [THE_WEB],
        "last_sync": None,
        "application_set": "shops",
        "parent_namespace": "argocd",
        "parent_name": "all",
    }
    return ListedApplication(**{**usual, **changes})


def deployed(**changes: Any) -> Deployed:
    usual: dict[str, Any] = {
        "id": "1",
        "project": "new",
        "destination_server": IN_CLUSTER,
        "destination_name": "",
        "destination_namespace": "new",
        "resources": [THE_NEW],
        "resources_omitted": False,
        "created_at": None,
    }
    return Deployed(**{**usual, **changes})


def heard(news: Deployed | None, **changes: Any) -> Heard:
    usual: dict[str, Any] = {
        "received_at": NOON.timestamp(),
        "state": SubjectState.RECEIVED,
        "has_record": False,
        "last": LastSync(NOON, "2", []),
        "news": news,
    }
    return Heard(**{**usual, **changes})


def subjects(
    *known: ListedApplication, at: datetime | None = NOON - timedelta(minutes=3), of: Heard | None = None, **more: Any
) -> list[Subject]:
    rules = SubjectRules(destinations=DestinationRules(["prod"]), access=AppRef("argocd", "access"))
    told = Told(
        listed={(one.namespace, one.name): one for one in known},
        listed_at=at,
        heard={} if of is None else {NAME: of},
        first_recorded=more.get("first_recorded", {}),
    )
    return rules.subjects(told)


def only(found: list[Subject]) -> Subject:
    [one] = found
    return one


def test_a_listed_application_is_as_listed() -> None:
    """Nothing was ever heard of it: it is there, and not measured."""
    found = only(subjects(listed()))

    assert (found.application, found.project, found.destination.namespace) == (WEB, "shop", "shop")
    assert (found.resources, found.created_at, found.labels) == ([THE_WEB], LONG_AGO, {"team": "blue"})
    assert (found.application_set, found.parent) == ("shops", AppRef("argocd", "all"))
    assert (found.state, found.has_record, found.is_here) == (SubjectState.NOT_MEASURED, False, True)


def test_applications_come_by_namespace_and_name() -> None:
    """Whatever order they are read in."""
    found = subjects(listed(namespace="b"), listed(name="x"), listed())

    assert [str(one.application) for one in found] == ["argocd:web", "argocd:x", "b:web"]


def test_a_newer_notification_counts_until_the_next_list() -> None:
    """Received after the list was begun: its project, destination and resources count, the list's age and labels stay."""
    found = only(subjects(listed(), of=heard(deployed())))

    assert (found.project, found.destination.namespace, found.resources) == ("new", "new", [THE_NEW])
    assert (found.created_at, found.labels, found.state) == (LONG_AGO, {"team": "blue"}, SubjectState.RECEIVED)


def test_an_older_notification_does_not() -> None:
    """The list was begun after it was received."""
    found = only(subjects(listed(), at=NOON + timedelta(minutes=2), of=heard(deployed())))

    assert (found.project, found.resources) == ("shop", [THE_WEB])
    assert found.last_sync == LastSync(NOON, "2", [])


def test_a_list_too_long_to_carry_is_the_lists() -> None:
    """The live list supplies resources that a notification had to leave out."""
    omitted = deployed(resources=None, resources_omitted=True)

    assert only(subjects(listed(), of=heard(omitted))).resources == [THE_WEB]
    assert only(subjects(of=heard(omitted))).resources is None


def test_a_notification_may_know_less_than_the_list() -> None:
    """It carried no list of resources at all: what it says counts, which is the whole namespace."""
    assert only(subjects(listed(), of=heard(deployed(resources=None)))).resources is None


def test_an_application_younger_than_the_list_is_there() -> None:
    """Made and synced since."""
    created_at = NOON - timedelta(minutes=1)
    found = only(subjects(of=heard(deployed(created_at=created_at.timestamp()))))

    assert (found.project, found.created_at, found.parent, found.labels) == ("new", created_at, None, {})


def test_an_application_missing_from_a_later_list_is_gone() -> None:
    """Its records say that it was there, the list that it is not."""
    assert subjects(at=NOON + timedelta(minutes=2), of=heard(deployed())) == []
    assert subjects(at=NOON, of=heard(deployed())) == []


def test_without_any_list_whatever_was_heard_of_exists() -> None:
    """No Kubernetes is configured; the first record stands in for the unknown age."""
    recorded = heard(deployed(), has_record=True, state=SubjectState.MEASURED)
    found = only(subjects(at=None, of=recorded, first_recorded={NAME: LONG_AGO}))

    assert (found.state, found.has_record, found.first_recorded_at) == (SubjectState.MEASURED, True, LONG_AGO)
    assert found.created_at is None


def test_the_access_application_is_left_out() -> None:
    """It costs nothing and is there for access alone."""
    assert subjects(listed(name="access")) == []


@pytest.mark.parametrize(
    ("destination", "state", "is_here"),
    [
        (Destination(server="https://other.example.com", namespace="shop"), SubjectState.OTHER_CLUSTER, False),
        (Destination(name="elsewhere", namespace="shop"), SubjectState.OTHER_CLUSTER, False),
        (Destination(name="prod", namespace="shop"), SubjectState.NOT_MEASURED, True),
        (Destination(name="in-cluster", namespace="shop"), SubjectState.NOT_MEASURED, True),
        (Destination(server=IN_CLUSTER, namespace="No Namespace"), SubjectState.NOT_MEASURED, False),
        (Destination(server=IN_CLUSTER), SubjectState.NOT_MEASURED, False),
    ],
)
def test_where_it_deploys_decides(destination: Destination, state: SubjectState, is_here: bool) -> None:
    """Another cluster says so; a namespace that cannot exist, or none at all, owns nothing."""
    placed = listed(
        destination_server=destination.server,
        destination_name=destination.name,
        destination_namespace=destination.namespace,
    )
    found = only(subjects(placed))

    assert (found.destination, found.state, found.is_here) == (destination, state, is_here)


def test_resources_may_name_the_namespace() -> None:
    """Without a destination namespace those that name one still run there."""
    placed = listed(destination_namespace="", resources=[["apps", "Deployment", "shop", "web"]])

    assert only(subjects(placed)).is_here is True


def test_the_newest_sync_that_anybody_told_of_is_shown() -> None:
    """The list's or the record's, whichever finished last."""

    def last(known: list[Any] | None, of: Heard | None) -> str:
        found = only(subjects(listed(last_sync=known), of=of)).last_sync
        return "" if found is None else found.revision

    older: list[Any] = ["2026-11-28T12:00:00+00:00", None, "listed", [], "admin"]
    newer: list[Any] = ["2026-11-30T12:00:01+00:00", "2026-11-30T12:00:00+00:00", "listed", [], "admin"]
    assert last(older, None) == "listed"
    assert last(older, heard(None)) == "2"
    assert last(newer, heard(None)) == "listed"
    assert last(older, heard(None, last=None)) == "listed"
    assert last(None, heard(None)) == "2"
    assert last(None, None) == ""
