"""The OpenAPI document, the page and the code say the same."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from api.app import add_routes, new_resolver
from api.cluster_documents import ApplicationsAnswer, ConfigAnswer, CountedAmounts, CountedSum
from api.documents import (
    ActualAnswer,
    Amounts,
    Efficiency,
    Figure,
    FigureSummary,
    IdleAmounts,
    ProblemDocument,
)
from api.endpoints import ENDPOINTS, OPEN, Group, find
from api.history_documents import Change, ChangeParts, DailyAnswer, MonthAnswer, TrendAnswer
from api.openapi import GROUP_PROBLEMS, ROUTE_PROBLEMS, WEBHOOK, written
from costintel.argocd import problem
from costintel.argocd.gate import GateReason
from costintel.argocd.notification import SKIP_REASONS
from costintel.argocd.problem import ProblemType
from costintel.measurement.features import FEATURES, KINDS
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
    Change: "A change",
    ChangeParts: "Parts of a change",
    CountedAmounts: "Counted amounts",
    CountedSum: "Sums",
}
ANSWERS: dict[type[BaseModel], str] = {
    ConfigAnswer: "GET /api/cost-analysis/config",
    ApplicationsAnswer: "GET /api/cost-analysis/applications",
    ActualAnswer: "GET /api/cost-analysis/{app}/actual",
    DailyAnswer: "GET /api/cost-analysis/{app}/daily",
    TrendAnswer: "GET /api/cost-analysis/{app}/trend",
    MonthAnswer: "GET /api/cost-analysis/{app}/month",
}
NEEDS = {
    Group.PROBES: "nothing",
    Group.CHARTS: "nothing",
    Group.ANY_APPLICATION: "proxy token, any application header",
    Group.CLUSTER: "proxy token, gate's application header",
    Group.APPLICATION: "proxy token, application header",
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
    for name, member in own_fields(model):
        path = f"{prefix}{member.alias or name}"
        shape = next((one for one in (member.annotation, *get_args(member.annotation)) if is_model(one)), None)
        if shape is None or described(shape) or get_origin(member.annotation) is list:
            yield path
        if shape is not None and not has_table(shape):
            yield from paths_of(shape, f"{path}.")


def own_fields(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """Return the members of a model without those of a shape that it extends, which stand in the shape's table."""
    extended = next((base for base in model.__bases__ if base in SHAPES), None)
    inherited = extended.model_fields if extended is not None and model not in SHAPES else {}
    return [(name, member) for name, member in model.model_fields.items() if name not in inherited]


def has_table(shape: type[BaseModel]) -> bool:
    return shape in SHAPES or shape is FigureSummary


def described(shape: type[BaseModel]) -> bool:
    """Whether a member of this shape is described itself: it has a table, or extends what has one."""
    return has_table(shape) or any(base in SHAPES for base in shape.__bases__)


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


def test_only_probes_and_charts_need_nothing() -> None:
    """Every other route stands behind a token."""
    assert {one.rule for one in ENDPOINTS if one.group in OPEN} == {
        "/health",
        "/ready",
        "/charts/index.yaml",
        "/charts/cost-intel-access-1.0.0.tgz",
    }


def test_every_route_is_found_by_its_own_path() -> None:
    """The table finds what the router serves."""
    for endpoint in ENDPOINTS:
        found = find(endpoint.rule.replace("<app>", "checkout"))

        assert found is not None
        assert found.endpoint is endpoint


def test_the_page_names_every_route_and_no_other() -> None:
    """docs/api.md and the route table agree, methods and groups included."""
    served = {(one.method, one.rule.replace("<", "{").replace(">", "}"), NEEDS[one.group]) for one in ENDPOINTS}
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


@pytest.mark.parametrize("answer", ANSWERS, ids=ANSWERS.values())
def test_the_page_names_every_field_of_an_answer(answer: type[BaseModel]) -> None:
    """docs/api.md describes exactly the members of the document."""
    page = section(f"## {ANSWERS[answer]}", "\n##")
    tables = [table for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE) if table.startswith("| field |")]

    assert documented_fields("".join(tables)) == sorted(paths_of(answer))


def test_the_page_names_every_parameter_of_the_list() -> None:
    """The table of parameters is the route's, in its order or another."""
    page = section("## GET /api/cost-analysis/applications").split("| parameter |", 1)[1].split("\n\n", 1)[0]
    parameters = OPENAPI["paths"]["/api/cost-analysis/applications"]["get"]["parameters"]
    documented = [name for cells in rows(page) for name in named(cells[0])]

    assert sorted(documented) == sorted(one["name"] for one in parameters if one["in"] == "query")


def test_the_page_names_every_reason_of_the_gate() -> None:
    """docs/api.md and the code agree on the reasons."""
    table = section("## GET /api/cost-analysis/config").split("| gate's reason |", 1)[1]

    assert [named(cells[0])[0] for cells in rows(table)] == [reason.value for reason in GateReason]


def test_the_page_names_every_feature_and_kind_of_list() -> None:
    """What `/config` may name is what the page and the document know."""
    page = section("## GET /api/cost-analysis/config", "\n| gate's")
    cells = {named(name)[0]: named(meaning) for name, meaning in rows(page)[1:]}

    assert cells["off.feature"] == list(FEATURES)
    assert cells["kubernetes.lists.kind"] == list(KINDS)
    assert set(OPENAPI["components"]["schemas"]["FeatureOff"]["properties"]["feature"]["enum"]) == set(FEATURES)
    assert set(OPENAPI["components"]["schemas"]["ListDocument"]["properties"]["kind"]["enum"]) == set(KINDS)


def test_every_reference_of_the_openapi_document_leads_somewhere() -> None:
    """No schema is named that is not there."""
    text = json.dumps(OPENAPI)

    assert set(re.findall(r"#/components/schemas/(\w+)", text)) <= set(OPENAPI["components"]["schemas"])


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
