"""The list as it is served."""

from datetime import timedelta
from typing import Any

from api.cluster_documents import ApplicationsAnswer
from costintel.cost.application import AppRef, Destination
from costintel.cost.ownership import Resource
from costintel.measurement.catalogue import Catalogue, make_catalogue
from costintel.measurement.catalogue_document import MOST_GROUPS, MOST_LABEL_KEYS, catalogue_document
from costintel.measurement.selection import MOST_ENTRIES, Order, RollUp, RollUpBy, Selection
from costintel.measurement.subject import LastSync, SubjectState
from tests.catalogue.landscape import (
    IN_CLUSTER,
    NO_AGES,
    NOON,
    REMOTE,
    catalogue,
    container,
    deployment,
    subject,
    volume,
)

ZERO = {"cpu": 0.0, "ram": 0.0, "gpu": 0.0, "storage": 0.0, "network": 0.0, "loadBalancer": 0.0, "total": 0.0}


def served(made: Catalogue, **selection: Any) -> dict[str, Any]:
    """Return the document, which must have the documented shape."""
    document = catalogue_document(made, Selection(**selection))
    ApplicationsAnswer.model_validate({"currency": "USD", "stale": False, **document})
    return document


def test_an_application_is_told_whole() -> None:
    """$3 in 24 hours of which half is idle, with where it comes from and what counts of it."""
    rows = [container("shop", "web", 3.0)]
    listed = subject(
        "web",
        "shop",
        deployment("web"),
        Resource("monitoring.example.com", "Prometheus", "", "main"),
        application_set="shops",
        parent=AppRef("argocd", "all"),
        last_sync=LastSync(finished_at=NOON - timedelta(days=2), revision="9f1c2d3", revisions=("a", "b")),
    )

    [entry] = served(catalogue(rows, [listed]))["applications"]

    cost, monthly = {**ZERO, "cpu": 3.0, "total": 3.0}, {**ZERO, "cpu": 90.0, "total": 90.0}
    idle = {"cpu": 1.5, "ram": 0.0, "total": 1.5, "complete": True}
    assert entry == {
        "application": {"namespace": "argocd", "name": "web"},
        "project": "default",
        "destination": {"server": IN_CLUSTER, "name": "", "namespace": "shop"},
        "applicationSet": "shops",
        "parent": {"namespace": "argocd", "name": "all"},
        "customResources": ["monitoring.example.com/Prometheus"],
        "scope": "application",
        "state": "measured",
        "createdAt": "2026-01-01T00:00:00Z",
        "sync": {"finishedAt": "2026-11-28T12:00:00Z", "revision": "9f1c2d3", "revisions": ["a", "b"]},
        "pods": 1,
        "current": {
            "window": {"start": "2026-11-29T12:00:00Z", "end": "2026-11-30T12:00:00Z"},
            "measuredHours": 24.0,
            "basisHours": 720,
            "confidence": "full",
            "scope": "application",
            "source": "live",
            "cost": cost,
            "monthly": monthly,
            "idle": idle,
            "efficiency": {"cpu": 0.5, "ram": None},
        },
        "counted": {"cost": cost, "monthly": monthly, "idle": idle},
    }


def test_what_is_not_known_is_null() -> None:
    """Another cluster's Application: no figure, no sync, no month."""
    remote = subject(
        "far", destination=REMOTE, created_at=None, is_here=False, state=SubjectState.OTHER_CLUSTER, has_record=False
    )

    [entry] = served(catalogue([], [remote]))["applications"]

    assert (entry["state"], entry["current"], entry["sync"], entry["createdAt"]) == ("other_cluster", None, None, None)
    assert (entry["applicationSet"], entry["parent"], entry["counted"]["monthly"]) == (None, None, None)


def test_before_the_first_hour_the_list_is_there() -> None:
    """Without a window, without figures."""
    document = served(make_catalogue(None, [], [subject("a")], ages=NO_AGES, basis_hours=730))

    assert (document["window"], document["count"], document["basisHours"]) == (None, 1, 730)
    assert document["applications"][0]["current"] is None


def test_pages_follow_each_other() -> None:
    """Five Applications in pages of two: each once, the sums of all on every page."""
    rows = [container("shop", f"w-{number}", number + 1.0) for number in range(5)]
    made = catalogue(rows, [subject(f"app-{number}", "shop", deployment(f"w-{number}")) for number in range(5)])

    pages, offset = [], 0
    while offset is not None:
        page = served(made, offset=offset, limit=2)
        pages.append([entry["application"]["name"] for entry in page["applications"]])
        assert (page["count"], page["selected"]["cost"]["total"]) == (5, 15.0)
        offset = page["nextOffset"]

    assert pages == [["app-4", "app-3"], ["app-2", "app-1"], ["app-0"]]
    assert served(made, offset=99)["applications"] == []
    assert served(made, offset=99)["nextOffset"] is None


