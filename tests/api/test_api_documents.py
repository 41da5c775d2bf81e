"""The OpenAPI document, the page and the code say the same."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from api.app import add_routes, new_resolver
from api.documents import ActualAnswer, Amounts, Efficiency, Figure, IdleAmounts, ProblemDocument
from api.endpoints import ENDPOINTS, Group, find
from api.openapi import GROUP_PROBLEMS, ROUTE_PROBLEMS, WEBHOOK, written
from costintel.argocd import problem
from costintel.argocd.notification import SKIP_REASONS
from costintel.argocd.problem import ProblemType
from tests.api.answering import Clock, GivenServices
from tests.argocd.bodies import SHOP_WEB

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "api.md").read_text(encoding="utf-8")
OPENAPI: dict[str, Any] = json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))
SHAPES: dict[type[BaseModel], str] = {
    Figure: "A figure",
    Amounts: "Amounts",
    IdleAmounts: "Idle amounts",
    Efficiency: "Efficiency",
}
PROBLEMS = {kind.code: kind.status.value for kind in vars(problem).values() if isinstance(kind, ProblemType)}


def section(title: str, end: str = "\n## ") -> str:
    return PAGE.split(f"{title}\n", 1)[1].split(end, 1)[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of every row of the section's tables, their headings left out."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("|--")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def paths_of(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of a document's members: leaves, lists, and shapes that have a table of their own."""
    for name, member in model.model_fields.items():
        path = f"{prefix}{member.alias or name}"
        shape = next((one for one in (member.annotation, *get_args(member.annotation)) if is_model(one)), None)
        if shape is None or shape in SHAPES or get_origin(member.annotation) is list:
            yield path
        if shape is not None and shape not in SHAPES:
            yield from paths_of(shape, f"{path}.")


def is_model(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def documented_fields(text: str) -> list[str]:
    return sorted(name for cells in rows(text)[1:] for name in named(cells[0]))


def test_the_openapi_document_is_not_stale() -> None:
    """docs/openapi.json is what the routes give; `make openapi` writes it."""
    assert (DOCS / "openapi.json").read_text(encoding="utf-8") == written()


def test_every_registered_route_has_a_group() -> None:
    """A route that the table of groups does not know would be served to nobody, and fails here."""
    resolver = new_resolver()
    add_routes(resolver, GivenServices(), Clock())
    registered = {(route.method, route.path) for route in (*resolver._static_routes, *resolver._dynamic_routes)}

    assert registered == {(endpoint.method, endpoint.rule) for endpoint in ENDPOINTS}


def test_only_the_probes_need_nothing() -> None:
    """Every other route stands behind a token."""
    assert {one.rule for one in ENDPOINTS if one.group is Group.PROBES} == {"/health", "/ready"}


def test_every_route_is_found_by_its_own_path() -> None:
    """The table finds what the router serves."""
    for endpoint in ENDPOINTS:
        found = find(endpoint.rule.replace("<app>", "checkout"))

        assert found is not None
        assert found.endpoint is endpoint


def test_the_page_names_every_route_and_no_other() -> None:
    """docs/api.md and the route table agree, methods and groups included."""
    tokens = {Group.PROBES: "nothing", Group.APPLICATION: "proxy token, application header"}
    served = {(one.method, one.rule.replace("<", "{").replace(">", "}"), tokens[one.group]) for one in ENDPOINTS}
    documented = {(method, named(path)[0], needs) for method, path, needs, _ in rows(section("## Routes"))[1:]}

    assert documented == served | {("POST", WEBHOOK, "webhook token")}
    assert {path for _, path, _ in documented} == set(OPENAPI["paths"])


def test_the_page_names_every_problem_with_its_status() -> None:
    """docs/api.md and the code agree on codes and statuses."""
    documented = {named(code)[0]: int(status) for code, status, _ in rows(section("## Problems"))[1:]}

    assert documented == PROBLEMS


def test_every_problem_of_the_openapi_document_exists_and_every_problem_stands_there() -> None:
    """Only an unknown or malformed path has no route at which it could be documented."""
    kinds = {kind.code for group in (GROUP_PROBLEMS, ROUTE_PROBLEMS) for several in group.values() for kind in several}

    assert kinds == set(PROBLEMS) - {"path_malformed", "route_unknown"}


def test_the_page_names_every_reason_for_skipping() -> None:
    """docs/api.md and the code agree on the reasons."""
    table = section("## POST /api/cost-analysis/on-sync").split("| reason |", 1)[1]

    assert [named(cells[0])[0] for cells in rows(table)] == list(SKIP_REASONS)


def test_the_page_names_every_field_of_a_notification() -> None:
    """The table of the payload is the template's list of fields."""
    table = section("## POST /api/cost-analysis/on-sync").split("| field |", 1)[1].split("Of `resources`", 1)[0]
    documented = [name for cells in rows(table) for name in named(cells[0])]

    assert sorted(documented) == sorted(SHOP_WEB)


def test_the_page_names_every_field_of_the_answer() -> None:
    """docs/api.md describes exactly the members of the document."""
    page = section("## GET /api/cost-analysis/{app}/actual", "\n### ")

    assert documented_fields(page) == sorted(paths_of(ActualAnswer))


@pytest.mark.parametrize("shape", SHAPES, ids=SHAPES.values())
def test_the_page_names_every_field_of_a_shape(shape: type[BaseModel]) -> None:
    """Shapes that occur in several places have a table each, with exactly their members."""
    assert documented_fields(section(f"### {SHAPES[shape]}", "\n##")) == sorted(paths_of(shape))


@pytest.mark.parametrize("status", ["400", "401", "403", "404", "405", "422", "500", "503"])
def test_refusals_are_described_as_problems(status: str) -> None:
    """Every refusal of the application's route is a problem document with its codes."""
    response = OPENAPI["paths"]["/api/cost-analysis/{app}/actual"]["get"]["responses"][status]
    codes = response["description"].split(", ")

    assert list(response["content"]) == ["application/problem+json"]
    assert {PROBLEMS[code] for code in codes} == {int(status)}


def test_problem_documents_have_the_described_members() -> None:
    """What a refusal sends fits its description."""
    detail = problem.Problem(
        problem.BODY_MALFORMED, "expected JSON", {"field": "message", "position": {"line": 1, "column": 2}}
    )

    ProblemDocument.model_validate(detail.document())
