"""What lives in the cluster now, as the last complete list of each kind showed it."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from psycopg.rows import tuple_row

from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication, LiveHpa, LiveNamespace, LiveVpa
from costintel.storage.connection import Database
from costintel.storage.live_shapes import APPLICATION, HPA, NAMESPACE, VPA
from costintel.storage.live_table import LiveTable


class LiveApplications(LiveTable[LiveApplication]):
    """The table `applications`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, APPLICATION)

    def find(self, cluster: str, application: AppRef) -> LiveApplication | None:
        """Return one Application, None when the last complete list did not have it."""
        found = self._where(
            "namespace = %(namespace)s AND name = %(name)s",
            cluster=cluster,
            namespace=application.namespace,
            name=application.name,
        )
        return found[0] if found else None

    def named(self, cluster: str, applications: Sequence[AppRef]) -> dict[AppRef, LiveApplication]:
        """Return those of `applications` that the last complete list had."""
        return {one.application: one for one in self._where(_NAMED, cluster=cluster, **_columns(applications))}

    def created_at(self, cluster: str, applications: Sequence[AppRef]) -> dict[AppRef, datetime]:
        """Return when those of `applications` that the last complete list had were created."""
        query = f"SELECT namespace, name, created_at FROM applications WHERE cluster = %(cluster)s AND {_NAMED}"  # noqa: S608  constants
        found = self._database.fetch_all(tuple_row, query, {"cluster": cluster, **_columns(applications)})
        return {AppRef(namespace, name): moment for namespace, name, moment in found}

    def page(self, cluster: str, *, after: AppRef | None, limit: int) -> list[LiveApplication]:
        """Return the first `limit` Applications after `after` (None: from the beginning), by namespace and name."""
        return self._where(
            "(namespace, name) > (%(namespace)s, %(name)s) ORDER BY namespace, name LIMIT %(limit)s",
            cluster=cluster,
            namespace="" if after is None else after.namespace,
            name="" if after is None else after.name,
            limit=limit,
        )

    def labelled(self, cluster: str, key: str) -> dict[AppRef, str]:
        """Return the Applications that have the label `key`, with its value, by namespace and name."""
        rows = self._database.fetch_all(
            tuple_row,
            """
            SELECT namespace, name, labels ->> %(key)s FROM applications
            WHERE cluster = %(cluster)s AND labels ? %(key)s ORDER BY namespace, name
            """,
            {"cluster": cluster, "key": key},
        )
        return {AppRef(namespace, name): value for namespace, name, value in rows}


class LiveNamespaces(LiveTable[LiveNamespace]):
    """The table `namespaces`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, NAMESPACE)

    def named(self, cluster: str, names: Sequence[str]) -> list[LiveNamespace]:
        """Return those of the namespaces `names` that the last complete list had, by name."""
        return self._where("name = ANY(%(names)s) ORDER BY name", cluster=cluster, names=list(names))


class LiveVpas(LiveTable[LiveVpa]):
    """The table `recommendations`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, VPA)

    def within(self, cluster: str, namespaces: Sequence[str]) -> list[LiveVpa]:
        """Return the VerticalPodAutoscalers of these namespaces, by namespace and name."""
        return self._where(_WITHIN, cluster=cluster, namespaces=list(namespaces))


class LiveHpas(LiveTable[LiveHpa]):
    """The table `autoscalers`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, HPA)

    def within(self, cluster: str, namespaces: Sequence[str]) -> list[LiveHpa]:
        """Return the HorizontalPodAutoscalers of these namespaces, by namespace and name."""
        return self._where(_WITHIN, cluster=cluster, namespaces=list(namespaces))


_WITHIN = "namespace = ANY(%(namespaces)s) ORDER BY namespace, name"
_NAMED: LiteralString = "(namespace, name) IN (SELECT * FROM unnest(%(namespaces)s::text[], %(names)s::text[]))"


def _columns(applications: Sequence[AppRef]) -> dict[str, list[str]]:
    return {"namespaces": [one.namespace for one in applications], "names": [one.name for one in applications]}
