"""Workload idle and efficiency (accuracy I1 to I5, S2, Kubecost's worked example)."""

import math

import pytest

from costintel.cost.container import container_cost, fold
from costintel.cost.figure import efficiency_of, idle_of
from costintel.cost.idle import efficiency, idle_cost
from tests.cost.rows import row


def test_the_idle_part_of_cpu_and_memory() -> None:
    """I1: 2 cores requested and 0.5 used of $20, half of $1 of memory: $15.50 idle, which is 73.8 %."""
    cpu = idle_cost(20.0, requested=2.0, used=0.5)
    ram = idle_cost(1.0, requested=1.0, used=0.5)

    assert (cpu, ram) == (15.0, 0.5)
    assert pytest.approx(1 - 0.2619, abs=5e-5) == 15.5 / 21


def test_nothing_requested_is_nothing_idle() -> None:
    """I2: without a request there is no idle cost, whatever the usage."""
    assert idle_cost(2.0, requested=0.0, used=0.3) == 0.0
    assert idle_cost(2.0, requested=0.0, used=None) == 0.0


def test_using_more_than_requested_is_not_negative_idle() -> None:
    """I3: usage above the request leaves nothing idle."""
    assert idle_cost(20.0, requested=1.0, used=1.5) == 0.0


@pytest.mark.parametrize("cost", [None, math.nan, math.inf])
def test_unknown_cost_has_unknown_idle(cost: float | None) -> None:
    """I4: a cost that is null or not a number has no idle cost, not zero."""
    assert idle_cost(cost, requested=1.0, used=0.1) is None


def test_unmeasured_usage_has_unknown_idle() -> None:
    """I12: requested capacity whose usage nobody measured is not 100 % idle."""
    assert idle_cost(1.0, requested=1.0, used=None) is None


def test_bursts_make_idle_a_lower_bound() -> None:
    """I5: half the time idle and half the time double reads as fully used: the formula gives 0 where 0.5 of 1.5 was idle."""
    assert idle_cost(1.5, requested=1.0, used=1.0) == 0.0


def test_a_busy_sidecar_does_not_hide_an_idle_container() -> None:
    """Idle is per container: 1 core unused beside a sidecar that uses twice its request stays idle."""
    main = container_cost(
        row(cpu_cost=1.0, cpu_core_hours_requested=1.0, cpu_core_hours_used=0.0, ram_byte_hours_used=1.0)
    )
    sidecar = container_cost(
        row(
            container="proxy",
            cpu_cost=2.0,
            cpu_core_hours_requested=1.0,
            cpu_core_hours_used=2.0,
            ram_byte_hours_used=1.0,
        )
    )

    assert idle_of([main, sidecar]).cpu == 1.0


def test_idle_is_computed_hour_by_hour() -> None:
    """An hour that used twice its request does not pay for the idle of the hour before."""
    idle_hour = container_cost(
        row(cpu_cost=1.0, cpu_core_hours_requested=1.0, cpu_core_hours_used=0.0, ram_byte_hours_used=1.0)
    )
    busy_hour = container_cost(
        row(cpu_cost=2.0, cpu_core_hours_requested=1.0, cpu_core_hours_used=2.0, ram_byte_hours_used=1.0)
    )

    assert idle_of(fold([idle_hour, busy_hour])).cpu == 1.0


def test_unmeasured_usage_makes_a_sum_incomplete() -> None:
    """One hour without usage makes the folded idle "at least", and leaves efficiency to the measured hours."""
    measured = container_cost(
        row(cpu_cost=1.0, cpu_core_hours_requested=1.0, cpu_core_hours_used=0.5, ram_byte_hours_used=1.0)
    )
    blind = container_cost(row(cpu_cost=1.0, cpu_core_hours_requested=1.0))
    folded = fold([measured, blind])

    assert (idle_of(folded).cpu, idle_of(folded).complete) == (0.5, False)
    assert efficiency_of(folded).cpu == 0.5


def test_efficiency_is_not_capped() -> None:
    """A row may use more than it requested: 1.0296 stays 1.0296."""
    assert efficiency(0.1716, 0.16667) == pytest.approx(1.0296, abs=1e-4)


def test_efficiency_without_requests_is_unknown() -> None:
    """Nothing requested has no efficiency."""
    assert efficiency(0.3, 0.0) is None


def test_kubecosts_worked_example() -> None:
    """2 CPU at $10 and 1 GB at $1, half a core and half a GB used: cost-weighted efficiency 26.19 %."""
    idle = (idle_cost(20.0, requested=2.0, used=0.5) or 0) + (idle_cost(1.0, requested=1.0, used=0.5) or 0)

    assert 1 - idle / 21 == pytest.approx(0.2619, abs=5e-5)
