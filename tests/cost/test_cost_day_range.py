"""The days that callers ask for."""

from datetime import date

import pytest

from costintel.cost.day_range import DayRange
from costintel.errors import InvalidInput

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (None, None, ("2026-11-01", "2026-11-30")),
        ("2026-11-20", None, ("2026-11-20", "2026-11-30")),
        (None, "2026-03-01", ("2026-01-31", "2026-03-01")),
        ("2026-11-30", "2026-11-30", ("2026-11-30", "2026-11-30")),
        ("2025-10-27", "2026-11-30", ("2025-10-27", "2026-11-30")),
    ],
)
def test_both_ends_are_included(first: str | None, last: str | None, expected: tuple[str, str]) -> None:
    """Thirty days unless told otherwise, 400 at most."""
    days = DayRange.parse(first, last, today=TODAY)

    assert (days.first.isoformat(), days.last.isoformat()) == expected


@pytest.mark.parametrize(
    ("first", "last", "field"),
    [
        ("2026-11-30", "2026-11-29", "from"),
        ("2026-12-01", None, "from"),
        ("2025-10-26", "2026-11-30", "from"),
        ("", None, "from"),
        ("NaN", None, "from"),
        ("1764460800", None, "from"),
        ("2026-11-30T00:00:00Z", None, "from"),
        ("20261130", None, "from"),
        ("2026-W48-1", None, "from"),
        ("2026-11-31", None, "from"),
        ("0001-01-01", None, "from"),
        ("\uff12\uff1026-11-30", None, "from"),
        (None, "2026-02-30", "to"),
        (None, "9999-12-31", "to"),
        ("bad", "worse", "to"),
    ],
)
def test_what_is_no_range_is_refused_by_name(first: str | None, last: str | None, field: str) -> None:
    """Turned round, too long, or not a day."""
    with pytest.raises(InvalidInput) as refused:
        DayRange.parse(first, last, today=TODAY)
    assert refused.value.field == field
