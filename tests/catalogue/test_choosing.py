"""Filters, orders and roll-ups of the catalogue."""

from datetime import timedelta
from typing import Any

import pytest

from costintel.cost.application import AppRef, Destination
from costintel.errors import InvalidInput
from costintel.measurement.apportioning import UNITS
from costintel.measurement.catalogue import Catalogue
from costintel.measurement.choosing import chosen, ordered, rolled_up
from costintel.measurement.selection import LabelChoice, Order, RollUp, RollUpBy, Selection
from costintel.measurement.subject import LastSync, SubjectState
from tests.catalogue.landscape import IN_CLUSTER, LONG_AGO, NOON, catalogue, container, deployment, subject, volume

PARENT = AppRef("argocd", "all")


def shop() -> Catalogue:
    """Three Applications at $1, $4 and $2, and $8 that nobody owns."""
    rows = [
        container("shop", "web", 1.0),
        container("shop", "db", 4.0),
        container("team", "web", 2.0),
        volume("shop", 8.0),
    ]
    finished = LastSync(finished_at=NOON, revision="1", revisions=())
    return catalogue(
        rows,
        [
            subject(
                "shop-web",
                "shop",
                deployment("web"),
                project="shop",
                labels={"team": "blue", "tier": "front"},
                application_set="shops",
                parent=PARENT,
                last_sync=finished,
            ),
            subject(
                "shop-db",
                "shop",
                deployment("db"),
                project="shop",
                labels={"team": "red"},
                created_at=NOON - timedelta(days=9),
            ),
            subject(
                "web",
                "team",
                deployment("web"),
                project="alpha",
                application=AppRef("team", "web"),
                destination=Destination(server=IN_CLUSTER, namespace="team"),
                state=SubjectState.NOT_MEASURED,
            ),
        ],
    )


def names(**conditions: Any) -> list[str]:
    return [entry.subject.application.name for entry in chosen(shop().entries, Selection(**conditions))]


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, ["shop-web", "shop-db", "web"]),
        ({"project": "shop"}, ["shop-web", "shop-db"]),
        ({"project": "none"}, []),
        ({"namespace": "team"}, ["web"]),
        ({"application_set": "shops"}, ["shop-web"]),
        ({"parent": PARENT}, ["shop-web"]),
        ({"state": SubjectState.NOT_MEASURED}, ["web"]),
        ({"search": "web"}, ["shop-web", "web"]),
        ({"search": "SHOP"}, ["shop-web", "shop-db"]),
        ({"label": LabelChoice(key="team", value=None)}, ["shop-web", "shop-db"]),
        ({"label": LabelChoice(key="team", value="red")}, ["shop-db"]),
        ({"label": LabelChoice(key="team", value="")}, []),
        ({"project": "shop", "search": "web"}, ["shop-web"]),
    ],
)
def test_every_condition_must_be_met(conditions: dict[str, Any], expected: list[str]) -> None:
    """Each condition alone, and together."""
    assert names(**conditions) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order.COST, ["shop-db", "web", "shop-web"]),
        (Order.MONTHLY, ["shop-db", "web", "shop-web"]),
        (Order.IDLE, ["shop-db", "web", "shop-web"]),
        (Order.NAME, ["shop-db", "shop-web", "web"]),
        (Order.PROJECT, ["web", "shop-web", "shop-db"]),
        (Order.SYNC, ["shop-web", "shop-db", "web"]),
        (Order.CREATED, ["shop-db", "shop-web", "web"]),
    ],
)
def test_orders(order: Order, expected: list[str]) -> None:
    """Amounts and times begin with the largest, texts with the first; equals stay as they are."""
    entries = ordered(shop().entries, Selection(order=order))

    assert [entry.subject.application.name for entry in entries] == expected


def test_an_order_turned_round() -> None:
    """The cheapest first."""
    entries = ordered(shop().entries, Selection(reverse=True))

    assert [entry.subject.application.name for entry in entries] == ["shop-web", "web", "shop-db"]