def test_sums_of_a_selection_stand_beside_those_of_the_cluster() -> None:
    """Two projects and a stray volume: selected, owned, unowned and total are each their own."""
    rows = [container("shop", "web", 1.0), container("shop", "db", 2.0), volume("shop", 4.0)]
    made = catalogue(
        rows,
        [subject("a", "shop", deployment("web"), project="x"), subject("b", "shop", deployment("db"), project="y")],
    )

    document = served(made, project="x", roll_up=RollUp(by=RollUpBy.PROJECT))

    totals = [document[name]["cost"]["total"] for name in ("selected", "owned", "unowned", "total")]
    assert totals == [1.0, 3.0, 4.0, 7.0]
    assert [document[name]["count"] for name in ("selected", "owned", "unowned", "total")] == [1, 2, 1, 3]
    assert [(one["namespace"], one["cost"]["storage"]) for one in document["unowned"]["namespaces"]] == [("shop", 4.0)]
    assert [(group["name"], group["cost"]["total"]) for group in document["rollUp"]["groups"]] == [("x", 1.0)]


def test_roll_ups_name_what_they_are_by() -> None:
    """A label's key stands beside; the group of those without it has no name."""
    made = catalogue([], [subject("a", labels={"team": "blue"}), subject("b")])

    roll_up = served(made, roll_up=RollUp(by=RollUpBy.LABEL, label="team"))["rollUp"]

    assert (roll_up["by"], roll_up["label"], roll_up["count"]) == ("label", "team", 2)
    assert [group["name"] for group in roll_up["groups"]] == ["blue", None]
    assert served(made)["rollUp"] is None


def test_thirds_add_up() -> None:
    """Three Applications at a third of a millionth more each: rounded so that the sum is exact."""
    rows = [container("shop", f"w-{number}", (1 + 1e-6) / 3) for number in range(3)]
    document = served(
        catalogue(rows, [subject(f"a-{number}", "shop", deployment(f"w-{number}")) for number in range(3)]),
        order=Order.NAME,
    )

    parts = [round(entry["counted"]["cost"]["cpu"] * 1_000_000) for entry in document["applications"]]
    assert sorted(parts) == [333_333, 333_334, 333_334]
    assert document["total"]["cost"]["cpu"] == 1.000001


def test_long_lists_are_cut_at_the_dearest() -> None:
    """Namespaces, groups and label keys are bounded, and the sums are not."""
    count = MOST_GROUPS + 5
    rows = [container(f"ns-{number:04d}", "web", 1.0 + number) for number in range(count)]
    many = [subject(f"app-{number:04d}", project=f"p-{number}", labels={f"l-{number}": "x"}) for number in range(count)]
    document = served(catalogue(rows, many), roll_up=RollUp(by=RollUpBy.PROJECT), limit=MOST_ENTRIES)

    assert len(document["unowned"]["namespaces"]) == len(document["rollUp"]["groups"]) == MOST_GROUPS
    assert document["unowned"]["namespaces"][0]["namespace"] == f"ns-{count - 1:04d}"
    assert (document["unowned"]["count"], document["rollUp"]["count"]) == (count, count)
    assert (len(document["applications"]), document["nextOffset"]) == (MOST_ENTRIES, MOST_ENTRIES)
    assert len(document["labelKeys"]) == MOST_LABEL_KEYS


def test_what_was_served_is_not_kept_without_bound() -> None:
    """Whoever pages through everything does not fill the function's memory; what he sees is the same."""
    many = [subject(f"app-{number:04d}") for number in range(1500)]
    made = catalogue([], many)
    names = []
    for offset in range(0, 1500, MOST_ENTRIES):
        page = catalogue_document(made, Selection(order=Order.NAME, offset=offset, limit=MOST_ENTRIES))
        names += [entry["application"]["name"] for entry in page["applications"]]

    assert names == [one.application.name for one in many]
    assert len(made.served) <= 1000 + MOST_ENTRIES


def test_a_destination_by_name_is_shown_as_it_is() -> None:
    """Server empty, name given."""
    named = subject("a", destination=Destination(name="in-cluster", namespace="shop"))

    [entry] = served(catalogue([], [named]))["applications"]

    assert entry["destination"] == {"server": "", "name": "in-cluster", "namespace": "shop"}
