"""Routes about the one application that the caller's header names."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.params import Path

from api.answers import document_response, problem_response
from api.endpoints import ACTUAL
from api.services import ApiServices
from costintel.argocd.problem import NOT_MEASURED, OTHER_CLUSTER, Problem
from costintel.cost.application import AppRef

AppName = Annotated[str, Path(description="Name of the Application; the header gives its namespace, too")]


def add_application_routes(
    resolver: APIGatewayHttpResolver, services: ApiServices, now: Callable[[], datetime]
) -> None:
    """Add the application's routes. The resolver's `context["application"]` is the AppRef that was authorized."""

    @resolver.get(
        ACTUAL,
        summary="What the application costs",
        description="Its current cost beside the last measured sync's, before (early) and after it (settled).",
        tags=["application"],
        operation_id="actual",
    )
    def actual(app: AppName) -> Response[str]:  # noqa: ARG001  looked up by the header, which the path was compared with
        application: AppRef = resolver.context["application"]
        elsewhere_since = services.elsewhere_since(application)
        document = services.actual(application, now())
        if elsewhere_since is not None and not _is_newer(document, elsewhere_since):
            return problem_response(Problem(OTHER_CLUSTER, "This application deploys to another cluster"))
        if document is None:
            return problem_response(Problem(NOT_MEASURED, "No sync of this application has been reported yet"))
        return document_response(document)


def _is_newer(document: Mapping[str, Any] | None, moment: datetime) -> bool:
    """Whether the newest sync to this cluster finished after `moment`: the application has come back since."""
    finished_at = None if document is None else document["record"]["sync"]["finishedAt"]
    return finished_at is not None and datetime.fromisoformat(finished_at) > moment
