"""Routes about the whole cluster, for whoever may read the gate Application."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.answers import document_response
from api.endpoints import APPLICATIONS
from api.services import ApiServices
from costintel.cost.application import AppRef
from costintel.errors import InvalidInput
from costintel.measurement.selection import MOST_ENTRIES, LabelChoice, Order, RollUp, Selection
from costintel.measurement.subject import SubjectState

Name = Annotated[str | None, Query(min_length=1, max_length=253)]
Text = Annotated[str | None, Query(max_length=253)]


def add_cluster_routes(resolver: APIGatewayHttpResolver, services: ApiServices, now: Callable[[], datetime]) -> None:
    """Add the routes about the whole cluster."""

    @resolver.get(
        APPLICATIONS,
        summary="Every application with its current cost",
        description="One page of the applications that meet every condition, what all of them together cost, and what no "
        "application owns. Every pod counts once, at one application or at none.",
        tags=["cluster"],
        operation_id="applications",
    )
    def applications(  # noqa: PLR0913, PLR0917  one argument per query parameter
        project: Name = None,
        namespace: Name = None,
        application_set: Annotated[str | None, Query(alias="applicationSet", min_length=1, max_length=253)] = None,
        parent: Annotated[str | None, Query(description="namespace:name")] = None,
        label: Annotated[str | None, Query(description="KEY or KEY=VALUE")] = None,
        state: SubjectState | None = None,
        search: Annotated[str, Query(max_length=253, description="Part of a name")] = "",
        order: Order = Order.COST,
        reverse: bool = False,
        offset: Annotated[int, Query(ge=0)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = 100,
        by: Annotated[str | None, Query(description="project, applicationSet, parent or label:KEY")] = None,
    ) -> Response[str]:
        selection = Selection(
            project=project,
            namespace=namespace,
            application_set=application_set,
            parent=None if parent is None else _reference(parent),
            label=None if label is None else LabelChoice.parse(label, field="label"),
            state=state,
            search=search,
            order=order,
            reverse=reverse,
            offset=offset,
            limit=limit,
            roll_up=None if by is None else RollUp.parse(by, field="by"),
        )
        return document_response(services.applications(selection, now()))


def _reference(text: str) -> AppRef:
    reference = AppRef.parse(text)
    if reference is None:
        raise InvalidInput("parent", "namespace:name")
    return reference
