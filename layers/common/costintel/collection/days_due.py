"""When a day is closed, healed, or asked again: decided from headers alone."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta

from costintel.collection.folding import observed_spans
from costintel.cost.collection import HourHeader
from costintel.cost.day import DayHeader, DaySource, DayState, day_window
from costintel.cost.window import HOUR, Window

CLOSES_AFTER = HOUR
"""How long after midnight a day waits for its hours."""
EMPTY_TAIL = 30
"""After so many empty days in a row nothing older is asked for."""
_PAUSES = tuple(timedelta(hours=hours) for hours in (1, 3, 9, 27, 81))
"""After these an incomplete day is asked for again: what is late may still come, and is not waited for without end."""
MOST_ASKED = len(_PAUSES) + 1
_HOURS_KEPT_UNTIL = timedelta(hours=26)
"""From then on hours of a day may be missing because they were removed, and not because nobody answered."""
_WHOLE = 55 / 60
"""Hours of an hour that must have been observed for it to need no healing."""
_COMPLETE_HOURS = 23.0


def joined(spans: Iterable[Window]) -> tuple[Window, ...]:
    """Return `spans` (by start) with those that touch or overlap made one."""
    merged: list[Window] = []
    for span in spans:
        if merged and span.start <= merged[-1].end:
            merged[-1] = Window(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


def observed_of(day: date, hours: Mapping[datetime, HourHeader]) -> tuple[Window, ...]:
    """Return the spans in which the good hours of `day` saw the cluster."""
    return joined(observed_spans(hours, day_window(day)))


def has_all_hours(day: date, hours: Mapping[datetime, HourHeader]) -> bool:
    """Whether every hour of `day` is stored, in whatever state."""
    return _stored(day_window(day), hours) == 24


def is_closable(day: date, hours: Mapping[datetime, HourHeader], now: datetime) -> bool:
    """Whether a day that is not stored is to be folded from its hours: all 24 are there, or it has waited long enough."""
    window = day_window(day)
    stored = _stored(window, hours)
    if stored == 24:
        return True
    return stored > 0 and window.end + CLOSES_AFTER <= now < window.end + _HOURS_KEPT_UNTIL


def is_outdated(header: DayHeader, hours: Mapping[datetime, HourHeader]) -> bool:
    """Whether a day folded from its hours is to be folded again, because hours came or are judged differently since.

    Never once hours it was folded from are gone: fewer hours are not a better day.
    """
    if header.source is not DaySource.HOURS or header.asked_count or _has_lost_its_beginning(header.window, hours):
        return False
    observed = observed_of(header.day, hours)
    newer = any(hours[hour].asked_at > header.asked_at for hour in header.window.clock_hours() if hour in hours)
    if not newer and observed == header.observed:
        return False
    return _stored(header.window, hours) == 24 or sum(span.hours for span in observed) > header.observed_hours


def needs_healing(header: DayHeader) -> bool:
    """Whether an hour of the day was not good, or observed less than 55 minutes."""
    return any(
        sum(span.overlap_hours(Window(hour, hour + HOUR)) for span in header.observed) < _WHOLE
        for hour in header.window.clock_hours()
    )


def asks_at(header: DayHeader) -> datetime | None:
    """Return when a stored day is to be asked for as a whole, None for never.

    Once if it needs healing; an incomplete day or a gap again, with growing pauses.
    """
    if header.asked_count == 0:
        return header.window.end + CLOSES_AFTER if needs_healing(header) else None
    if header.asked_count >= MOST_ASKED or header.state not in {DayState.INCOMPLETE, DayState.GAP}:
        return None
    return header.asked_at + _PAUSES[header.asked_count - 1]


def state_of(observed: Iterable[Window], *, known_before: bool) -> DayState:
    """Return the state of a day seen in these spans; `known_before`: something is known from before it."""
    hours = sum(span.hours for span in observed)
    if hours >= _COMPLETE_HOURS:
        return DayState.COMPLETE
    if hours > 0:
        return DayState.INCOMPLETE
    return DayState.GAP if known_before else DayState.BEFORE_HISTORY


def _stored(window: Window, hours: Mapping[datetime, HourHeader]) -> int:
    return sum(hour in hours for hour in window.clock_hours())


def _has_lost_its_beginning(window: Window, hours: Mapping[datetime, HourHeader]) -> bool:
    """Whether the hour is gone that tells what ran when the day began, and it matters (T14)."""
    first = hours.get(window.start)
    return first is not None and first.starts_late and window.start - HOUR not in hours
