"""What OpenCost says about itself and where its prices come from."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PricingSource:
    """One source of prices that OpenCost knows of."""

    enabled: bool
    available: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCostStatus:
    """Each part is None when OpenCost did not tell it.

    `pricing_sources` is empty on clouds for which OpenCost reports none: that is not a fault. `pricing_counts` are nodes by
    the kind of their price; `defaultPrices` and the empty kind are guesses.
    """

    version: str | None
    pricing_sources: Mapping[str, PricingSource] | None
    pricing_counts: Mapping[str, int] | None
