"""The OpenAPI document of the whole HTTP API. `python -m api.openapi FILE` writes it; a test fails when it is stale."""

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from api import cluster_documents, documents, history_documents
from api.app import add_routes, new_resolver
from api.endpoints import (
    ACTUAL,
    APPLICATIONS,
    CHART_FILE,
    CHART_INDEX,
    CONFIG,
    DAILY,
    ENDPOINTS,
    HEALTH,
    MONTH,
    OPEN,
    READY,
    TREND,
    Group,
)
from costintel.argocd import problem
from costintel.argocd.gate import Gate, GateRule
from costintel.argocd.notification import SKIP_REASONS
from costintel.argocd.problem import ProblemType
from costintel.cost.application import AppRef
from costintel.cost.day_range import DayRange
from costintel.measurement.selection import Selection

VERSION = "1"
WEBHOOK = "/api/cost-analysis/on-sync"

ANSWERS: Mapping[str, type[BaseModel]] = {
    HEALTH: documents.State,
    READY: documents.State,
    CONFIG: cluster_documents.ConfigAnswer,
    APPLICATIONS: cluster_documents.ApplicationsAnswer,
    ACTUAL: documents.ActualAnswer,
    DAILY: history_documents.DailyAnswer,
    TREND: history_documents.TrendAnswer,
    MONTH: history_documents.MonthAnswer,
}
FILES: Mapping[str, tuple[str, str]] = {
    CHART_INDEX: ("application/yaml", "text"),
    CHART_FILE: ("application/gzip", "binary"),
}
"""Answers that are no JSON: media type, and what kind of text it is."""
_TOKEN = (problem.TOKEN_MISSING, problem.TOKEN_REFUSED, problem.TOKEN_UNRESOLVED)
_ALWAYS = (problem.METHOD_NOT_ALLOWED, problem.INTERNAL_ERROR)
_APPLICATION = (
    *_TOKEN,
    problem.APPLICATION_MISSING,
    problem.APPLICATION_REPEATED,
    problem.APPLICATION_MALFORMED,
    problem.PARAMETER_MALFORMED,
    problem.STORAGE_UNAVAILABLE,
    *_ALWAYS,
)
GROUP_PROBLEMS: Mapping[Group, Sequence[ProblemType]] = {
    Group.PROBES: _ALWAYS,
    Group.CHARTS: _ALWAYS,
    Group.ANY_APPLICATION: _APPLICATION,
    Group.CLUSTER: (*_APPLICATION, problem.NOT_GATE, problem.GATE_OFF),
    Group.APPLICATION: (*_APPLICATION, problem.APPLICATION_MISMATCH),
}
ROUTE_PROBLEMS: Mapping[str, Sequence[ProblemType]] = {
    READY: (problem.NOT_READY,),
    **dict.fromkeys((ACTUAL, DAILY, TREND, MONTH), (problem.NOT_MEASURED, problem.OTHER_CLUSTER)),
    WEBHOOK: (
        *_TOKEN,
        problem.BODY_MALFORMED,
        problem.FIELD_MALFORMED,
        problem.BODY_TOO_LARGE,
        problem.METHOD_NOT_ALLOWED,
        problem.QUEUE_UNAVAILABLE,
    ),
}
"""Problems of every route of a group, and of single routes. Unknown and malformed paths have no route to stand at."""

_APPLICATION_HEADER = {
    "name": "Argocd-Application-Name",
    "in": "header",
    "required": True,
    "description": "`namespace:name`, exactly once; argocd-server has checked that the caller may read it",
    "schema": {"type": "string"},
}


class _NoServices:
    """Stands where a database would; the document is made without one."""

    def actual(self, _application: AppRef, _now: datetime) -> None:
        return None

    def daily(self, _application: AppRef, _days: DayRange, _now: datetime) -> None:
        return None

    def trend(self, application: AppRef, *, offset: int, limit: int, now: datetime) -> None:
        del application, offset, limit, now

    def month(self, _application: AppRef, _now: datetime) -> None:
        return None

    def elsewhere_since(self, _application: AppRef) -> None:
        return None

    def gate(self) -> Gate:
        return GateRule.parse("off", None).decide(None, is_listed=False)

    def config(self) -> dict[str, Any]:
        return {}

    def applications(self, _selection: Selection, _now: datetime) -> dict[str, Any]:
        return {}

    def ready(self) -> bool:
        return False


