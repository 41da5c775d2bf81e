"""The figure: known since, scope of hours, identities."""

from datetime import UTC, datetime, timedelta

import pytest

from costintel.cost.allocation import UNMOUNTED, Allocation
from costintel.cost.container import container_cost, fold
from costintel.cost.figure import Figure, FigureTerms, figure
from costintel.cost.projection import Confidence
from costintel.cost.window import Window
from tests.cost.rows import row

END = datetime(2026, 11, 29, tzinfo=UTC)
WINDOW = Window.of_hours(END, 24)
OBSERVED = [Window(start, start + timedelta(hours=1)) for start in WINDOW.clock_hours()]
TERMS = FigureTerms(window=WINDOW, basis_hours=720, scope="application", source="hours")


def measured(rows: list[Allocation], known_since: datetime | None, observed: list[Window] = OBSERVED) -> Figure | None:
    return figure(fold(map(container_cost, rows)), observed, known_since=known_since, terms=TERMS)


def at(hour: int, minute: int = 0) -> datetime:
    return WINDOW.start + timedelta(hours=hour, minutes=minute)


def test_an_old_application_is_measured_over_the_whole_window() -> None:
    """$0.02 of a job in an application a month old: 24 measured hours, $0.60 a month, full confidence."""
    result = measured([row(start=at(2), minutes=10, cpu_cost=0.02)], WINDOW.start - timedelta(days=30))

    assert result is not None
    assert (result.measured_hours, result.confidence) == (24.0, Confidence.FULL)
    assert result.monthly is not None
    assert result.monthly.total == pytest.approx(0.60)


def test_an_application_born_in_the_window_counts_from_its_birth() -> None:
    """Created at 18:00 and $1 since: six hours, $120 a month, partial."""
    rows = [row(start=at(hour), cpu_cost=1 / 6) for hour in range(18, 24)]
    result = measured(rows, at(18))

    assert result is not None
    assert (result.measured_hours, result.confidence) == (6.0, Confidence.PARTIAL)
    assert result.monthly is not None
    assert result.monthly.total == pytest.approx(120.0)


def test_an_adopted_workload_counts_from_its_own_first_row() -> None:
    """An Application created an hour ago over pods that ran all day is not multiplied by 24."""
    rows = [row(start=at(hour), cpu_cost=0.5) for hour in range(24)]
    result = measured(rows, at(23))

    assert result is not None
    assert result.measured_hours == 24.0


def test_an_unknown_age_counts_from_the_first_row_and_is_never_full() -> None:
    """When nobody knows since when it exists, its oldest row decides and confidence is at most partial."""
    rows = [row(start=at(hour), cpu_cost=0.5) for hour in range(24)]
    result = measured(rows, None)

    assert result is not None
    assert (result.measured_hours, result.confidence) == (24.0, Confidence.PARTIAL)


def test_unmounted_volumes_do_not_age_a_namespace() -> None:
    """T11: a claimed volume spans the window; a namespace with one pod of six hours still has six hours."""
    volume = row(pod="young-unmounted-pvcs", container=UNMOUNTED, start=at(0), minutes=1440, storage_cost=0.1)
    pods = [row(start=at(hour), cpu_cost=0.1) for hour in range(18, 24)]
    result = measured([volume, *pods], None)

    assert result is not None
    assert result.measured_hours == 6.0
    assert result.cost.storage == pytest.approx(0.1)


def test_a_thing_nobody_knows_has_no_figure() -> None:
    """Without rows, records or creation time the cost is unknown, not zero."""
    assert measured([], None) is None


def test_a_known_application_without_pods_costs_nothing() -> None:
    """A namespace absent from good hours cost nothing in them: zero over 24 measured hours."""
    result = measured([], WINDOW.start - timedelta(days=1))

    assert result is not None
    assert (result.cost.total, result.measured_hours) == (0.0, 24.0)


def test_no_observed_hour_is_no_figure() -> None:
    """A window of gaps has no figure however old the application."""
    assert measured([], WINDOW.start - timedelta(days=1), observed=[]) is None


def test_less_than_an_hour_keeps_the_cost_and_gives_no_month() -> None:
    """P6: twenty measured minutes keep their amount; the month is unknown."""
    result = measured([row(start=at(23, 40), minutes=20, cpu_cost=0.01)], at(23, 40))

    assert result is not None
    assert result.confidence is Confidence.TOO_LITTLE
    assert (result.cost.total, result.monthly) == (0.01, None)


def test_parts_and_pods_add_up() -> None:
    """The parts add up to the total, the pods to the figure, and the monthly parts to the monthly total."""
    rows = [
        row(start=at(hour), pod=f"web-5c9d8f7b6d-{suffix}", cpu_cost=0.1, ram_cost=0.03, network_cost=0.007)
        for hour in range(24)
        for suffix in ("aaaaa", "bbbbb", "ccccc")
    ]
    result = measured(rows, WINDOW.start)

    assert result is not None
    assert result.cost.total == pytest.approx(24 * 3 * 0.137)
    assert sum(pod.cost.total for pod in result.pods) == pytest.approx(result.cost.total)
    assert result.monthly is not None
    assert result.monthly.total == pytest.approx(30 * result.cost.total)
    assert [pod.pod[-5:] for pod in result.pods] == ["aaaaa", "bbbbb", "ccccc"]


def test_cost_follows_the_larger_of_request_and_use_per_container() -> None:
    """S2: A requests 1.0 and uses 0.2, B requests 0.2 and uses 1.0: two cores for 24 h at $0.04 are $1.92, never $1.152."""
    allocated = [max(1.0, 0.2), max(0.2, 1.0)]
    rows = [
        row(container=name, start=at(0), minutes=1440, cpu_cost=cores * 24 * 0.04)
        for name, cores in zip("ab", allocated, strict=True)
    ]
    result = measured(rows, WINDOW.start)

    assert result is not None
    assert result.cost.cpu == pytest.approx(1.92)
