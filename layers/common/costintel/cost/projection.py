"""From a window's cost to a month's: measured hours, confidence, one projection for everything."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from math import fsum

from costintel.cost.window import Window

FULL_HOURS = 23.5
LEAST_HOURS = 1.0
MONTH_HOURS = (720, 730)
"""The two bases in use: 30 days, and the 730 hours of OpenCost, Infracost and AWS."""


class Confidence(StrEnum):
    """How far a projection can be trusted."""

    FULL = "full"
    PARTIAL = "partial"
    TOO_LITTLE = "too_little_data"


def measured_hours(observed: Iterable[Window], known_since: datetime | None) -> float:
    """Return the hours that were observed and in which the thing could have run, i.e. from `known_since` on.

    `observed` are the observed spans of the good hours of a window. `known_since` None means it was always there.
    """
    spans = observed if known_since is None else (span.since(known_since) for span in observed)
    return fsum(span.hours for span in spans)


def confidence(hours: float, *, age_known: bool = True) -> Confidence:
    """Return the confidence of a figure over `hours` measured hours; at most partial when the thing's age is a guess."""
    if hours < LEAST_HOURS:
        return Confidence.TOO_LITTLE
    return Confidence.FULL if hours >= FULL_HOURS and age_known else Confidence.PARTIAL


def monthly(cost: float, hours: float, *, basis_hours: int) -> float | None:
    """Return `cost x basis / measured hours`, the one projection of the system; None below one measured hour.

    Source: accuracy of partial windows; $5 in 24 h is $150 on the 720-hour basis, $1 in 6 h is $120.
    """
    return None if hours < LEAST_HOURS else cost * basis_hours / hours
