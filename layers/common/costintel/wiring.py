"""The composition root: what a function needs, put together from its settings, once per cold start.

`webhook` needs no more than its own receiver. `api` must not load what talks to OpenCost, so `measure`'s parts are imported
where they are put together.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from costintel import clock
from costintel.argocd.destination import DestinationRules
from costintel.argocd.gate import Gate, GateRule
from costintel.config import Environment
from costintel.cost.application import AppRef
from costintel.cost.day_range import DayRange
from costintel.history.answers import HistoryAnswers, assemble_answers
from costintel.history.refolding import Refolding
from costintel.history.series_assembly import SeriesParts, assemble_refolding
from costintel.measurement.age import CreationTimes
from costintel.measurement.catalogue_reading import CatalogueReader
from costintel.measurement.current import Actuals
from costintel.measurement.features import Features
from costintel.measurement.gatekeeper import Gatekeeper
from costintel.measurement.listing import Listing
from costintel.measurement.selection import Selection
from costintel.measurement.subjects import SubjectRules
from costintel.storage.collections import Collections
from costintel.storage.connection import Database
from costintel.storage.live import LiveApplications, LiveNamespaces
from costintel.storage.live_lists import LiveLists
from costintel.storage.migrations import read_migrations
from costintel.storage.records import Records
from costintel.storage.work import Work

if TYPE_CHECKING:
    from costintel.history.history import History
    from costintel.measurement.live_state import LiveState
    from costintel.measurement.measuring import Measuring
    from costintel.opencost.client import OpenCostClient


@dataclass(frozen=True)
class ApiServices:
    """What the routes read; everything may raise StorageUnavailable."""

    actuals: Actuals
    gatekeeper: Gatekeeper
    features: Features
    listing: Listing
    history: HistoryAnswers
    database: Database

    def actual(self, application: AppRef, now: datetime) -> dict[str, Any] | None:
        """Return what an Application costs as JSON, None when no sync of it is known."""
        return self.actuals.actual(application, now)

    def daily(self, application: AppRef, days: DayRange, now: datetime) -> dict[str, Any] | None:
        """Return what an Application cost day by day as JSON, None if it has no series."""
        return self.history.daily(application, days, now)

    def trend(self, application: AppRef, *, offset: int, limit: int, now: datetime) -> dict[str, Any] | None:
        """Return what an Application's syncs changed as JSON, None if it has no series."""
        return self.history.trend(application, offset=offset, limit=limit, now=now)

    def month(self, application: AppRef, now: datetime) -> dict[str, Any] | None:
        """Return an Application's calendar month as JSON, None if it has no series."""
        return self.history.month(application, now)

    def elsewhere_since(self, application: AppRef) -> datetime | None:
        """Return when the live list showed that an Application deploys to another cluster, None if it did not."""
        return self.gatekeeper.elsewhere_since(application)

    def gate(self) -> Gate:
        """Return the Application whose readers may see the whole cluster, or why there is none."""
        return self.gatekeeper.gate()

    def config(self) -> dict[str, Any]:
        """Return what the browser needs to know as JSON."""
        return self.features.config()

    def applications(self, selection: Selection, now: datetime) -> dict[str, Any]:
        """Return the selected Applications with their current cost as JSON."""
        return self.listing.applications(selection, now)

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
    cluster, basis_hours = environment.required("CLUSTER_NAME"), environment.month_hours()
    actuals = Actuals(
        cluster=cluster,
        currency=environment.currency(),
        basis_hours=basis_hours,
        collections=Collections(database),
        records=Records(database),
        work=Work(database),
        creation_times=CreationTimes(
            cluster=cluster, applications=LiveApplications(database), namespaces=LiveNamespaces(database)
        ),
    )
    gatekeeper = _gatekeeper(environment, database)
    features = Features(
        cluster=cluster,
        currency=environment.currency(),
        basis_hours=basis_hours,
        gatekeeper=gatekeeper,
        lists=LiveLists(database),
    )
    rules = SubjectRules(destinations=gatekeeper.destinations, access=environment.access_application())
    reader = CatalogueReader(cluster=cluster, basis_hours=basis_hours, rules=rules, database=database)
    listing = Listing(currency=environment.currency(), reader=reader)
    series = _series_parts(environment, database)
    return ApiServices(
        actuals=actuals,
        gatekeeper=gatekeeper,
        features=features,
        listing=listing,
        history=assemble_answers(series, actuals),
        database=database,
    )


