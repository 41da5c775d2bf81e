"""Month to date, days to estimate, forecast and week, from days made by hand."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest

from costintel.cost.amounts import Amounts
from costintel.cost.application import AppRef
from costintel.cost.daily import DailyCost
from costintel.cost.figure import Idle
from costintel.cost.forecast import Forecast
from costintel.history.month_days import MonthDays, NoForecast, first_needed, month_of
from costintel.history.month_document import month_document
from costintel.history.reading import SeriesDay, SeriesState

FIRST = date(2026, 11, 1)
# The reference's month: ten days that cost 120, the last seven of them known one by one.
TEN_DAYS = (11.7, 11.7, 11.8, 11.0, 11.5, 12.0, 12.2, 12.6, 13.0, 12.5)


def day(number: int, cost: float | None, state: str = "complete", hours: float = 24) -> SeriesDay:
    """Return a day of November, counted from 1; zero and below are October's."""
    moment = FIRST + timedelta(days=number - 1)
    row = DailyCost(
        application=AppRef("argocd", "shop"),
        scope="application",
        day=moment,
        deployment_namespace="shop",
        cost=Amounts(cpu=cost or 0.0),
        idle=Idle(cpu=0.0, ram=0.0, complete=True),
        cpu_core_hours_requested=0.0,
        ram_byte_hours_requested=0.0,
        cpu_core_hours_used=0.0,
        ram_byte_hours_used=0.0,
        measured_hours=hours,
        complete=state == "complete",
        source="hours",
    )
    return SeriesDay(day=moment, state=SeriesState(state), cost=None if cost is None else row)


def days_of(listed: Sequence[SeriesDay]) -> MonthDays:
    return MonthDays(days=listed, month=month_of(listed[-1].day))


def forecast_of(days: MonthDays) -> Forecast:
    found = days.forecast()
    assert isinstance(found, Forecast)
    return found


def test_the_reference_s_month() -> None:
    """120 in ten days, mean 12.114, twenty days to estimate: 362.29 with an 80 % band of 7.70 (today has no hour yet)."""
    days = days_of([*(day(number + 1, cost) for number, cost in enumerate(TEN_DAYS)), day(11, None, "provisional")])

    assert days.to_date.cost is not None
    assert days.to_date.cost.total == pytest.approx(120.0)
    assert days.days_to_estimate == 20
    found = month_document(days, None, basis_hours=720)["forecast"]
    assert found["total"] == pytest.approx(362.285714, abs=1e-6)
    assert found["high"] - found["total"] == pytest.approx(7.70, abs=0.01)
    assert found["total"] - found["low"] == pytest.approx(7.70, abs=0.01)
    assert (found["dailyMean"], found["daysUsed"], found["estimatedDays"]) == (12.114286, 7, 20.0)


def test_the_rest_of_today_is_estimated() -> None:
    """Six of 24 hours are in: three quarters of today and the 26 days after it; 3 x 12 + 3 + 26.75 x 12 = 360."""
    days = days_of([*(day(number, 12.0) for number in (1, 2, 3)), day(4, 3.0, "provisional", 6)])

    assert days.days_to_estimate == 26.75
    assert forecast_of(days).total == pytest.approx(360.0)


def test_what_was_missed_is_estimated_too_and_said() -> None:
    """A gap is a day, a day observed for 18 hours a quarter of one; the cost so far is "at least"."""
    listed = [
        *(day(number, 12.0) for number in (1, 2, 3)),
        day(4, None, "gap"),
        day(5, 9.0, "incomplete", 18),
        day(6, None, "provisional"),
    ]
    days = days_of(listed)

    assert (days.days_to_estimate, days.to_date.is_complete) == (1 + 0.25 + 1 + 24, False)
    assert days.to_date.cost is not None
    assert days.to_date.cost.total == 45.0
    assert forecast_of(days).total == pytest.approx(45 + 26.25 * 12)


