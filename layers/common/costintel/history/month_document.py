"""An Application's month as it is served: camelCase JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import fsum
from typing import Any

from costintel.collection.rfc3339 import text_of
from costintel.cost.amounts import RESOURCES, Amounts, round_amount
from costintel.cost.anomaly import Anomaly
from costintel.cost.daily import DailyCost
from costintel.cost.day import day_window
from costintel.cost.forecast import Forecast
from costintel.cost.projection import monthly
from costintel.history.month_days import MonthDays, MonthToDate, NoForecast
from costintel.measurement.document import amounts_document

_LIVE = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The last complete day and what is to be said of it; None before the first one."""

    day: date | None
    found: Anomaly


def month_document(days: MonthDays, current: Mapping[str, Any] | None, *, basis_hours: int) -> dict[str, Any]:
    """Return the month so far, its forecast or why there is none, and the rates of a day and of a week."""
    so_far, expected, week = days.to_date, days.forecast(), days.week()
    return {
        "month": {"start": text_of(days.month.start), "end": text_of(days.month.end)},
        "toDate": _to_date(so_far),
        "forecast": _forecast(expected, so_far, days.days_to_estimate) if isinstance(expected, Forecast) else None,
        "noForecast": expected.value if isinstance(expected, NoForecast) else None,
        "dayRate": _day_rate(current),
        "weekRate": None if week is None else _week_rate(week, basis_hours),
    }


def judged_document(judged: Judged) -> dict[str, Any]:
    """Return what is to be said of the last complete day."""
    found = judged.found
    return {
        "day": None if judged.day is None else judged.day.isoformat(),
        "state": found.state.value,
        "cost": _rounded(found.cost),
        "baseline": _rounded(found.baseline),
        "baselineDays": found.baseline_days,
        "score": _rounded(found.score),
        "revision": found.revision or None,
    }


def _to_date(so_far: MonthToDate) -> dict[str, Any]:
    return {
        "cost": None if so_far.cost is None else amounts_document(so_far.cost),
        "measuredHours": round_amount(so_far.measured_hours),
        "completeDays": so_far.complete_days,
        "isComplete": so_far.is_complete,
    }


def _forecast(expected: Forecast, so_far: MonthToDate, days_to_estimate: float) -> dict[str, Any]:
    spent = 0.0 if so_far.cost is None else so_far.cost.total
    return {
        "total": round_amount(expected.total),
        # What is spent is spent, however wide the band is.
        "low": round_amount(max(spent, expected.total - expected.band)),
        "high": round_amount(expected.total + expected.band),
        "dailyMean": round_amount(expected.daily_mean),
        "daysUsed": expected.days_used,
        "estimatedDays": round_amount(days_to_estimate),
    }


def _day_rate(current: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the rate of the newest 24 hours as `current` tells it; of an application too young for them there is none."""
    if current is None or current["source"] != _LIVE or current["monthly"] is None:
        return None
    return {name: current[name] for name in ("window", "measuredHours", "basisHours", "monthly")}


def _week_rate(week: Sequence[DailyCost], basis_hours: int) -> dict[str, Any]:
    hours = fsum(day.measured_hours for day in week)
    cost = Amounts.sum(day.cost for day in week)
    parts = [monthly(part, hours, basis_hours=basis_hours) or 0.0 for part in cost.parts()]
    return {
        "window": {"start": text_of(day_window(week[0].day).start), "end": text_of(day_window(week[-1].day).end)},
        "measuredHours": round_amount(hours),
        "basisHours": basis_hours,
        "monthly": amounts_document(Amounts(**dict(zip(RESOURCES, parts, strict=True)))),
    }


def _rounded(amount: float | None) -> float | None:
    return None if amount is None else round_amount(amount)
