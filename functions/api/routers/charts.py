"""The Helm repository of the access Application's chart: it deploys nothing and tells nothing."""

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from api import chart
from api.answers import GZIP, file_response
from api.endpoints import CHART_FILE, CHART_INDEX


def add_charts(resolver: APIGatewayHttpResolver) -> None:
    """Add the repository's routes."""

    @resolver.get(
        CHART_INDEX,
        summary="Index of the Helm repository",
        description="Names the one chart there is, with its digest.",
        tags=["charts"],
        operation_id="chart_index",
    )
    def chart_index() -> Response[str]:
        return file_response(chart.index().encode(), "application/yaml")

    @resolver.get(
        CHART_FILE,
        summary="The empty chart",
        description="Deploys nothing; the access Application is made of it.",
        tags=["charts"],
        operation_id="chart_file",
    )
    def chart_file() -> Response[str]:
        return file_response(chart.archive(), GZIP)
