"""From a window to a month (accuracy P1 to P9)."""

from datetime import UTC, datetime, timedelta

import pytest

from costintel.cost.projection import Confidence, confidence, measured_hours, monthly
from costintel.cost.window import Window

DAY = datetime(2026, 11, 28, tzinfo=UTC)
HOURS = [Window(DAY + timedelta(hours=hour), DAY + timedelta(hours=hour + 1)) for hour in range(24)]


def test_a_full_day_is_a_thirtieth_of_the_month() -> None:
    """P1: $5 over 24 h is $150.00 a month of 720 hours and $152.08 of 730."""
    assert monthly(5.0, 24.0, basis_hours=720) == 150.0
    assert monthly(5.0, 24.0, basis_hours=730) == pytest.approx(152.083333, abs=1e-6)


def test_a_young_namespace_is_projected_from_its_own_hours() -> None:
    """P2: $1 over the 6 hours since it was created is $120 a month, partial confidence."""
    hours = measured_hours(HOURS, DAY + timedelta(hours=18))

    assert hours == 6.0
    assert monthly(1.0, hours, basis_hours=720) == 120.0
    assert confidence(hours) is Confidence.PARTIAL


def test_a_cronjob_in_an_old_namespace_is_not_multiplied() -> None:
    """P3: ten minutes a day for $0.02 are $0.60 a month, not $86.40, because it could have run all day."""
    hours = measured_hours(HOURS, DAY - timedelta(days=30))

    assert monthly(0.02, hours, basis_hours=720) == pytest.approx(0.60)


def test_a_pod_of_the_same_name_twice_is_projected_by_the_window() -> None:
    """P4: $1.60 over a day of an application a week old is $48, whatever the span of its pods."""
    assert monthly(1.60, measured_hours(HOURS, DAY - timedelta(days=7)), basis_hours=720) == pytest.approx(48.0)


def test_minutes_of_observation_give_no_month() -> None:
    """P6: three minutes for $0.002 are too little data, not $28.80 a month."""
    assert monthly(0.002, 0.05, basis_hours=720) is None
    assert confidence(0.05) is Confidence.TOO_LITTLE


def test_a_short_answer_is_projected_from_what_was_measured() -> None:
    """P7: fifteen minutes asked and ten got for $0.10 is $0.60 an hour: the measured hours divide, not the asked ones."""
    answered = [Window(DAY, DAY + timedelta(minutes=10))]

    assert 0.10 / measured_hours(answered, None) == pytest.approx(0.60)


def test_a_gap_of_two_hours_leaves_twenty_two() -> None:
    """Hours that were not observed do not count as measured."""
    assert measured_hours(HOURS[:10] + HOURS[12:], None) == 22.0


def test_an_hour_observed_in_part_counts_in_part() -> None:
    """Twenty observed minutes are a third of an hour."""
    assert measured_hours([*HOURS[:23], Window(DAY, DAY + timedelta(minutes=20))], None) == pytest.approx(23 + 1 / 3)


def test_confidence_is_full_from_twenty_three_and_a_half_hours_on() -> None:
    """Below 23.5 measured hours a figure is partial."""
    assert confidence(23.5) is Confidence.FULL
    assert confidence(23.49) is Confidence.PARTIAL


def test_a_guessed_age_is_never_full_confidence() -> None:
    """When nobody knows since when a thing exists its figure is at most partial."""
    assert confidence(24.0, age_known=False) is Confidence.PARTIAL


def test_an_infracost_month_on_the_other_basis() -> None:
    """A 730-hour estimate of 73.00 is 72.00 on the 720-hour basis."""
    assert pytest.approx(72.00) == 73.00 * 720 / 730
    assert monthly(73.00 / 730, 1.0, basis_hours=720) == pytest.approx(72.00)
