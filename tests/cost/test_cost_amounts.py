"""Money: sums and rounding (accuracy M1 to M4)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costintel.cost.amounts import Amounts, round_amount, round_parts


def test_three_thirds_add_up_to_the_total() -> None:
    """M1: three parts of 33.3333 shown with cents add up to 100.00, the first taking the missing cent."""
    assert round_parts([33.3333, 33.3333, 33.3333], 100.0, places=2) == [33.34, 33.33, 33.33]


def test_equal_remainders_go_to_the_larger_amount() -> None:
    """M2: of two parts with half a cent each the larger one is rounded up."""
    assert round_parts([10.005, 20.005, 69.99], 100.0, places=2) == [10.0, 20.01, 69.99]


def test_negative_parts_are_floored_towards_minus_infinity() -> None:
    """M3: -1.005, 2.335 and -0.33 become -1.01, 2.34 and -0.33, which add up to 1.00."""
    assert round_parts([-1.005, 2.335, -0.33], 1.0, places=2) == [-1.01, 2.34, -0.33]


def test_amounts_below_the_unit_stay_zero_together() -> None:
    """M4: parts that sum to 0.004 round to a total of 0.00, and so do all of them."""
    assert round_parts([0.001, 0.003], places=2) == [0.0, 0.0]


def test_minus_zero_never_leaves() -> None:
    """I6: negative zero from upstream is shown as zero."""
    assert math.copysign(1, round_amount(-0.0)) == 1
    assert [math.copysign(1, part) for part in round_parts([-0.0, -0.0000001])] == [1, 1]


def test_a_thousand_tiny_containers_do_not_vanish() -> None:
    """S7: a thousand containers of $0.000004 cost $0.004, although each is nothing with five decimals."""
    assert round_amount(Amounts.sum(Amounts(cpu=0.000004) for _ in range(1000)).total) == 0.004


def test_the_sum_of_nothing_is_zero_in_every_part() -> None:
    """A window without rows costs nothing in every resource."""
    assert Amounts.sum([]) == Amounts()


def test_sums_are_exact_per_part() -> None:
    """Ten times ten cents is one, in the part it belongs to."""
    total = Amounts.sum(Amounts(ram=0.1) for _ in range(10))

    assert (total.ram, total.cpu, total.total) == (1.0, 0.0, 1.0)


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=30))
def test_rounded_parts_add_up_to_the_rounded_total(parts: list[float]) -> None:
    """Whatever the parts, their rounded values add up to the rounded sum."""
    rounded = round_parts(parts)

    assert math.fsum(rounded) == pytest.approx(round_amount(math.fsum(parts)), abs=1.1e-6)
    assert all(abs(one - other) <= 1.1e-6 for one, other in zip(rounded, parts, strict=True))
