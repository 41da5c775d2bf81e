"""Routes about one application over time: its days, its syncs, its month."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.answers import document_response, problem_response
from api.endpoints import DAILY, MONTH, TREND
from api.routers.application import AppName
from api.services import ApiServices
from costintel.argocd.problem import NOT_MEASURED, OTHER_CLUSTER, Problem
from costintel.cost.application import AppRef
from costintel.cost.chain import MOST_POINTS
from costintel.cost.day_range import DayRange

_DAY = "UTC day, YYYY-MM-DD, included"


def add_history_routes(resolver: APIGatewayHttpResolver, services: ApiServices, now: Callable[[], datetime]) -> None:
    """Add the routes. The resolver's `context["application"]` is the AppRef that was authorized."""
    _add_daily(resolver, services, now)
    _add_trend(resolver, services, now)
    _add_month(resolver, services, now)


def _add_daily(resolver: APIGatewayHttpResolver, services: ApiServices, now: Callable[[], datetime]) -> None:
    @resolver.get(
        DAILY,
        summary="What the application cost day by day",
        description="Every UTC day from `from` to `to`, at most 400; thirty ending today unless told otherwise. Days without a "
        "figure are there and say why.",
        tags=["application"],
        operation_id="daily",
    )
    def daily(
        app: AppName,  # noqa: ARG001  looked up by the header, which the path was compared with
        first: Annotated[str | None, Query(alias="from", description=_DAY)] = None,
        last: Annotated[str | None, Query(alias="to", description=_DAY)] = None,
    ) -> Response[str]:
        moment = now()
        days = DayRange.parse(first, last, today=moment.astimezone(UTC).date())
        application: AppRef = resolver.context["application"]
        return _answer(services.daily(application, days, moment), application, services)


def _add_trend(resolver: APIGatewayHttpResolver, services: ApiServices, now: Callable[[], datetime]) -> None:
    @resolver.get(
        TREND,
        summary="What the application's syncs changed",
        description="A point per sync or chain of syncs, oldest first, with the cost before and after it and the change by cause; "
        "the newest ones unless `offset` leaves them out.",
        tags=["application"],
        operation_id="trend",
    )
    def trend(
        app: AppName,  # noqa: ARG001  looked up by the header, which the path was compared with
        offset: Annotated[int, Query(ge=0, description="Newest points to leave out")] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_POINTS)] = MOST_POINTS,
    ) -> Response[str]:
        application: AppRef = resolver.context["application"]
        return _answer(services.trend(application, offset=offset, limit=limit, now=now()), application, services)


def _add_month(resolver: APIGatewayHttpResolver, services: ApiServices, now: Callable[[], datetime]) -> None:
    @resolver.get(
        MONTH,
        summary="The application's calendar month",
        description="Month to date, forecast with its 80 % band or why there is none, rates, and whether the last complete day "
        "stands out of those before it.",
        tags=["application"],
        operation_id="month",
    )
    def month(app: AppName) -> Response[str]:  # noqa: ARG001  looked up by the header, which the path was compared with
        application: AppRef = resolver.context["application"]
        return _answer(services.month(application, now()), application, services)


def _answer(document: Mapping[str, Any] | None, application: AppRef, services: ApiServices) -> Response[str]:
    if document is not None:
        return document_response(document)
    if services.elsewhere_since(application) is not None:
        return problem_response(Problem(OTHER_CLUSTER, "This application deploys to another cluster"))
    return problem_response(Problem(NOT_MEASURED, "No sync of this application has been measured yet"))
