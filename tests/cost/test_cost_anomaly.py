"""Anomalies of a day (accuracy A1 to A4) and the month's forecast (accuracy section 9)."""

import pytest

from costintel.cost.anomaly import AnomalyState, anomaly
from costintel.cost.forecast import forecast

STEADY = [10.2, 9.8, 10.1, 10.4, 9.9, 10.0]


def test_a_jump_over_a_steady_week_scores_by_its_spread() -> None:
    """A1: 14 after 10.2 9.8 10.1 10.4 9.9 10.0: 3.95 over the floor of 5 % of 10.05 is 7.86, an anomaly."""
    result = anomaly(14.0, STEADY)

    assert result.score == pytest.approx(7.86, abs=0.005)
    assert result.baseline == pytest.approx(10.05)
    assert result.state is AnomalyState.ANOMALY


def test_an_outlier_in_the_baseline_hides_nothing() -> None:
    """A2: with one 40 among tens the spread is zero and the floor decides: 40 scores 60."""
    assert anomaly(40.0, [10, 10, 10, 40, 10, 10]).score == pytest.approx(60.0)


def test_a_hair_over_a_flat_line_is_nothing() -> None:
    """A3: 10.001 after five tens scores 0.002, not infinity."""
    result = anomaly(10.001, [10.0] * 5)

    assert result.score == pytest.approx(0.002)
    assert result.state is AnomalyState.NORMAL


def test_fewer_than_five_days_have_no_score() -> None:
    """A4: four days are not enough history."""
    result = anomaly(14.0, [10.0] * 4)

    assert (result.state, result.score) == (AnomalyState.NOT_ENOUGH_HISTORY, None)


def test_a_high_score_of_small_change_is_normal() -> None:
    """10 to 12 scores 4.0 and is exactly 20 %: flagged; 10 to 11.9 is below 20 % and is not."""
    assert anomaly(12.0, [10.0] * 6).state is AnomalyState.ANOMALY
    assert anomaly(11.9, [10.0] * 6).state is AnomalyState.NORMAL


def test_cents_are_no_anomaly() -> None:
    """A cost that doubles from 10 to 60 cents a day is below one currency unit."""
    assert anomaly(0.60, [0.10] * 10).state is AnomalyState.NORMAL


def test_a_drop_is_an_anomaly_too() -> None:
    """From 10 to 2 a day stands out downwards."""
    result = anomaly(2.0, [10.0] * 10)

    assert result.state is AnomalyState.ANOMALY
    assert result.score == pytest.approx(-16.0)


def test_a_sync_that_explains_half_of_it_is_the_answer() -> None:
    """A sync that settled at +2 a day explains a jump of 4; one of +1.9 does not, nor does one the other way."""
    explained = anomaly(14.0, [10.0] * 6, explained=2.0, revision="abc")

    assert (explained.state, explained.revision) == (AnomalyState.EXPLAINED, "abc")
    assert anomaly(14.0, [10.0] * 6, explained=1.9, revision="abc").state is AnomalyState.ANOMALY
    assert anomaly(14.0, [10.0] * 6, explained=-4.0, revision="abc").state is AnomalyState.ANOMALY


def test_only_the_last_four_weeks_are_the_baseline() -> None:
    """Days older than 28 do not count."""
    result = anomaly(10.0, [100.0] * 50 + [10.0] * 28)

    assert (result.baseline, result.baseline_days) == (10.0, 28)


def test_the_forecast_of_a_month_by_hand() -> None:
    """Day 10 of 30 with 120 so far and a mean of 12.114: 362.29, give or take 7.70."""
    result = forecast(120.0, [11.0, 11.5, 12.0, 12.2, 12.6, 13.0, 12.5], remaining_days=20)

    assert result is not None
    assert result.total == pytest.approx(362.29, abs=0.005)
    assert result.band == pytest.approx(7.70, abs=0.005)


def test_two_days_are_no_forecast() -> None:
    """Fewer than three complete days say nothing of a month."""
    assert forecast(24.0, [12.0, 12.0], remaining_days=28) is None
