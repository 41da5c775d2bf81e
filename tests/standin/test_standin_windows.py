"""The `window` and `step` parameters as OpenCost reads them."""

from datetime import UTC, datetime

import pytest

from local.standin.time_window import IllegalStepError, IllegalWindowError, parse_bool, parse_step, parse_window

NOW = datetime(2026, 3, 10, 10, 23, 38, tzinfo=UTC)  # a Tuesday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("24h", "2026-03-09T11:00:00", "2026-03-10T11:00:00"),
        ("1h", "2026-03-10T10:00:00", "2026-03-10T11:00:00"),
        ("45m", "2026-03-10T09:39:00", "2026-03-10T10:24:00"),
        ("7d", "2026-03-04T00:00:00", "2026-03-11T00:00:00"),
        ("1w", "2026-03-04T00:00:00", "2026-03-11T00:00:00"),
        ("24h offset 1h", "2026-03-09T09:23:38", "2026-03-10T09:23:38"),
        ("today", "2026-03-10T00:00:00", "2026-03-11T00:00:00"),
        ("yesterday", "2026-03-09T00:00:00", "2026-03-10T00:00:00"),
        ("week", "2026-03-08T00:00:00", "2026-03-10T10:23:38"),
        ("lastweek", "2026-03-01T00:00:00", "2026-03-08T00:00:00"),
        ("month", "2026-03-01T00:00:00", "2026-03-10T10:23:38"),
        ("lastmonth", "2026-02-01T00:00:00", "2026-03-01T00:00:00"),
        ("2026-03-09T00:00:00Z,2026-03-10T00:00:00Z", "2026-03-09T00:00:00", "2026-03-10T00:00:00"),
        ("1773014400,1773100800", "2026-03-09T00:00:00", "2026-03-10T00:00:00"),
        ("1773014400-1773100800", "2026-03-09T00:00:00", "2026-03-10T00:00:00"),
    ],
)
def test_windows_are_read_as_since_1_111(text: str, start: str, end: str) -> None:
    """Trailing hours end at the next full hour, trailing days at the next midnight, weeks start on Sunday."""
    expected = tuple(int(datetime.fromisoformat(f"{moment}Z").timestamp()) for moment in (start, end))

    assert parse_window(text, NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "86400s",
        "1h30m",
        "1mo",
        "2026-03-09T00:00:00Z",
        "2026-03-09T00:00:00.5Z,2026-03-10T00:00:00Z",
        "2026-03-09T00:00:00+02:00,2026-03-10T00:00:00+02:00",
        "2026-13-09T00:00:00Z,2026-03-10T00:00:00Z",
    ],
)
def test_other_windows_are_illegal(text: str) -> None:
    """Seconds, mixed units, single dates, fractions and offsets are refused."""
    with pytest.raises(IllegalWindowError):
        parse_window(text, NOW)


def test_steps_are_durations_or_calendar_words() -> None:
    """Weeks and words are known to the new version only."""
    assert [parse_step(text, calendar=True) for text in ("30m", "2h", "1d", "1w", "day")] == [
        1800,
        7200,
        86400,
        604800,
        86400,
    ]
    with pytest.raises(IllegalStepError):
        parse_step("1w", calendar=False)


def test_an_unreadable_step_is_told_in_opencosts_words() -> None:
    """The message names the unknown unit."""
    with pytest.raises(IllegalStepError, match='time: unknown unit "y" in duration "1y"'):
        parse_step("1y", calendar=True)


def test_booleans_are_read_strictly() -> None:
    """`yes`, `on` and a trailing blank are not true."""
    assert [parse_bool(text) for text in ("true", "1", "t", "yes", "on", "True ", None)] == [True] * 3 + [False] * 4
