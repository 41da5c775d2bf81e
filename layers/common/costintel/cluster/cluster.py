"""What lives in the cluster now, as lists."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from costintel.argocd.destination import DestinationRules
from costintel.cluster.access import open_connection
from costintel.cluster.application_file import read_application_file
from costintel.cluster.applications import read_application
from costintel.cluster.autoscalers import read_hpa, read_vpa
from costintel.cluster.connection import Connection
from costintel.cluster.kinds import APPLICATIONS, HPAS, NAMESPACES, VPAS, Kind
from costintel.cluster.listing import Lister
from costintel.cluster.namespaces import read_namespace
from costintel.cluster.parents import with_parents
from costintel.cluster.settings import ClusterSettings
from costintel.cost.live import ListOutcome, LiveApplication, LiveHpa, LiveNamespace, LiveVpa


class Cluster:
    """Lists what lives in the cluster. Open it for one run (`with`), so that no connection outlives it.

    A list never raises for what goes wrong on the way: it is then not complete and says why. A kind that is not installed or
    that we may not read is unavailable, which is not the same as none.
    """

    def __init__(
        self,
        settings: ClusterSettings,
        *,
        rules: DestinationRules,
        clock: Callable[[], datetime],
        connection: Connection | None,
    ) -> None:
        self._settings = settings
        self._rules = rules
        self._clock = clock
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._connection is not None:
            self._connection.close()

    def applications(self) -> ListOutcome[LiveApplication]:
        """List the Applications of every namespace, with their parents. Raises ConfigurationError."""
        if self._settings.applications_file:
            outcome = read_application_file(Path(self._settings.applications_file), clock=self._clock)
        else:
            outcome = self._list(APPLICATIONS, read_application)
        return replace(outcome, items=with_parents(outcome.items, self._rules))

    def namespaces(self) -> ListOutcome[LiveNamespace]:
        """List the namespaces. Raises ConfigurationError."""
        return self._list(NAMESPACES, read_namespace)

    def vertical_autoscalers(self) -> ListOutcome[LiveVpa]:
        """List the VerticalPodAutoscalers. Raises ConfigurationError."""
        return self._list(VPAS, read_vpa)

    def horizontal_autoscalers(self) -> ListOutcome[LiveHpa]:
        """List the HorizontalPodAutoscalers. Raises ConfigurationError."""
        return self._list(HPAS, read_hpa)

    def _list(self, kind: Kind, read: Callable[[object], Any]) -> ListOutcome[Any]:
        if self._connection is None:
            error = f"{kind.resource}: there is no API server to ask, only APPLICATIONS_FILE"
            return ListOutcome(items=(), complete=False, listed_at=self._clock(), error=error)
        return Lister(self._connection, clock=self._clock).outcome(kind, read)


def open_cluster(
    settings: ClusterSettings,
    *,
    rules: DestinationRules,
    clock: Callable[[], datetime],
    values: Mapping[str, str] = os.environ,
) -> Cluster | None:
    """Return the cluster, None when no Kubernetes is configured.

    `rules` tell our cluster from others, `clock` dates the lists, `values` holds the function's credentials. Nothing is asked
    or loaded before the first list.
    """
    if not settings.is_configured:
        return None
    connection = open_connection(settings, values=values) if settings.has_api else None
    return Cluster(settings, rules=rules, clock=clock, connection=connection)
