"""The composition root: what a function needs, put together from its settings, once per cold start.

`webhook` needs no more than its own receiver. `api` must not load what talks to OpenCost, so `measure`'s parts are imported
where they are put together.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from costintel.config import Environment
from costintel.cost.application import AppRef
from costintel.measurement.current import Actuals
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.migrations import read_migrations
from costintel.storage.records import Records
from costintel.storage.work import Work

if TYPE_CHECKING:
    from costintel.measurement.measuring import Measuring


@dataclass(frozen=True)
class ApiServices:
    """What the routes read; everything may raise StorageUnavailable."""

    actuals: Actuals
    database: Database

    def actual(self, application: AppRef, now: datetime) -> dict[str, Any] | None:
        """Return what an Application costs as JSON, None when no sync of it is known."""
        return self.actuals.actual(application, now)

    def ready(self) -> bool:
        """Whether the database answers and has the schema this release needs, or a newer one."""
        query = "SELECT FROM schema_migrations WHERE version >= %s"
        return self.database.execute(query, [self._newest_version]) > 0

    @cached_property
    def _newest_version(self) -> int:
        return len(read_migrations())


def build_api(environment: Environment) -> ApiServices:
    """Put together what the API reads. Raises ConfigurationError."""
    database = Database.of(environment)
    actuals = Actuals(
        cluster=environment.required("CLUSTER_NAME"),
        currency=environment.currency(),
        basis_hours=environment.month_hours(),
        collections=Collections(database),
        records=Records(database),
        work=Work(database),
    )
    return ApiServices(actuals, database)


def build_measure(environment: Environment) -> "Measuring":
    """Put the measuring service together. Raises ConfigurationError."""
    from costintel.measurement.assembly import Parts, assemble  # noqa: PLC0415
    from costintel.opencost.client import OpenCostClient  # noqa: PLC0415

    read_timeout_seconds = environment.number("OPENCOST_READ_TIMEOUT_SECONDS")
    client = OpenCostClient(
        environment.http_url("OPENCOST_BASE_URL"),
        token=environment.text("OPENCOST_TOKEN"),
        ca_file=environment.text("OPENCOST_CA_FILE"),
        read_timeout_seconds=read_timeout_seconds,
    )
    return assemble(
        Parts(
            cluster=environment.required("CLUSTER_NAME"),
            cluster_id=environment.text("CLUSTER_ID"),
            basis_hours=environment.month_hours(),
            lease_seconds=environment.number("LEASE_SECONDS"),
            read_timeout_seconds=read_timeout_seconds,
            client=client,
            database=Database.of(environment),
            lease_database=Database.of(environment),
        )
    )
