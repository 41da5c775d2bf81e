"""Routes that anyone may ask: whether the function runs, and whether it reaches the database."""

from collections.abc import Callable
from datetime import datetime, timedelta

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from api.answers import problem_response, state_response
from api.endpoints import HEALTH, READY
from api.services import ApiServices
from costintel.argocd.problem import NOT_READY, Problem
from costintel.errors import StorageError

_KEPT_FOR = timedelta(seconds=10)


class Readiness:
    """Asks the database at most every ten seconds, however often strangers ask us."""

    def __init__(self, services: ApiServices, now: Callable[[], datetime]) -> None:
        self._services = services
        self._now = now
        self._asked_at: datetime | None = None
        self._is_ready = False

    def is_ready(self) -> bool:
        """Whether the database answered, now or up to ten seconds ago."""
        now = self._now()
        if self._asked_at is None or not timedelta() <= now - self._asked_at < _KEPT_FOR:
            self._is_ready = self._ask()
            self._asked_at = now
        return self._is_ready

    def _ask(self) -> bool:
        try:
            return self._services.ready()
        except StorageError:
            return False


def add_probes(resolver: APIGatewayHttpResolver, services: ApiServices, now: Callable[[], datetime]) -> None:
    """Add the probes' routes."""
    readiness = Readiness(services, now)

    @resolver.get(
        HEALTH,
        summary="Whether the function runs",
        description="Touches nothing.",
        tags=["probes"],
        operation_id="health",
    )
    def health() -> Response[str]:
        return state_response("ok")

    @resolver.get(
        READY,
        summary="Whether the database answers",
        description="The state is at most ten seconds old.",
        tags=["probes"],
        operation_id="ready",
    )
    def ready() -> Response[str]:
        if readiness.is_ready():
            return state_response("ready")
        return problem_response(Problem(NOT_READY, "The database does not answer", headers={"Retry-After": "10"}))
