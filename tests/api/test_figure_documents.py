"""Figures as the measurement writes them fit the described answer."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from api.documents import ActualAnswer, Figure
from costintel.cost.container import container_cost, fold
from costintel.cost.figure import FigureTerms, figure
from costintel.cost.window import Window
from costintel.measurement.document import figure_document
from tests.cost.rows import row

WINDOW = Window.of_hours(datetime(2026, 11, 29, tzinfo=UTC), 24)
HOURS = [Window(start, start + timedelta(hours=1)) for start in WINDOW.clock_hours()]


def document(*, observed: list[Window] = HOURS, list_pods: bool = True) -> dict[str, Any]:
    rows = [
        row(start=WINDOW.start, cpu_cost=1.0, ram_cost=0.25, cpu_core_hours_requested=1.0, cpu_core_hours_used=0.5),
        row(start=WINDOW.start, pod="web-5c9d8f7b6d-bbbbb", cpu_cost=0.5),
    ]
    terms = FigureTerms(window=WINDOW, basis_hours=720, scope="application", source="live")
    measured = figure(fold(map(container_cost, rows)), observed, known_since=WINDOW.start, terms=terms)
    written = figure_document(measured, list_pods=list_pods)
    assert written is not None
    return dict(written)


def answer(**changes: Any) -> dict[str, Any]:
    return {
        "application": {"namespace": "argocd", "name": "checkout"},
        "project": "shop",
        "destination": {"server": "", "name": "in-cluster", "namespace": "shop"},
        "customResources": ["monitoring.coreos.com/Prometheus"],
        "resourcesOmitted": False,
        "scope": "application",
        "currency": "USD",
        "state": "measured",
        "stale": False,
        "measuredAt": "2026-11-29T00:10:00Z",
        "current": document(),
        "contested": [{"kind": "Job", "namespace": "shop", "name": "seed", "owner": "argocd:older"}],
        "record": {
            "id": "0" * 32,
            "measuredOn": "sync",
            "foundBy": "webhook",
            "sync": {
                "revision": "a50126cc",
                "revisions": [],
                "startedAt": None,
                "finishedAt": "2026-11-28T23:50:00Z",
                "initiatedBy": "alice",
                "syncStatus": "Synced",
                "healthStatus": "Healthy",
            },
            "early": document(list_pods=False),
            "settled": None,
            "settlesAt": "2026-11-30T00:10:00Z",
            "isSettled": False,
        },
        **changes,
    }


@pytest.mark.parametrize("list_pods", [True, False])
def test_a_measured_figure_fits_its_description(list_pods: bool) -> None:
    """Every member is described, and none is missing."""
    Figure.model_validate_json(json.dumps(document(list_pods=list_pods)))


def test_a_figure_without_a_projection_fits() -> None:
    """Under an hour there is no monthly amount."""
    half = [Window(WINDOW.start, WINDOW.start + timedelta(minutes=30))]

    assert Figure.model_validate_json(json.dumps(document(observed=half))).monthly is None


def test_a_whole_answer_fits_its_description() -> None:
    """Figures and nulls at their places are as described."""
    ActualAnswer.model_validate_json(json.dumps(answer()))
    ActualAnswer.model_validate_json(json.dumps(answer(state="received", current=None)))


@pytest.mark.parametrize("changes", [{"currency": None}, {"state": "unknown"}, {"extra": 1}, {"scope": "cluster"}])
def test_the_description_is_strict(changes: dict[str, Any]) -> None:
    """A member too many, or a value that is not described, does not pass."""
    with pytest.raises(ValidationError):
        ActualAnswer.model_validate_json(json.dumps(answer(**changes)))