def test_days_before_the_application_are_neither_missed_nor_estimated() -> None:
    """It was created on the third."""
    listed = [day(1, None, "absent"), day(2, None, "absent"), *(day(number, 12.0) for number in (3, 4, 5))]
    days = days_of([*listed, day(6, None, "provisional")])

    assert days.to_date.is_complete
    assert days.days_to_estimate == 25


def test_at_five_past_the_first_last_month_s_days_are_the_measure() -> None:
    """Nothing of the month is measured, which is not zero; thirty days at last month's 12 are to come."""
    days = days_of([*(day(number, 12.0) for number in range(-8, 1)), day(1, None, "provisional")])

    assert (days.to_date.cost, days.to_date.measured_hours) == (None, 0)
    assert forecast_of(days).total == pytest.approx(360.0)
    assert forecast_of(days).band == pytest.approx(0.0)


def test_two_complete_days_are_no_forecast() -> None:
    """The reason is given; a day through which the Application did not exist is not one of them."""
    days = days_of([day(1, 6.0, hours=12), day(2, 12.0), day(3, 12.0), day(4, 1.0, "provisional", 2)])

    assert days.forecast() is NoForecast.NOT_ENOUGH_DAYS
    document = month_document(days, None, basis_hours=720)
    assert (document["forecast"], document["noForecast"]) == (None, "not_enough_days")


def test_an_application_that_is_gone_has_no_forecast() -> None:
    """It costs nothing any more, whatever its last days cost."""
    listed = [*(day(number, 12.0) for number in (1, 2, 3)), day(4, None, "absent"), day(5, None, "provisional")]

    assert days_of(listed).forecast() is NoForecast.ENDED


def test_the_band_is_never_below_what_is_spent() -> None:
    """Before the last day, after 1, 100 and 1: 102 + 34, with a deviation of 57.16 and so a band of 84.6 to both sides."""
    days = days_of([day(27, 1.0), day(28, 100.0), day(29, 1.0), day(30, None, "provisional")])
    found = month_document(days, None, basis_hours=720)["forecast"]

    assert (found["low"], found["total"]) == (102.0, 136.0)
    assert found["high"] == pytest.approx(220.6, abs=0.05)


def test_the_week_is_there_with_seven_complete_days() -> None:
    """Six are too few; seven at 12 a day are 360 on the 720-hour basis, 365 on the other."""
    six = [day(number, 12.0) for number in range(1, 7)]
    seven = days_of([*six, day(7, None, "gap"), day(8, 12.0), day(9, None, "provisional")])

    assert month_document(days_of([*six, day(7, None, "gap")]), None, basis_hours=720)["weekRate"] is None
    rate = month_document(seven, None, basis_hours=720)["weekRate"]
    assert rate["monthly"]["total"] == 360.0
    assert (rate["measuredHours"], rate["basisHours"]) == (168.0, 720)
    assert rate["window"] == {"start": "2026-11-01T00:00:00Z", "end": "2026-11-09T00:00:00Z"}
    assert month_document(seven, None, basis_hours=730)["weekRate"]["monthly"]["total"] == 365.0


@pytest.mark.parametrize(
    ("moment", "end"),
    [(date(2026, 2, 28), "2026-03-01"), (date(2028, 2, 29), "2028-03-01"), (date(2026, 12, 31), "2027-01-01")],
)
def test_months_are_the_calendar_s(moment: date, end: str) -> None:
    """Twenty-eight to 31 days; December ends with the year."""
    assert month_of(moment).start.date() == moment.replace(day=1)
    assert month_of(moment).end.date().isoformat() == end


def test_enough_days_are_read() -> None:
    """Back to the first of the month at least."""
    assert first_needed(datetime(2026, 11, 30, 0, 5, tzinfo=UTC), 60) == date(2026, 10, 1)
    assert first_needed(datetime(2026, 11, 30, 0, 5, tzinfo=UTC), 3) == date(2026, 11, 1)
