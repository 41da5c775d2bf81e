"""The measured syncs of one Application over time, and the figures of those that are looked at."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import args_row, class_row

from costintel.cost.application import AppRef
from costintel.cost.sync import FigureDocument
from costintel.storage.connection import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSync:
    """A record without its figures. `has_settled`: it has a settled figure; of a settled one it may still be None."""

    id: str
    finished_at: datetime
    revision: str
    revisions: list[str]
    initiated_by: str
    is_install: bool
    scope: str
    is_settled: bool
    has_settled: bool
    settles_at: datetime | None
    measured_at: datetime


@dataclass(frozen=True, slots=True)
class StoredFigures:
    """Figures of a record; None for one that was not asked for, too."""

    id: str
    early: FigureDocument | None
    settled: FigureDocument | None


class SyncHistory:
    """The table `cost_actuals`, Application by Application."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def syncs(self, cluster: str, application: AppRef) -> list[RecordedSync]:
        """Return every record of an Application: the install's, which is before every sync, then the syncs, oldest first."""
        return self._database.fetch_all(
            class_row(RecordedSync),
            """
            SELECT id, sync_finished_at AS finished_at, revision, revisions, initiated_by,
                measured_on = 'install' AS is_install, scope, stage = 'settled' AS is_settled,
                settled IS NOT NULL AS has_settled, settles_at, measured_at
            FROM cost_actuals WHERE cluster = %s AND application_namespace = %s AND application_name = %s
            ORDER BY measured_on = 'sync', sync_finished_at, id
            """,
            [cluster, application.namespace, application.name],
        )

    def figures(self, cluster: str, *, early: Collection[str], settled: Collection[str]) -> Iterator[StoredFigures]:
        """Yield the early and the settled figures of these ids, record by record: one may be megabytes (see Database.stream)."""
        yield from self._database.stream(
            args_row(StoredFigures),
            """
            SELECT id, CASE WHEN id = ANY(%(early)s) THEN early END, CASE WHEN id = ANY(%(settled)s) THEN settled END
            FROM cost_actuals WHERE cluster = %(cluster)s AND (id = ANY(%(early)s) OR id = ANY(%(settled)s))
            """,
            {"cluster": cluster, "early": list(early), "settled": list(settled)},
        )
