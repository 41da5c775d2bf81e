"""What the calendar month will have cost when it is over."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev

LEAST_DAYS = 3
RECENT_DAYS = 7
_EIGHTY_PERCENT = 1.2816
"""Two-sided 80 % of the normal distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The month's expected cost with the 80 % band around it, and the daily mean it was made from."""

    total: float
    band: float
    daily_mean: float
    days_used: int


def forecast(month_to_date: float, recent: Sequence[float], *, remaining_days: float) -> Forecast | None:
    """Return month to date + remaining days x the mean of the last seven complete days; None with fewer than three.

    The band is 1.2816 x sqrt(r s^2 + (r s / sqrt(n))^2): the spread of r days to come and the error of the mean of n.
    """
    days = list(recent)[-RECENT_DAYS:]
    if len(days) < LEAST_DAYS:
        return None
    average, deviation = mean(days), stdev(days)
    error = sqrt(remaining_days * deviation**2 + (remaining_days * deviation / sqrt(len(days))) ** 2)
    return Forecast(
        total=month_to_date + remaining_days * average,
        band=_EIGHTY_PERCENT * error,
        daily_mean=average,
        days_used=len(days),
    )
