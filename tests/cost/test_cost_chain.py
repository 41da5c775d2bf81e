"""Chains of syncs."""

from datetime import UTC, datetime, timedelta

import pytest

from costintel.cost.chain import chains

START = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        ([], []),
        ([0], [[0]]),
        ([0, 23.9, 47.8], [[0, 1, 2]]),
        ([0, 24], [[0], [1]]),
        ([0, 20, 40, 48], [[0, 1, 2], [3]]),
        ([0, 1, 100, 101, 200], [[0, 1], [2, 3], [4]]),
    ],
    ids=["none", "one", "within 24 hours", "24 hours apart", "closed after 48", "several"],
)
def test_which_syncs_are_one_point(hours: list[float], expected: list[list[int]]) -> None:
    """Less than 24 hours after the one before, and less than 48 after the first."""
    found = chains([START + timedelta(hours=hour) for hour in hours])

    assert [list(positions) for positions in found] == expected
