"""Figures as JSON."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from costintel.cost.container import ContainerCost, container_cost
from costintel.cost.figure import FigureTerms, figure
from costintel.cost.sync import FigureDocument
from costintel.cost.window import Window
from costintel.measurement.document import MOST_PODS, figure_document
from tests.cost.rows import row

WINDOW = Window(datetime(2026, 11, 28, tzinfo=UTC), datetime(2026, 11, 29, tzinfo=UTC))
CREATED = datetime(2026, 1, 1, tzinfo=UTC)
RESOURCES = ("cpu", "ram", "gpu", "storage", "network", "loadBalancer")


def container(**fields: Any) -> ContainerCost:
    return container_cost(row(**fields))


def document(*containers: ContainerCost, list_pods: bool = True, hours: float = 24) -> FigureDocument:
    observed = [Window(WINDOW.end - timedelta(hours=hours), WINDOW.end)]
    terms = FigureTerms(window=WINDOW, basis_hours=720, scope="application", source="hours")
    made = figure_document(figure(containers, observed, known_since=CREATED, terms=terms), list_pods=list_pods)
    assert made is not None
    return made


def millionths(amount: float) -> int:
    return round(amount * 1_000_000)


def test_nothing_measured_is_null() -> None:
    """No figure, no document."""
    assert figure_document(None, list_pods=True) is None


def test_every_term_is_stated() -> None:
    """$5 in a day: window, hours, basis, confidence, scope, source, and 150 a month."""
    made = document(container(cpu_cost=5.0))

    assert made["window"] == {"start": "2026-11-28T00:00:00Z", "end": "2026-11-29T00:00:00Z"}
    assert (made["measuredHours"], made["basisHours"], made["confidence"]) == (24.0, 720, "full")
    assert (made["scope"], made["source"]) == ("application", "hours")
    assert made["cost"] == {**dict.fromkeys(RESOURCES, 0.0), "cpu": 5.0, "total": 5.0}
    assert made["monthly"] == {**dict.fromkeys(RESOURCES, 0.0), "cpu": 150.0, "total": 150.0}


def test_a_container_s_figures() -> None:
    """2 core-hours requested at $20, half a core-hour used; a byte-hour at $1, half of it used: 15 + 0.5 idle (I1)."""
    made = document(
        container(
            cpu_cost=20.0,
            ram_cost=1.0,
            cpu_core_hours=2.0,
            ram_byte_hours=1.0,
            cpu_core_hours_requested=2.0,
            cpu_core_hours_used=0.5,
            ram_byte_hours_requested=1.0,
            ram_byte_hours_used=0.5,
        )
    )

    assert made["idle"] == {"cpu": 15.0, "ram": 0.5, "total": 15.5, "complete": True}
    assert made["efficiency"] == {"cpu": 0.25, "ram": 0.5}
    assert made["pods"] == [
        {
            "namespace": "shop",
            "pod": "web-5c9d8f7b6d-aaaaa",
            "controllerKind": "deployment",
            "controller": "web",
            "cost": {**dict.fromkeys(RESOURCES, 0.0), "cpu": 20.0, "ram": 1.0, "total": 21.0},
            "idle": {"cpu": 15.0, "ram": 0.5, "total": 15.5, "complete": True},
            "containers": [
                {
                    "container": "web",
                    "cost": {**dict.fromkeys(RESOURCES, 0.0), "cpu": 20.0, "ram": 1.0, "total": 21.0},
                    "idle": {"cpu": 15.0, "ram": 0.5, "total": 15.5, "complete": True},
                    "efficiency": {"cpu": 0.25, "ram": 0.5},
                    "runningHours": 1.0,
                    "cpuCoreHours": 2.0,
                    "ramByteHours": 1.0,
                    "gpuHours": 0.0,
                }
            ],
        }
    ]


def test_everything_adds_up_in_both_directions() -> None:
    """Thirds of a cent: parts to totals, containers to pods, pods to the figure, per resource and altogether."""
    containers = [
        container(pod=f"web-5c9d8f7b6d-aaa{pod}", container=name, cpu_cost=1 / 3, ram_cost=2 / 7, network_cost=1e-7)
        for pod in "xyz"
        for name in ("one", "two")
    ]
    made = document(*containers)

    for entry in (made, *made["pods"], *(one for pod in made["pods"] for one in pod["containers"])):
        assert sum(millionths(entry["cost"][name]) for name in RESOURCES) == millionths(entry["cost"]["total"])
    for name in (*RESOURCES, "total"):
        assert sum(millionths(pod["cost"][name]) for pod in made["pods"]) == millionths(made["cost"][name])
        for pod in made["pods"]:
            inside = sum(millionths(one["cost"][name]) for one in pod["containers"])
            assert inside == millionths(pod["cost"][name])


def test_the_total_is_the_rounded_true_total() -> None:
    """A thousand containers of $0.0000004 cost $0.0004, though each of them rounds to nothing (S7)."""
    made = document(*(container(pod=f"p-{number}", cpu_cost=0.0000004) for number in range(1000)))

    assert made["cost"]["total"] == 0.0004


def test_idle_adds_up_too() -> None:
    """The idle of the pods is that of the figure."""
    containers = [
        container(pod=f"p-{n}", cpu_cost=1 / 3, cpu_core_hours_requested=3.0, cpu_core_hours_used=1.0) for n in range(7)
    ]
    made = document(*containers)

    assert sum(millionths(pod["idle"]["cpu"]) for pod in made["pods"]) == millionths(made["idle"]["cpu"])
    assert made["idle"]["cpu"] == 1.555556  # 7 x 1/3 x 2/3


def test_a_monthly_total_is_the_sum_of_its_parts() -> None:
    """Three thirds of a cent times 30 round to parts that add up."""
    made = document(container(cpu_cost=1 / 3, ram_cost=1 / 3, storage_cost=1 / 3))

    assert sum(millionths(made["monthly"][name]) for name in RESOURCES) == millionths(made["monthly"]["total"])
    assert made["monthly"]["total"] == 30.0


def test_too_little_data_keeps_the_cost_and_projects_nothing() -> None:
    """Three minutes of data, $0.002 (P6)."""
    made = document(container(cpu_cost=0.002), hours=0.05)

    assert (made["confidence"], made["monthly"], made["cost"]["total"]) == ("too_little_data", None, 0.002)


def test_unmeasured_usage_makes_idle_incomplete() -> None:
    """Usage nobody measured (T44) is not idle: the sum says "at least", and there is no efficiency."""
    made = document(container(cpu_cost=1.0, cpu_core_hours_requested=1.0, cpu_core_hours_used=None))

    assert made["idle"] == {"cpu": 0.0, "ram": 0.0, "total": 0.0, "complete": False}
    assert made["efficiency"] == {"cpu": None, "ram": None}


def test_no_amount_is_minus_zero() -> None:
    """-0.0 leaves as 0.0."""
    made = document(container(cpu_cost=-0.0, ram_cost=-1e-9))

    assert str(made["cost"]["cpu"]) == "0.0"
    assert str(made["cost"]["ram"]) == "0.0"


def test_namespace_scope_lists_no_pods() -> None:
    """They may be somebody else's: only their number and their sum are told."""
    containers = [container(pod="a", cpu_cost=1.0), container(pod="b", cpu_cost=2.0)]
    volumes = container(pod="shop-unmounted-pvcs", container="__unmounted__", storage_cost=4.0)

    made = document(*containers, volumes, list_pods=False)

    assert made["pods"] == []
    assert made["podsTotal"]["count"] == 2
    assert made["podsTotal"]["cost"] == made["cost"]
    assert made["cost"]["total"] == 7.0


@pytest.mark.parametrize("pods", [MOST_PODS, MOST_PODS + 1])
def test_the_dearest_pods_are_listed_and_all_are_counted(pods: int) -> None:
    """An answer stays small: beyond 500 pods the cheapest are in the total only."""
    made = document(*(container(pod=f"p-{number:04}", cpu_cost=1.0 + number) for number in range(pods)))

    names = [pod["pod"] for pod in made["pods"]]
    assert names == [f"p-{number:04}" for number in range(pods)][-MOST_PODS:]
    assert made["podsTotal"]["count"] == pods
