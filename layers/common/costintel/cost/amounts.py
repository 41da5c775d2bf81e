"""Money split by resource."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from math import fsum

RESOURCES = ("cpu", "ram", "gpu", "storage", "network", "load_balancer")
PLACES = 6
"""Decimals of an amount that leaves the service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """An amount of money per resource, in one currency that the holder knows."""

    cpu: float = 0.0
    ram: float = 0.0
    gpu: float = 0.0
    storage: float = 0.0
    network: float = 0.0
    load_balancer: float = 0.0

    @property
    def total(self) -> float:
        """Sum of the parts."""
        return fsum(self.parts())

    def parts(self) -> tuple[float, ...]:
        """Return the parts in the order of RESOURCES."""
        return (self.cpu, self.ram, self.gpu, self.storage, self.network, self.load_balancer)

    def scaled(self, factor: float) -> "Amounts":
        """Return every part times `factor`."""
        return Amounts(**{name: part * factor for name, part in zip(RESOURCES, self.parts(), strict=True)})

    @staticmethod
    def sum(amounts: Iterable["Amounts"]) -> "Amounts":
        """Return the exact sum, part by part."""
        columns = zip(*(amount.parts() for amount in amounts), strict=True)
        return Amounts(**{name: fsum(column) for name, column in zip(RESOURCES, columns, strict=False)})


def round_parts(parts: list[float], total: float | None = None, *, places: int = PLACES) -> list[float]:
    """Round `parts` so that they add up to the rounded total, by largest remainder.

    The total is the sum of the parts unless given. Each part is floored to `places` decimals; the missing units go to the
    largest remainders, ties to the larger amount, then to the earlier part. Never returns -0.
    """
    unit = Decimal(1).scaleb(-places)
    exact = [Decimal(repr(part)) for part in parts]
    target = (sum(exact, Decimal(0)) if total is None else Decimal(repr(total))).quantize(unit, ROUND_HALF_UP)
    floors = [part.quantize(unit, ROUND_FLOOR) for part in exact]
    missing = int((target - sum(floors, Decimal(0))) / unit)
    order = sorted(range(len(parts)), key=lambda index: (-(exact[index] - floors[index]), -abs(exact[index]), index))
    for index in order[: max(0, missing)]:
        floors[index] += unit
    for index in order[::-1][: max(0, -missing)]:
        floors[index] -= unit
    return [float(part) + 0.0 for part in floors]


def round_amount(amount: float, places: int = PLACES) -> float:
    """Round one amount half up to `places` decimals; never returns -0."""
    return float(Decimal(repr(amount)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)) + 0.0
