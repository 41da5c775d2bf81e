"""The application a proxied request speaks for."""

import json
from pathlib import Path

import pytest

from costintel.argocd.problem import Problem
from costintel.argocd.proxy import application_of
from costintel.argocd.request import Request
from costintel.cost.application import AppRef
from tests.argocd.events import Headers, Sent

MEASURED = json.loads(
    (Path(__file__).parents[1] / "samples/argocd-recorded/more-header-cases.json").read_text(encoding="utf-8")
)
NAME = "Argocd-Application-Name"


def codes(headers: Headers) -> set[str]:
    """Return what both payload formats answer: a code, or the application."""
    sent = Sent(headers=headers)
    answers = [application_of(Request.of(event)) for event in (sent.v1(), sent.v2())]
    return {answer.type.code if isinstance(answer, Problem) else str(answer) for answer in answers}


def test_one_strict_value_names_the_application() -> None:
    """Namespace and name come from the only value."""
    assert application_of(Request.of(Sent(headers=[(NAME, "team-a:web")]).v2())) == AppRef("team-a", "web")


@pytest.mark.parametrize(
    "headers", [[], [(NAME, "")], [("Argocd-Namespace", "argocd"), ("Argocd-Project-Name", "shop")]]
)
def test_a_missing_name_is_a_denial(headers: Headers) -> None:
    """No header means no application, never an internal caller."""
    assert codes(headers) == {"application_missing"}


@pytest.mark.parametrize(
    "headers",
    [
        [(NAME, "argocd:checkout"), (NAME, "argocd:payroll")],
        [(NAME, "argocd:checkout"), (NAME, "argocd:checkout")],
        [(NAME, "argocd:checkout"), (NAME, "")],
        [(NAME, ""), (NAME, "argocd:checkout")],
        [(NAME, "argocd:checkout"), (NAME.upper(), "argocd:payroll")],
        [(NAME, "argocd:checkout"), (NAME.lower(), "argocd:checkout")],
        [(NAME, "argocd:checkout,argocd:payroll")],
        [(NAME, "argocd:checkout, argocd:payroll")],
        [(NAME, "argocd:checkout,")],
        [(NAME, ",argocd:checkout")],
    ],
)
def test_more_than_one_value_is_refused(headers: Headers) -> None:
    """A second line is refused, equal or empty ones too, and so is what a gateway makes of it."""
    assert codes(headers) == {"application_repeated"}


@pytest.mark.parametrize("case", ["second header empty", "second header identical"])
def test_what_a_real_server_forwarded_is_refused(case: str) -> None:
    """Two lines that argocd-server let through do not come further."""
    headers = [(name, value) for name, value in MEASURED[case]["upstream"]]

    assert codes(headers) == {"application_repeated"}


@pytest.mark.parametrize(
    "value",
    [
        "web",
        ":web",
        "team-a:",
        "a:b:c",
        "team-a/web",
        "team-a:web/x",
        "Team-A:web",
        "team-a:Web",
        " team-a:web",
        "team-a:web ",
        "team-a: web",
        "team-a:web\n",
        "team-a:..",
        "team-a:-web",
        "-team:web",
        "team.a:web",
        "team-a:web;x",
        "team-a:wéb",
        f"{'a' * 64}:web",
        f"team-a:{'a' * 254}",
    ],
)
def test_a_malformed_name_is_refused(value: str) -> None:
    """Only `namespace:name` of a DNS label and a DNS subdomain is a name."""
    assert codes([(NAME, value)]) == {"application_malformed"}


def test_the_longest_names_are_taken() -> None:
    """A namespace has up to 63 characters, a name up to 253."""
    value = f"{'a' * 63}:{'b' * 253}"

    assert codes([(NAME, value)]) == {value}


def test_no_other_header_decides() -> None:
    """Underscored twins, a second project and the caller's own cluster and user headers change nothing."""
    headers = [
        (NAME, "argocd:checkout"),
        ("Argocd_Application_Name", "argocd:payroll"),
        ("Argocd-Project-Name", "shop"),
        ("Argocd-Project-Name", "default"),
        ("Argocd-Target-Cluster-Name", "spoofed"),
        ("Argocd-Username", "root"),
    ]

    assert codes(headers) == {"argocd:checkout"}
