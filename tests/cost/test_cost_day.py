"""Closed days."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from costintel.cost.day import DayHeader, DaySource, DayState, day_window
from costintel.cost.window import HOUR, Window

SUNDAY = date(2026, 3, 29)
"""The day on which Central Europe's clocks jump: a UTC day has 24 hours all the same."""
MIDNIGHT = datetime(2026, 3, 29, tzinfo=UTC)


def header(window: Window, *observed: Window) -> DayHeader:
    return DayHeader(
        window=window,
        state=DayState.COMPLETE,
        source=DaySource.HOURS,
        observed=observed,
        asked_at=MIDNIGHT + 25 * HOUR,
        asked_count=0,
        healed=False,
    )


def test_a_day_is_24_hours_of_utc() -> None:
    """From midnight to midnight."""
    assert day_window(SUNDAY) == Window(MIDNIGHT, MIDNIGHT + 24 * HOUR)


def test_a_header_knows_its_day() -> None:
    """Also when its window is written in another zone."""
    east = timezone(timedelta(hours=2))
    window = Window(MIDNIGHT.astimezone(east), (MIDNIGHT + 24 * HOUR).astimezone(east))

    assert header(window).day == SUNDAY


def test_observed_hours_are_those_of_the_spans() -> None:
    """9.5 and 13 hours; none when nothing was seen."""
    spans = (Window(MIDNIGHT, MIDNIGHT + 9.5 * HOUR), Window(MIDNIGHT + 11 * HOUR, MIDNIGHT + 24 * HOUR))

    assert header(day_window(SUNDAY), *spans).observed_hours == 22.5
    assert header(day_window(SUNDAY)).observed_hours == 0


@pytest.mark.parametrize(("start", "hours"), [(0, 23), (0, 25), (1, 24), (-1, 24)])
def test_a_window_that_is_no_utc_day_is_refused(start: int, hours: int) -> None:
    """It would be stored in the place of the day it begins in."""
    first = MIDNIGHT + start * HOUR
    with pytest.raises(ValueError, match="expected a UTC day"):
        header(Window(first, first + hours * HOUR))
