"""Spans of rows and growth of counters, worked out by hand from the measured rules."""

import pytest

from local.standin import CrashLoop
from local.standin.sampling import Spell, Window, growth, observed_span, running_spells, spells
from tests.standin.small_cluster import at

TEN = Window(at("10:00:00"), at("11:00:00"))
TEN_LEFT_OPEN = Window(TEN.start, TEN.end, left_open=True)


def span(start: str, end: str, *, window: Window = TEN, centred: bool = False) -> tuple[str, str] | None:
    """Give the span of a life as minutes and seconds after ten o'clock."""
    seen = observed_span(spells(at(start), at(end)), window, lone_point_is_centred=centred)
    return None if seen is None else (clock(seen[0]), clock(seen[1]))


def clock(moment: float) -> str:
    minutes, seconds = divmod(int(moment) - TEN.start, 60)
    return f"{minutes}:{seconds:02}"


def minutes_of(start: str, end: str, *, step: int, window: Window = TEN) -> float:
    return growth(spells(at(start), at(end)), window, step).seconds / 60


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("09:00:00", "12:00:00", ("0:00", "60:00")),
        ("09:00:00", "10:17:00", ("0:00", "20:00")),
        ("09:00:00", "10:16:00", ("0:00", "15:00")),
        ("10:16:20", "12:00:00", ("20:00", "60:00")),
        ("10:15:00", "12:00:00", ("15:00", "60:00")),
        ("10:02:00", "10:12:00", ("5:00", "15:00")),
    ],
)
def test_a_row_spans_the_points_that_a_sample_precedes_closely(start: str, end: str, expected: tuple[str, str]) -> None:
    """A five-minute point runs if a one-minute sample lies less than five minutes before it."""
    assert span(start, end) == expected


def test_a_lone_point_extends_forward_or_is_centred() -> None:
    """Three minutes from 10:01:40 are seen at 10:05 alone: 10:05 to 10:10 for 1.120.2, 10:02:30 to 10:07:30 for 1.113."""
    assert span("10:01:40", "10:04:50") == ("5:00", "10:00")
    assert span("10:01:40", "10:04:50", centred=True) == ("2:30", "7:30")


def test_a_lone_point_at_the_end_is_cut_there() -> None:
    """A life that begins with the window's end has no minutes."""
    assert span("11:00:00", "12:00:00") == ("60:00", "60:00")


def test_a_life_that_ended_just_before_the_window_haunts_it() -> None:
    """Its last sample at 09:58 lies less than five minutes before the point of 10:00; one at 09:55 does not."""
    assert span("09:00:00", "09:59:00") == ("0:00", "5:00")
    assert span("09:00:00", "09:56:00") is None


def test_a_life_between_two_samples_leaves_nothing() -> None:
    """From 10:01:10 to 10:01:50 no minute begins."""
    assert span("10:01:10", "10:01:50") is None


def test_prometheus_3_loses_the_first_point() -> None:
    """Left-open ranges begin at the point after the window's start."""
    assert span("09:00:00", "12:00:00", window=TEN_LEFT_OPEN) == ("5:00", "60:00")
    assert span("09:00:00", "09:59:00", window=TEN_LEFT_OPEN) is None


def test_windows_off_the_grid_lose_their_ends() -> None:
    """From 10:02 to 10:58 the points 10:05 to 10:55 count."""
    assert span("09:00:00", "12:00:00", window=Window(at("10:02:00"), at("10:58:00"))) == ("5:00", "55:00")


def test_an_outage_ends_a_spell_and_a_window_bridges_it() -> None:
    """Samples stop at 10:19 and begin at 10:40; the row spans both sides."""
    seen = spells(at("09:00:00"), at("12:00:00"), [(at("10:20:00"), at("10:40:00"))])

    assert [(clock(one.first), clock(one.last)) for one in seen] == [("-60:00", "19:00"), ("40:00", "119:00")]
    assert observed_span(seen, TEN, lone_point_is_centred=False) == (TEN.start, TEN.end)


def test_a_crash_loop_runs_at_points_in_its_runs_only() -> None:
    """700 of every 2,400 seconds from 22:00: at 13:00 the run of 12:40 is over, those of 13:20 and 14:00 count."""
    window = Window(at("13:00:00"), at("14:00:00"))
    exists = spells(at("22:00:00", day=9), at("23:00:00"))
    running = running_spells(exists, CrashLoop(run_seconds=700, period_seconds=2400), window)

    assert observed_span(running, window, lone_point_is_centred=False) == (at("13:20:00"), at("14:00:00"))


def test_a_counter_over_the_whole_window_is_exact() -> None:
    """Sixty minutes of life are sixty minutes of growth."""
    assert minutes_of("09:00:00", "12:00:00", step=60) == 60
    assert minutes_of("09:00:00", "12:00:00", step=300) == 60


def test_a_counter_that_ends_is_extended_by_half_a_gap() -> None:
    """To 10:17 at five-minute points: 16 minutes between 10:00 and 10:20, times 22.5 / 20; each minute: 16.5."""
    assert minutes_of("09:00:00", "10:17:00", step=300) == pytest.approx(18)
    assert minutes_of("09:00:00", "10:17:00", step=60) == pytest.approx(16.5)


def test_a_counter_that_begins_is_extended_to_its_zero() -> None:
    """From 10:16:20 at five-minute points: 40 minutes seen and the 3:40 before them."""
    assert minutes_of("10:16:20", "12:00:00", step=300) == pytest.approx(43 + 40 / 60)


def test_prometheus_3_does_not_reach_for_a_far_zero() -> None:
    """Each minute: from 10:17 seen, 40 seconds old; half a gap is added instead."""
    assert minutes_of("10:16:20", "12:00:00", step=60) == pytest.approx(43 + 40 / 60)
    assert minutes_of("10:16:20", "12:00:00", step=60, window=TEN_LEFT_OPEN) == pytest.approx(43.5)


def test_a_counter_seen_once_does_not_grow() -> None:
    """Three minutes of life give one five-minute point."""
    assert minutes_of("10:01:40", "10:04:50", step=300) == 0


def test_a_restarted_counter_loses_what_the_old_one_gained_unseen() -> None:
    """Ended 10:02, back at 10:04:10: seen at 10:00 and, new, at 10:05; the 55:50 minutes since count."""
    series = [*spells(at("09:00:00"), at("10:02:00")), *spells(at("10:04:10"), at("12:00:00"))]

    assert growth(series, TEN, 300).seconds / 60 == pytest.approx(55 + 50 / 60)


def test_nothing_seen_is_no_growth() -> None:
    """A series outside the window counts nothing."""
    assert growth([Spell(at("12:00:00"), at("13:00:00"), at("12:00:00"))], TEN, 60).seconds == 0
