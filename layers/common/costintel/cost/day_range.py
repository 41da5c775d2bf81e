"""The UTC days that a caller asks for."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

from costintel.errors import InvalidInput

MOST_DAYS = 400
DEFAULT_DAYS = 30
_DAY = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}")
_EXPECTED = "a UTC day as YYYY-MM-DD, from the year 2000 on"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayRange:
    """From `first` to `last`, both included."""

    first: date
    last: date

    @classmethod
    def parse(cls, first: str | None, last: str | None, *, today: date) -> Self:
        """Read the parameters `from` and `to`; without them the last thirty days, ending today.

        Raises InvalidInput naming `from` or `to` for anything that is not a day, and for more than 400 of them.
        """
        ending = today if last is None else _day(last, field="to")
        beginning = ending - timedelta(days=DEFAULT_DAYS - 1) if first is None else _day(first, field="from")
        if beginning > ending:
            raise InvalidInput("from", "a day that is not after `to`")
        if (ending - beginning).days >= MOST_DAYS:
            raise InvalidInput("from", f"at most {MOST_DAYS} days up to `to`")
        return cls(first=beginning, last=ending)


def _day(text: str, *, field: str) -> date:
    if not _DAY.fullmatch(text):
        raise InvalidInput(field, _EXPECTED)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(field, _EXPECTED) from None