def _gatekeeper(environment: Environment, database: Database) -> Gatekeeper:
    return Gatekeeper(
        cluster=environment.required("CLUSTER_NAME"),
        rule=GateRule.parse(environment.text("CLUSTER_SCOPE_APP"), environment.access_application()),
        destinations=DestinationRules(environment.listed("CLUSTER_ALIASES")),
        applications=LiveApplications(database),
    )


def build_measure(environment: Environment) -> "Measuring":
    """Put the measuring service together. Raises ConfigurationError."""
    from costintel.measurement.assembly import Parts, assemble  # noqa: PLC0415

    return assemble(
        Parts(
            cluster=environment.required("CLUSTER_NAME"),
            cluster_id=environment.text("CLUSTER_ID"),
            basis_hours=environment.month_hours(),
            lease_seconds=environment.number("LEASE_SECONDS"),
            read_timeout_seconds=environment.number("OPENCOST_READ_TIMEOUT_SECONDS"),
            client=opencost_client(environment),
            database=Database.of(environment),
            lease_database=Database.of(environment),
        )
    )


def build_history(environment: Environment) -> "History":
    """Put the hourly run together. Raises ConfigurationError."""
    from costintel.history.assembly import Parts, assemble  # noqa: PLC0415

    return assemble(
        Parts(
            series=_series_parts(environment, Database.of(environment)),
            cluster_id=environment.text("CLUSTER_ID"),
            lease_seconds=environment.number("LEASE_SECONDS"),
            read_timeout_seconds=environment.number("OPENCOST_READ_TIMEOUT_SECONDS"),
            client=opencost_client(environment),
            lease_database=Database.of(environment),
            clock=clock.now,
        )
    )


def build_refolding(environment: Environment, database: Database | None = None) -> Refolding:
    """Put together what folds series outside of the hourly run; it does not know OpenCost. Raises ConfigurationError."""
    return assemble_refolding(_series_parts(environment, database or Database.of(environment)), clock=clock.now)


def _series_parts(environment: Environment, database: Database) -> SeriesParts:
    return SeriesParts(
        cluster=environment.required("CLUSTER_NAME"),
        history_days=environment.history_days(),
        destinations=DestinationRules(environment.listed("CLUSTER_ALIASES")),
        access=environment.access_application(),
        database=database,
    )


def build_exporter(environment: Environment) -> "LiveState":
    """Put together what keeps the tables of live objects; nothing of Kubernetes is loaded yet. Raises ConfigurationError."""
    from costintel.cluster.cluster import open_cluster  # noqa: PLC0415
    from costintel.cluster.settings import read_settings  # noqa: PLC0415
    from costintel.measurement.live_state import LiveState  # noqa: PLC0415
    from costintel.measurement.reconciliation import Reconciliation  # noqa: PLC0415
    from costintel.storage.known_syncs import KnownSyncs  # noqa: PLC0415

    database, cluster = Database.of(environment), environment.required("CLUSTER_NAME")
    rules = DestinationRules(environment.listed("CLUSTER_ALIASES"))
    settings = read_settings(environment.text)
    return LiveState(
        cluster=cluster,
        database=database,
        open_cluster=lambda: open_cluster(settings, rules=rules, clock=clock.now, values=environment.values),
        reconciliation=Reconciliation(
            cluster=cluster,
            destinations=rules,
            access=environment.access_application(),
            prunes_remote=environment.switch("PRUNE_REMOTE_COST"),
            work=Work(database),
            records=Records(database),
            known_syncs=KnownSyncs(database),
        ),
        client=opencost_client(environment),
        now=clock.now,
    )


def opencost_client(environment: Environment) -> "OpenCostClient":
    """Return the client of OpenCost: straight to it, or through the Kubernetes API's service proxy where the URL leads there.

    Raises ConfigurationError.
    """
    from costintel.cluster.access import token_source  # noqa: PLC0415
    from costintel.cluster.settings import read_settings  # noqa: PLC0415
    from costintel.opencost.client import OpenCostClient  # noqa: PLC0415
    from costintel.opencost.service_proxy import ServiceProxyTransport, is_service_proxy  # noqa: PLC0415

    base_url, ca_file = environment.http_url("OPENCOST_BASE_URL"), environment.text("OPENCOST_CA_FILE")
    proxy: ServiceProxyTransport | None = None
    if is_service_proxy(base_url):
        tokens = token_source(read_settings(environment.text), values=environment.values)
        proxy = ServiceProxyTransport(base_url, tokens=tokens, ca_file=ca_file)
    return OpenCostClient(
        base_url,
        token=environment.text("OPENCOST_TOKEN"),
        ca_file=ca_file,
        read_timeout_seconds=environment.number("OPENCOST_READ_TIMEOUT_SECONDS"),
        transport=proxy,
    )
