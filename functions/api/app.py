"""The HTTP API: who may ask, then which route answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from api.answers import finished, problem_response
from api.endpoints import OPEN, Found, Group, find, is_malformed
from api.routers.any_application import add_any_application_routes
from api.routers.application import add_application_routes
from api.routers.charts import add_charts
from api.routers.cluster import add_cluster_routes
from api.routers.history import add_history_routes
from api.routers.probes import add_probes
from api.services import ApiServices
from costintel import clock
from costintel.argocd.answer import Answer
from costintel.argocd.problem import (
    APPLICATION_MISMATCH,
    INTERNAL_ERROR,
    METHOD_NOT_ALLOWED,
    PARAMETER_MALFORMED,
    PATH_MALFORMED,
    ROUTE_UNKNOWN,
    STORAGE_UNAVAILABLE,
    Problem,
)
from costintel.argocd.proxy import application_of
from costintel.argocd.request import Request
from costintel.argocd.tokens import TokenHashes, refusal
from costintel.cost.application import AppRef
from costintel.errors import InvalidInput, StorageError

RETRY_AFTER_SECONDS = 5

_logger = Logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An answer, with what the log says about it. `code` is a problem's code, empty for any other answer."""

    answer: Answer
    code: str
    rule: str
    application: AppRef | None


class Api:
    """Answers requests. Nothing of a request is looked at before its token, except whether it is for a probe."""

    def __init__(
        self,
        resolver: APIGatewayHttpResolver,
        services: ApiServices,
        *,
        tokens: TokenHashes,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._resolver = resolver
        self._services = services
        self._tokens = tokens
        self._now = now

    def answer(self, event: Mapping[str, Any], context: Any = None) -> Outcome:  # noqa: ANN401  Lambda's own class
        """Answer one event of API Gateway, in either payload format."""
        request = Request.of(event)
        found = find(request.path)
        admitted = self._admit(request, found)
        if isinstance(admitted, Problem):
            answer = admitted.answer()
        else:
            self._resolver.context["application"] = admitted
            answer = self._resolver.resolve(_routed(request, found), context)
        return Outcome(
            answer=finished(request, answer),
            code=_code(answer),
            rule=found.endpoint.rule if found else "",
            application=admitted if isinstance(admitted, AppRef) else None,
        )

    def _admit(self, request: Request, found: Found | None) -> AppRef | Problem | None:
        """Return the application a request may ask about (None: the route is about none), or why it is refused."""
        if found is None or found.endpoint.group not in OPEN:
            refused = refusal(request.header("authorization"), self._tokens, self._now())
            if refused:
                return refused
        if found is None:
            return _nowhere(request.path)
        if request.method not in found.endpoint.allowed:
            allowed = ", ".join(found.endpoint.allowed)
            return Problem(METHOD_NOT_ALLOWED, f"Expected {allowed}", headers={"Allow": allowed})
        return None if found.endpoint.group in OPEN else self._authorized(request, found)

    def _authorized(self, request: Request, found: Found) -> AppRef | Problem:
        """Return the application that the header names, if it is one that the route's group asks for."""
        application = application_of(request)
        if isinstance(application, Problem):
            return application
        if found.endpoint.group is Group.CLUSTER:
            return self._at_the_gate(application)
        if found.endpoint.group is Group.APPLICATION and application.name != found.application_name:
            return Problem(APPLICATION_MISMATCH, "The path names another application than Argocd-Application-Name")
        return application

    def _at_the_gate(self, application: AppRef) -> AppRef | Problem:
        try:
            return self._services.gate().refusal(application) or application
        except StorageError as error:
            return _storage_problem(error)


def create_app(services: ApiServices, *, tokens: TokenHashes, now: Callable[[], datetime] = clock.now) -> Api:
    """Put the API together: `tokens` are those of Argo CD's proxy."""
    resolver = new_resolver()
    add_routes(resolver, services, now)
    return Api(resolver, services, tokens=tokens, now=now)


def add_routes(resolver: APIGatewayHttpResolver, services: ApiServices, now: Callable[[], datetime]) -> None:
    """Add every route, group by group."""
    add_probes(resolver, services, now)
    add_charts(resolver)
    add_any_application_routes(resolver, services)
    add_cluster_routes(resolver, services, now)
    add_application_routes(resolver, services, now)
    add_history_routes(resolver, services, now)


def new_resolver() -> APIGatewayHttpResolver:
    """Return a resolver without routes, which answers every failure as a problem."""
    resolver = APIGatewayHttpResolver(enable_validation=True)
    resolver.exception_handler(RequestValidationError)(_parameter_malformed)
    resolver.exception_handler(InvalidInput)(_field_malformed)
    resolver.exception_handler(StorageError)(_storage_unavailable)
    resolver.exception_handler(Exception)(_internal_error)
    return resolver


def _parameter_malformed(error: RequestValidationError) -> Response[str]:
    fields = sorted({str(one["loc"][-1]) for one in error.errors() if one["loc"]})
    return problem_response(Problem(PARAMETER_MALFORMED, "A parameter is not as documented", {"fields": fields}))


def _field_malformed(error: InvalidInput) -> Response[str]:
    """Refuse a parameter whose form only we can check; `field` is its name, and says nothing of what was sent."""
    detail = f"{error.field}: expected {error.expected}"
    return problem_response(Problem(PARAMETER_MALFORMED, detail, {"fields": [error.field]}))


def _storage_unavailable(error: StorageError) -> Response[str]:
    return problem_response(_storage_problem(error))


def _storage_problem(error: StorageError) -> Problem:
    _logger.warning("storage unavailable", extra={"cause": str(error)})
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)}
    return Problem(STORAGE_UNAVAILABLE, "The database does not answer", headers=headers)


def _internal_error(error: Exception) -> Response[str]:
    _logger.error("request failed", exc_info=error)
    return problem_response(Problem(INTERNAL_ERROR, "The request could not be answered; the log says why"))


def _nowhere(path: str) -> Problem:
    if is_malformed(path):
        return Problem(PATH_MALFORMED, "Expected a path without dot segments, empty segments or encoded characters")
    return Problem(ROUTE_UNKNOWN, "There is no such route")


def _routed(request: Request, found: Found | None) -> dict[str, Any]:
    """Return the event the router sees: one format, and nothing of the headers. HEAD is GET without its body."""
    path = found.path if found else request.path
    method = "GET" if request.method == "HEAD" else request.method
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "queryStringParameters": dict(request.query),
        "headers": {},
        "requestContext": {"http": {"method": method, "path": path}, "stage": "$default"},
        "body": request.body,
        "isBase64Encoded": request.body_is_base64,
    }


def _code(answer: Answer) -> str:
    return str(json.loads(answer["body"])["code"]) if answer["statusCode"] >= 400 else ""
