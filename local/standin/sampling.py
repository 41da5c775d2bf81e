"""What Prometheus makes of a life that was sampled once a minute.

Rules measured on running servers: a five-minute point, both window ends included, runs if a sample lies less than
five minutes before it; a row spans its first to its last such point. Counters grow between samples and are
extrapolated to the window's ends as Prometheus' `increase` does it. All moments are seconds since 1970.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from local.standin.model import CrashLoop

SAMPLE_SECONDS = 60
RESOLUTION_SECONDS = 300

Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """The asked window [start, end] in seconds; `left_open` hides samples and points at its very start."""

    start: int
    end: int
    left_open: bool = False

    @property
    def hours(self) -> float:
        """The window's length."""
        return (self.end - self.start) / 3600

    @property
    def first_moment(self) -> int:
        """The first moment whose sample counts."""
        return self.start + 1 if self.left_open else self.start


@dataclass(frozen=True, slots=True)
class Spell:
    """Unbroken samples from `first` to `last` of a series that began at zero at `since`.

    `fades` tells that the series ends, so that its last sample counts for another five minutes; a crash-looping
    container's series goes on with the value "not running", which ends a spell at once.
    """

    first: int
    last: int
    since: int
    fades: bool = True


def ceil_to(moment: int, step: int) -> int:
    """Give the first multiple of step at or after the moment."""
    return -(-moment // step) * step


def floor_to(moment: int, step: int) -> int:
    """Give the last multiple of step at or before the moment."""
    return moment // step * step


def spells(start: int, end: int, blind: Sequence[Stretch] = ()) -> list[Spell]:
    """Give the samples of a life [start, end) without those in the `blind` stretches (ordered, each [from, to))."""
    found = []
    begin = start
    for blind_from, blind_to in blind:
        if blind_from >= end:
            break
        if blind_to > begin:
            found += _spell(begin, blind_from, since=start)
            begin = max(begin, blind_to)
    return found + _spell(begin, end, since=start)


def _spell(begin: int, end: int, *, since: int) -> list[Spell]:
    first, last = ceil_to(begin, SAMPLE_SECONDS), floor_to(end - 1, SAMPLE_SECONDS)
    return [Spell(first, last, since)] if first <= last else []


def running_spells(exists: Iterable[Spell], crash_loop: CrashLoop, around: Window) -> list[Spell]:
    """Give the part of the spells in which a crash-looping container runs, near the window."""
    return [run for spell in exists for run in _runs(spell, crash_loop, around)]


def _runs(spell: Spell, crash_loop: CrashLoop, around: Window) -> Iterable[Spell]:
    earliest = max(spell.since, around.start - 2 * crash_loop.period_seconds)
    begin = spell.since + (earliest - spell.since) // crash_loop.period_seconds * crash_loop.period_seconds
    while begin <= min(spell.last, around.end):
        first = max(spell.first, ceil_to(begin, SAMPLE_SECONDS))
        natural_last = floor_to(begin + crash_loop.run_seconds - 1, SAMPLE_SECONDS)
        last = min(spell.last, natural_last)
        if first <= last:
            yield Spell(first, last, spell.since, fades=last == spell.last)
        begin += crash_loop.period_seconds


def sampled_part(spell: Spell, window: Window) -> Stretch | None:
    """First and last sample of the spell inside the window, or None."""
    first = max(spell.first, ceil_to(window.first_moment, SAMPLE_SECONDS))
    last = min(spell.last, floor_to(window.end, SAMPLE_SECONDS))
    return (first, last) if first <= last else None


def is_sampled(series: Iterable[Spell], window: Window) -> bool:
    """Whether any sample lies in the window."""
    return any(sampled_part(spell, window) for spell in series)


def points(spell: Spell, window: Window, step: int) -> Stretch | None:
    """First and last multiple of step inside the window at which the spell has a value, or None."""
    end = ceil_to(spell.last, step) if spell.fades else floor_to(spell.last, step)
    first = max(ceil_to(spell.first, step), ceil_to(window.first_moment, step))
    last = min(end, floor_to(window.end, step))
    return (first, last) if first <= last else None


def observed_span(
    series: Iterable[Spell], window: Window, *, lone_point_is_centred: bool
) -> tuple[float, float] | None:
    """First to last five-minute point, or None; a lone point stands for one resolution, cut at the window's end."""
    seen = [part for spell in series if (part := points(spell, window, RESOLUTION_SECONDS))]
    if not seen:
        return None
    first, last = min(part[0] for part in seen), max(part[1] for part in seen)
    if first != last:
        return (first, last)
    if lone_point_is_centred:
        half = RESOLUTION_SECONDS / 2
        return (max(first - half, window.start), min(first + half, window.end))
    return (first, min(first + RESOLUTION_SECONDS, window.end))


@dataclass(frozen=True, slots=True)
class Growth:
    """How a counter grew: the stretches of true life it counted, and the factor of the extrapolation."""

    stretches: tuple[Stretch, ...] = ()
    factor: float = 0.0

    @property
    def seconds(self) -> float:
        """Counted seconds of a counter that grows by one a second."""
        return self.factor * sum(end - start for start, end in self.stretches)


def growth(series: Sequence[Spell], window: Window, step: int) -> Growth:
    """Give the increase of a counter over the window, looked at every `step` seconds; nothing if seen only once.

    A spell with another beginning is a restarted counter: what it holds when first seen counts whole, what the old
    one gained after it was last seen is lost.
    """
    if _covers(series, window, step):
        return Growth(((window.start, window.end),), 1.0)
    seen = _seen_at(series, window, step)
    count = sum((last - first) // step + 1 for _, (first, last) in seen)
    if count < 2:
        return Growth()
    stretches: list[Stretch] = []
    previous: tuple[int, int] | None = None
    for spell, part in seen:
        first_value, last_value = (min(floor_to(point, SAMPLE_SECONDS), spell.last) for point in part)
        if previous is not None:
            value, since = previous
            stretches.append((value if since == spell.since else spell.since, first_value))
        stretches.append((first_value, last_value))
        previous = (last_value, spell.since)
    first_spell, (first_point, _) = seen[0]
    last_point = seen[-1][1][1]
    extrapolation = _Extrapolation(
        sampled=last_point - first_point,
        gap=(last_point - first_point) / (count - 1),
        to_start=first_point - window.start,
        to_end=window.end - last_point,
        age=stretches[0][0] - first_spell.since,
        counted=sum(end - start for start, end in stretches),
    )
    return Growth(tuple(stretches), extrapolation.factor(threshold_first=window.left_open))


def _covers(series: Sequence[Spell], window: Window, step: int) -> bool:
    """Whether one spell reaches from end to end of a window on the grid: nothing to extrapolate."""
    is_on_grid = window.start % step == 0 and window.end % step == 0 and not window.left_open
    return is_on_grid and len(series) == 1 and series[0].first <= window.start and series[0].last >= window.end


def _seen_at(series: Sequence[Spell], window: Window, step: int) -> list[tuple[Spell, Stretch]]:
    """Spells with their points; where two could answer, the later one does."""
    seen: list[tuple[Spell, Stretch]] = []
    for spell in series:
        part = points(spell, window, step)
        if part is None:
            continue
        if seen and seen[-1][1][1] >= part[0]:
            earlier, (first, _) = seen.pop()
            if first < part[0]:
                seen.append((earlier, (first, part[0] - step)))
        seen.append((spell, part))
    return seen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extrapolation:
    sampled: float
    gap: float
    to_start: float
    to_end: float
    age: float
    counted: float

    def factor(self, *, threshold_first: bool) -> float:
        """Prometheus' rule: extend to a near edge, else by half a gap, and never below a counter's zero.

        Prometheus 3 looks at the edge's distance before it looks at the zero, Prometheus 2 the other way round.
        """
        if self.counted == 0:
            return 0.0
        to_zero = self.sampled * self.age / self.counted
        extended = min(self._extension(self.to_start), to_zero)
        start = extended if threshold_first else self._extension(min(self.to_start, to_zero))
        return (self.sampled + start + self._extension(self.to_end)) / self.sampled

    def _extension(self, distance: float) -> float:
        return distance if distance < 1.1 * self.gap else self.gap / 2
