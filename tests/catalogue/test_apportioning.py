"""Columns of amounts, rounded so that they add up."""

import random
from math import fsum

import pytest

from costintel.measurement.apportioning import apportioned


@pytest.mark.parametrize(
    ("amounts", "units"),
    [
        ([], []),
        ([0.0, 0.0], [0, 0]),
        ([1.0, 2.5], [1_000_000, 2_500_000]),
        # Thirds of a millionth: one whole unit in all, for the first of equals.
        ([1e-6 / 3] * 3, [1, 0, 0]),
        # 0.6 + 0.6 + 0.6 units are 1.8, so 2: the first two are rounded up.
        ([0.6e-6] * 3, [1, 1, 0]),
        # The largest remainder gets the missing unit: 0.2 + 0.9 + 0.5 units are 1.6, so 2.
        ([0.2e-6, 0.9e-6, 0.5e-6], [0, 1, 1]),
        # 0.4 units in all are none.
        ([0.2e-6, 0.2e-6], [0, 0]),
    ],
)
def test_the_largest_remainders_get_what_is_missing(amounts: list[float], units: list[int]) -> None:
    """Worked by hand."""
    assert apportioned(amounts) == units


def test_long_columns_add_up() -> None:
    """Ten thousand amounts are each within one unit of what they were, and together they are the rounded sum."""
    numbers = random.Random(7)
    amounts = [numbers.random() * 10 ** numbers.randint(-6, 3) for _ in range(10_000)]

    units = apportioned(amounts)

    assert sum(units) == round(fsum(amounts) * 1_000_000)
    assert all(abs(unit - amount * 1_000_000) < 1 for unit, amount in zip(units, amounts, strict=True))