def rolled(roll_up: RollUp) -> dict[str | None, tuple[int, float]]:
    """Return count and cost of each group, in the order of the groups."""
    return {
        group.name: (group.sum.members, sum(group.sum.cost) / UNITS) for group in rolled_up(shop().entries, roll_up)
    }


@pytest.mark.parametrize(
    ("roll_up", "expected"),
    [
        (RollUp(by=RollUpBy.PROJECT), {"shop": (2, 5.0), "alpha": (1, 2.0)}),
        (RollUp(by=RollUpBy.APPLICATION_SET), {None: (2, 6.0), "shops": (1, 1.0)}),
        (RollUp(by=RollUpBy.PARENT), {None: (2, 6.0), "argocd:all": (1, 1.0)}),
        (RollUp(by=RollUpBy.LABEL, label="team"), {"red": (1, 4.0), None: (1, 2.0), "blue": (1, 1.0)}),
    ],
)
def test_roll_ups(roll_up: RollUp, expected: dict[str | None, tuple[int, float]]) -> None:
    """The dearest group first; who belongs to none is a group without a name; all groups together are all Applications."""
    found = rolled(roll_up)

    assert list(found.items()) == list(expected.items())
    assert sum(cost for _, cost in found.values()) * UNITS == sum(shop().owned_sum.cost)


def test_a_group_counts_a_shared_namespace_once() -> None:
    """Two Applications of the whole namespace in two projects: the older one's project has its cost, the other none."""
    rows = [container("shop", "web", 3.0)]
    made = catalogue(
        rows,
        [
            subject("a", "shop", resources=None, project="old"),
            subject("b", "shop", resources=None, project="new", created_at=LONG_AGO + timedelta(days=1)),
        ],
    )
    groups = {group.name: sum(group.sum.cost) / UNITS for group in rolled_up(made.entries, RollUp(by=RollUpBy.PROJECT))}

    assert groups == {"old": 3.0, "new": 0.0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("team", LabelChoice(key="team", value=None)),
        ("team=blue", LabelChoice(key="team", value="blue")),
        ("team=", LabelChoice(key="team", value="")),
        ("app.kubernetes.io/name=web", LabelChoice(key="app.kubernetes.io/name", value="web")),
        ("A_b-c.d", LabelChoice(key="A_b-c.d", value=None)),
    ],
)
def test_labels_are_read(text: str, expected: LabelChoice) -> None:
    """A key, or a key and a value."""
    assert LabelChoice.parse(text, field="label") == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=blue",
        "-team",
        "team-",
        "a/b/c",
        "/team",
        "Upper.io/x",
        "team=a b",
        "team=a=b",
        "t\u00e9am",
        "x" * 64,
        "team\n",
    ],
)
def test_what_no_label_can_be_is_refused(text: str) -> None:
    """Keys and values have the forms that Kubernetes gives them."""
    with pytest.raises(InvalidInput, match="label: expected a label's key, or key=value"):
        LabelChoice.parse(text, field="label")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("project", RollUp(by=RollUpBy.PROJECT)),
        ("applicationSet", RollUp(by=RollUpBy.APPLICATION_SET)),
        ("parent", RollUp(by=RollUpBy.PARENT)),
        ("label:team", RollUp(by=RollUpBy.LABEL, label="team")),
        ("label:a.io/b", RollUp(by=RollUpBy.LABEL, label="a.io/b")),
    ],
)
def test_roll_ups_are_read(text: str, expected: RollUp) -> None:
    """A word, or `label:` and a key."""
    assert RollUp.parse(text, field="by") == expected


@pytest.mark.parametrize("text", ["", "name", "label", "label:", "label:a b", "project:x", "Project"])
def test_unknown_roll_ups_are_refused(text: str) -> None:
    """The error says what there is."""
    with pytest.raises(InvalidInput, match="by: expected project, applicationSet, parent or label:KEY"):
        RollUp.parse(text, field="by")
