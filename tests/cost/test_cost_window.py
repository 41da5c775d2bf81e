"""Windows and the two windows of a sync."""

from datetime import UTC, datetime, timedelta

import pytest

from costintel.cost.window import Window, ceil_hour, early_window, floor_hour, newest_closed_hour, settled_window


def at(hour: int, minute: int = 0, second: int = 0, day: int = 28) -> datetime:
    return datetime(2026, 11, day, hour, minute, second, tzinfo=UTC)


def test_early_ends_with_the_last_hour_stored_at_the_sync() -> None:
    """A sync at 10:23 is compared with the 24 hours up to 10:00; ten minutes earlier the hour before was the newest."""
    assert early_window(at(10, 23)) == Window(at(10, day=27), at(10))
    assert early_window(at(10, 9, 59)) == Window(at(9, day=27), at(9))
    assert early_window(at(10, 10)) == Window(at(10, day=27), at(10))


def test_settled_starts_with_the_first_full_hour_after_the_sync() -> None:
    """A sync at 10:23 settles over 11:00 to 11:00; one on the hour starts at once."""
    assert settled_window(at(10, 23)) == Window(at(11), at(11, day=29))
    assert settled_window(at(10)) == Window(at(10), at(10, day=29))


def test_an_hour_is_closed_ten_minutes_after_its_end() -> None:
    """At 10:09:59 the newest closed hour is 08:00, at 10:10 it is 09:00."""
    assert newest_closed_hour(at(10, 9, 59)) == at(8)
    assert newest_closed_hour(at(10, 10)) == at(9)


def test_clock_hours_lie_whole_inside_the_window() -> None:
    """Parts of hours at either end are no clock hours of a window."""
    assert Window(at(9, 30), at(12, 30)).clock_hours() == [at(10), at(11)]
    assert Window(at(9, 10), at(9, 50)).clock_hours() == []


def test_other_zones_are_turned_into_utc() -> None:
    """A time in another zone floors to the UTC hour."""
    moment = datetime.fromisoformat("2026-11-28T12:30:00+05:30")

    assert floor_hour(moment) == at(7)
    assert ceil_hour(moment) == at(7)
    assert ceil_hour(moment + timedelta(seconds=1)) == at(8)


def test_windows_refuse_naive_times_and_reversed_ends() -> None:
    """A window without a zone or with its end before its start is a programming error."""
    with pytest.raises(ValueError, match="zone"):
        Window(datetime(2026, 11, 28), at(10))  # noqa: DTZ001  a naive time is the point
    with pytest.raises(ValueError, match="after"):
        Window(at(10), at(9))


def test_the_part_since_a_moment_never_grows() -> None:
    """The part of a window since a moment before it is the window, since a moment after it is nothing."""
    window = Window(at(10), at(11))

    assert window.since(at(9)) == window
    assert window.since(at(10, 45)).hours == 0.25
    assert window.since(at(12)).hours == 0.0


def test_overlap_in_hours() -> None:
    """Half an hour shared is 0.5; none is 0."""
    assert Window(at(10), at(11)).overlap_hours(Window(at(10, 30), at(12))) == 0.5
    assert Window(at(10), at(11)).overlap_hours(Window(at(11), at(12))) == 0.0
