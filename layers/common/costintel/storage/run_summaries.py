"""How the newest runs of each job went."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row

from costintel.storage.connection import Database
from costintel.storage.text import json_text

KEPT = 100
"""Runs kept of each job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run of a job; `summary` is a JSON object: what was done, what was skipped and why, what remains."""

    job: str
    started_at: datetime
    finished_at: datetime
    summary: Mapping[str, Any]


class RunSummaries:
    """The table `run_summaries`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, cluster: str, run: RunSummary) -> None:
        """Keep a run, and forget the job's oldest beyond KEPT. Raises InvalidInput for a summary that cannot be kept."""
        body = json_text(f"summary of {run.job}", dict(run.summary))
        with self._database.transaction():
            self._database.execute(
                """
                INSERT INTO run_summaries (cluster, job, started_at, finished_at, summary)
                VALUES (%s, %s, %s, %s, %s::jsonb)
                ON CONFLICT (cluster, job, started_at) DO UPDATE
                    SET finished_at = EXCLUDED.finished_at, summary = EXCLUDED.summary
                """,
                [cluster, run.job, run.started_at, run.finished_at, body],
            )
            self._database.execute(
                """
                DELETE FROM run_summaries WHERE cluster = %(cluster)s AND job = %(job)s AND started_at < (
                    SELECT started_at FROM run_summaries WHERE cluster = %(cluster)s AND job = %(job)s
                    ORDER BY started_at DESC OFFSET %(kept)s - 1 LIMIT 1)
                """,
                {"cluster": cluster, "job": run.job, "kept": KEPT},
            )

    def newest(self, cluster: str, job: str, *, limit: int = 1) -> list[RunSummary]:
        """Return the newest runs of a job, newest first."""
        return self._database.fetch_all(
            class_row(RunSummary),
            """
            SELECT job, started_at, finished_at, summary FROM run_summaries
            WHERE cluster = %s AND job = %s ORDER BY started_at DESC LIMIT %s
            """,
            [cluster, job, limit],
        )

    def newest_of_each(self, cluster: str) -> dict[str, RunSummary]:
        """Return the newest run of each job that ever ran, by job."""
        found = self._database.fetch_all(
            class_row(RunSummary),
            """
            SELECT DISTINCT ON (job) job, started_at, finished_at, summary FROM run_summaries
            WHERE cluster = %s ORDER BY job, started_at DESC
            """,
            [cluster],
        )
        return {run.job: run for run in found}
