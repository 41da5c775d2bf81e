"""The `window`, `step` and `accumulate` parameters: text to moments."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

_EXACT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ),(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_UNIX = re.compile(r"(\d{6,12})[,-](\d{6,12})")
_TRAILING = re.compile(r"(\d+)([mhdw])(?: offset (\d+)([mhdw]))?")
_UNIT_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_GO_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_CALENDAR_SECONDS = {"hour": 3600, "day": 86400, "week": 7 * 86400}

Bounds = tuple[int, int]


class IllegalWindowError(ValueError):
    """A window that OpenCost cannot read."""


class IllegalStepError(ValueError):
    """A step that OpenCost cannot read; the text is what it says."""


def parse_window(text: str, now: datetime) -> Bounds:
    """Start and end in seconds since 1970; `Nh` and `Nd` end at the NEXT full hour or midnight (trap T1).

    Raises:
        IllegalWindowError: the text has none of the known forms.
    """
    if match := _EXACT.fullmatch(text):
        return (_moment(match[1]), _moment(match[2]))
    if match := _UNIX.fullmatch(text):
        return (int(match[1]), int(match[2]))
    if match := _TRAILING.fullmatch(text):
        return _trailing(match, int(now.timestamp()))
    if text in _NAMED:
        start, end = _NAMED[text](now.astimezone(UTC))
        return (int(start.timestamp()), int(end.timestamp()))
    raise IllegalWindowError(text)


def _moment(text: str) -> int:
    try:
        return int(datetime.fromisoformat(text).timestamp())
    except ValueError as error:
        raise IllegalWindowError(text) from error


def _trailing(match: re.Match[str], now: int) -> Bounds:
    length = int(match[1]) * _UNIT_SECONDS[match[2]]
    if match[3]:
        end = now - int(match[3]) * _UNIT_SECONDS[match[4]]
        return (end - length, end)
    grid = min(_UNIT_SECONDS[match[2]], 86400)
    end = -(-now // grid) * grid
    return (end - length, end)


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _week(now: datetime) -> datetime:
    return _midnight(now) - timedelta(days=now.isoweekday() % 7)


def _month(now: datetime) -> datetime:
    return _midnight(now).replace(day=1)


_NAMED: dict[str, Callable[[datetime], tuple[datetime, datetime]]] = {
    "today": lambda now: (_midnight(now), _midnight(now) + timedelta(days=1)),
    "yesterday": lambda now: (_midnight(now) - timedelta(days=1), _midnight(now)),
    "week": lambda now: (_week(now), now),
    "month": lambda now: (_month(now), now),
    "lastweek": lambda now: (_week(now) - timedelta(days=7), _week(now)),
    "lastmonth": lambda now: (_month(_month(now) - timedelta(days=1)), _month(now)),
}


def parse_step(text: str, *, calendar: bool) -> int:
    """Seconds of a step such as `30m`, `2h`, `1d`; with `calendar` also `1w` and `hour`, `day`, `week`.

    Raises:
        IllegalStepError: unreadable.
    """
    if calendar and text in _CALENDAR_SECONDS:
        return _CALENDAR_SECONDS[text]
    match = re.fullmatch(r"(\d+)([a-z]+)", text)
    if match and match[2] in _GO_UNIT_SECONDS and (calendar or match[2] != "w"):
        return int(match[1]) * _GO_UNIT_SECONDS[match[2]]
    if text == "0":
        return 0
    reason = f'time: unknown unit "{match[2]}" in duration "{text}"' if match else f'time: invalid duration "{text}"'
    raise IllegalStepError(
        f'invalid step "{text}": must be a Go duration or one of hour, day, week, month, quarter: {reason}'
    )


def parse_bool(text: str | None) -> bool:
    """Go's strict reading of a boolean; anything else is False."""
    return text in {"1", "t", "T", "true", "TRUE", "True"}