def openapi_document() -> dict[str, Any]:
    """Return the document of all routes, the webhook's included."""
    resolver = new_resolver()
    add_routes(resolver, _NoServices(), lambda: datetime.min)  # noqa: DTZ901  never asked
    routed = json.loads(resolver.get_openapi_json_schema(title="Cost of Argo CD applications", version=VERSION))
    paths = {
        _path(endpoint.rule): {
            method: _operation(endpoint.rule, endpoint.group, operation)
            for method, operation in routed["paths"][_path(endpoint.rule)].items()
        }
        for endpoint in ENDPOINTS
    }
    return {
        "openapi": routed["openapi"],
        "info": routed["info"],
        "paths": {**paths, WEBHOOK: {"post": _webhook()}},
        "components": {"schemas": {**_schemas(), **_choices(routed)}, "securitySchemes": _security_schemes()},
    }


def _operation(rule: str, group: Group, operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the router knows of a route, with its answers, its problems and what it demands."""
    kinds = (*GROUP_PROBLEMS[group], *ROUTE_PROBLEMS.get(rule, ()))
    described = {name: operation[name] for name in ("tags", "summary", "description", "operationId")}
    headers = [] if group in OPEN else [_APPLICATION_HEADER]
    answer = _file(*FILES[rule]) if rule in FILES else _content(HTTPStatus.OK.phrase, ANSWERS[rule].__name__)
    return {
        **described,
        "security": [] if group in OPEN else [{"proxyToken": []}],
        "parameters": [*operation.get("parameters", []), *headers],
        "responses": {"200": answer, **_problems(kinds)},
    }


def _webhook() -> dict[str, Any]:
    return {
        "tags": ["webhook"],
        "summary": "Argo CD's notification of a finished sync",
        "description": "The body is what the template in deploy/argocd/ renders, plain or gzip, up to 1 MB; no Content-Type "
        f"is needed. Reasons of a skipped notification: {', '.join(SKIP_REASONS)}.",
        "operationId": "on_sync",
        "security": [{"webhookToken": []}],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}},
        "responses": {
            "200": _content("Skipped", documents.Skipped.__name__),
            "202": _content("Queued", documents.Queued.__name__),
            **_problems(ROUTE_PROBLEMS[WEBHOOK]),
        },
    }


def _problems(kinds: Sequence[ProblemType]) -> dict[str, Any]:
    """Return a response per status, which names its codes."""
    codes: dict[HTTPStatus, list[str]] = {}
    for kind in kinds:
        codes.setdefault(kind.status, []).append(kind.code)
    return {
        str(status.value): _content(", ".join(codes[status]), "ProblemDocument", media_type="application/problem+json")
        for status in sorted(codes)
    }


def _content(description: str, model: str, *, media_type: str = "application/json") -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{model}"}
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _file(media_type: str, form: str) -> dict[str, Any]:
    schema = {"type": "string", "format": "binary"} if form == "binary" else {"type": "string"}
    return {"description": HTTPStatus.OK.phrase, "content": {media_type: {"schema": schema}}}


def _schemas() -> dict[str, Any]:
    models: set[type[BaseModel]] = {*ANSWERS.values(), documents.ProblemDocument, documents.Queued, documents.Skipped}
    ordered = sorted(models, key=lambda model: model.__name__)
    _, schema = models_json_schema(
        [(model, "serialization") for model in ordered], ref_template="#/components/schemas/{model}"
    )
    schemas: dict[str, Any] = schema["$defs"]
    return schemas


def _choices(routed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that query parameters may have, as the router names them."""
    schemas: Mapping[str, Any] = routed["components"]["schemas"]
    return {name: schema for name, schema in schemas.items() if "enum" in schema}


def _security_schemes() -> dict[str, Any]:
    return {
        "proxyToken": {"type": "http", "scheme": "bearer", "description": "Added by Argo CD's extension proxy"},
        "webhookToken": {
            "type": "http",
            "scheme": "bearer",
            "description": "Added by Argo CD's notifications controller",
        },
    }


def _path(rule: str) -> str:
    return rule.replace("<", "{").replace(">", "}")


def written() -> str:
    """Return the document as it lies in the repository."""
    return json.dumps(openapi_document(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(written(), encoding="utf-8")
