"""Figures of a day of pods with one container each, and records that hold them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from costintel.cost.container import ContainerCost, container_cost
from costintel.cost.figure import FigureTerms, figure
from costintel.cost.sync import FigureDocument
from costintel.cost.window import Window, early_window, settled_window
from costintel.history.answers import HistoryAnswers, assemble_answers
from costintel.measurement.age import CreationTimes
from costintel.measurement.current import Actuals
from costintel.measurement.document import figure_document
from costintel.storage.live import LiveNamespaces
from tests.collection.engine import CLUSTER
from tests.cost.rows import row
from tests.history.history_engine import HistoryEngine, record_of
from tests.measurement.syncs import LONG_AGO, a_sync

HOUR = timedelta(hours=1)
DAY_HOURS = 24 * 60


def pods(count: int, *, cores: float, price: float, controller: str = "web", **fields: Any) -> list[ContainerCost]:
    """Return a day of `count` pods with `cores` each at `price` a core-hour."""
    core_hours = 24 * cores
    return [
        container_cost(
            row(
                pod=f"{controller}-5c9d8f7b6d-{number:05d}",
                controller=controller,
                minutes=DAY_HOURS,
                cpu_core_hours=core_hours,
                cpu_cost=core_hours * price,
                **fields,
            )
        )
        for number in range(count)
    ]


def day_figure(
    window: Window, *containers: ContainerCost, hours: float = 24, scope: str = "application"
) -> FigureDocument:
    """Return the stored figure of a window that was observed for its last `hours`."""
    observed = [Window(window.end - hours * HOUR, window.end)]
    terms = FigureTerms(window=window, basis_hours=720, scope=scope, source="hours")
    found = figure(containers, observed, known_since=datetime(2026, 1, 1, tzinfo=UTC), terms=terms)
    document = figure_document(found, list_pods=scope == "application")
    assert document is not None
    return document


def keep(
    history: HistoryEngine,
    finished_at: datetime,
    *,
    early: list[ContainerCost] | None = None,
    settled: list[ContainerCost] | None = None,
    early_hours: float = 24,
    early_scope: str = "",
    scope: str = "application",
    measured_on: str = "sync",
    **changes: Any,
) -> str:
    """Keep the record of a sync of `shop` with figures of these containers; return its id."""
    listed: dict[str, Any] = {"resources": None} if scope == "namespace" else {}
    sync = a_sync("shop", **{"finished_at": finished_at, "created_at": LONG_AGO, **listed, **changes})
    before, after = early_window(finished_at), settled_window(finished_at)
    record = replace(
        record_of(sync, measured_on=measured_on),
        settles_at=None if measured_on == "install" else after.end + timedelta(minutes=10),
        early=None if early is None else day_figure(before, *early, hours=early_hours, scope=early_scope or scope),
        settled=None if settled is None else day_figure(after, *settled, scope=scope),
        is_settled=settled is not None,
    )
    history.engine.records.save(record)
    return sync.id


def answers(history: HistoryEngine) -> HistoryAnswers:
    """Return what the API answers from, on the history's database."""
    engine = history.engine
    actuals = Actuals(
        cluster=CLUSTER,
        currency="USD",
        basis_hours=720,
        collections=engine.collections,
        records=engine.records,
        work=engine.work,
        creation_times=CreationTimes(
            cluster=CLUSTER, applications=engine.applications, namespaces=LiveNamespaces(engine.database)
        ),
    )
    return assemble_answers(history.parts, actuals)
