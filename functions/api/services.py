"""What the routes need from the rest of the service."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from costintel.cost.application import AppRef


class ApiServices(Protocol):
    """Reads what is stored; everything may raise StorageUnavailable."""

    def actual(self, application: AppRef, now: datetime) -> Mapping[str, Any] | None:
        """Return what the application costs (see documents.ActualAnswer) as JSON to be served, None if nothing is known of it."""
        ...

    def ready(self) -> bool:
        """Whether the database answers and has the schema this release needs."""
        ...
