"""Round a long column of amounts so that it adds up to its rounded total."""

from collections.abc import Sequence
from math import floor, fsum
from operator import sub

from costintel.cost.amounts import PLACES

UNITS = 10**PLACES
"""Millionths in one unit of the currency."""


def apportioned(amounts: Sequence[float]) -> list[int]:
    """Return `amounts` in millionths, which add up to their rounded total: the largest remainders get what is missing.

    As `cost.amounts.round_parts` does, with floats instead of decimals, for columns of ten thousand. Ties go to the earlier one.
    """
    if not any(amounts):
        return [0] * len(amounts)
    scaled = [amount * UNITS for amount in amounts]
    units = [floor(amount) for amount in scaled]
    missing = floor(fsum(scaled) + 0.5) - sum(units)
    remainders = list(map(sub, scaled, units))
    for index in sorted(range(len(units)), key=remainders.__getitem__, reverse=True)[: max(0, missing)]:
        units[index] += 1
    return units
