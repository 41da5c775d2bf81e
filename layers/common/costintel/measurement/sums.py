"""Counted amounts, and sums of them."""

from collections.abc import Sequence
from typing import NamedTuple

_WIDTH = 14


class Counted(NamedTuple):
    """Amounts in millionths, rounded so that all of the cluster's together add up.

    `units` are the costs in the order of the resources, what they come to in a month, and the idle CPU and memory cost. Without
    `has_monthly` there is too little to project from, and the month's are 0.
    """

    units: tuple[int, ...]
    has_monthly: bool
    idle_complete: bool

    @property
    def cost(self) -> tuple[int, ...]:
        """Costs by resource."""
        return self.units[:6]

    @property
    def monthly(self) -> tuple[int, ...] | None:
        """What a month costs by resource, None where nobody can say."""
        return self.units[6:12] if self.has_monthly else None

    @property
    def idle(self) -> tuple[int, ...]:
        """Idle CPU and memory cost."""
        return self.units[12:]


class Sum(NamedTuple):
    """Counted amounts added up; `monthly_complete` False: some could not be projected and are left out of the month."""

    members: int
    units: tuple[int, ...]
    monthly_complete: bool
    idle_complete: bool

    @property
    def cost(self) -> tuple[int, ...]:
        """Costs by resource."""
        return self.units[:6]

    @property
    def monthly(self) -> tuple[int, ...]:
        """What a month costs by resource, at least."""
        return self.units[6:12]

    @property
    def idle(self) -> tuple[int, ...]:
        """Idle CPU and memory cost."""
        return self.units[12:]

    def plus(self, other: "Sum") -> "Sum":
        """Return both added up."""
        return Sum(
            members=self.members + other.members,
            units=tuple(map(sum, zip(self.units, other.units, strict=True))),
            monthly_complete=self.monthly_complete and other.monthly_complete,
            idle_complete=self.idle_complete and other.idle_complete,
        )


def added(parts: Sequence[Counted]) -> Sum:
    """Return the sum of counted amounts."""
    units = tuple(map(sum, zip(*[part.units for part in parts], strict=True))) or (0,) * _WIDTH
    return Sum(
        members=len(parts),
        units=units,
        monthly_complete=all(part.has_monthly or not any(part.cost) for part in parts),
        idle_complete=all(part.idle_complete for part in parts),
    )
