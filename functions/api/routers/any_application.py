"""Routes for whoever may read any Application."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from api.answers import document_response
from api.endpoints import CONFIG
from api.services import ApiServices


def add_any_application_routes(resolver: APIGatewayHttpResolver, services: ApiServices) -> None:
    """Add the routes that are about no application."""

    @resolver.get(
        CONFIG,
        summary="What this installation has switched on",
        description="What the browser needs before it asks for anything else; the gate is the Application to name for the "
        "routes about the whole cluster.",
        tags=["any application"],
        operation_id="config",
    )
    def config() -> Response[str]:
        return document_response(services.config())
