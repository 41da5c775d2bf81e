"""How much CPU and memory a container truly uses, hour by clock hour.

An hour is a whole number of hours since 1970 in UTC. Rates are means while the pod exists in that hour.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

SECONDS_PER_HOUR = 3600
HOURS_PER_DAY = 24


class Usage(Protocol):
    """What a container uses: cores and bytes, each a mean over one clock hour."""

    def cpu_cores(self, hour: int) -> float:
        """Mean cores in that hour."""
        ...

    def ram_bytes(self, hour: int) -> float:
        """Mean working set in that hour."""
        ...


@dataclass(frozen=True, slots=True)
class SteadyUsage:
    """The same at every hour."""

    cores: float = 0.0
    working_set_bytes: float = 0.0

    def cpu_cores(self, hour: int) -> float:  # noqa: ARG002 - every hour is alike
        """See `Usage`."""
        return self.cores

    def ram_bytes(self, hour: int) -> float:  # noqa: ARG002 - every hour is alike
        """See `Usage`."""
        return self.working_set_bytes


@dataclass(frozen=True, slots=True)
class HourlyUsage:
    """Known hours as (cores, bytes); an unknown one is as that hour of the nearest known day, else the nearest one."""

    by_hour: Mapping[int, tuple[float, float]]

    def cpu_cores(self, hour: int) -> float:
        """See `Usage`."""
        return self._nearest(hour)[0]

    def ram_bytes(self, hour: int) -> float:
        """See `Usage`."""
        return self._nearest(hour)[1]

    def _nearest(self, hour: int) -> tuple[float, float]:
        if hour in self.by_hour:
            return self.by_hour[hour]
        same_time_of_day = [known for known in self.by_hour if (known - hour) % HOURS_PER_DAY == 0]
        candidates = same_time_of_day or list(self.by_hour)
        if not candidates:
            return (0.0, 0.0)
        return self.by_hour[min(candidates, key=lambda known: abs(known - hour))]


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyUsage:
    """A day-and-night curve: the mean, `swing` of it more at `peak_hour` and less twelve hours away, with 5 % of noise.

    The noise depends on `seed` and the hour alone, so the same model always uses the same. Memory follows the curve
    at a quarter of its swing.
    """

    mean_cores: float
    mean_ram_bytes: float
    swing: float = 0.4
    peak_hour: int = 14
    seed: int = 0

    def cpu_cores(self, hour: int) -> float:
        """See `Usage`."""
        return self.mean_cores * (1 + self.swing * self._wave(hour)) * self._noise(hour)

    def ram_bytes(self, hour: int) -> float:
        """See `Usage`."""
        return self.mean_ram_bytes * (1 + self.swing / 4 * self._wave(hour))

    def _wave(self, hour: int) -> float:
        return math.cos(2 * math.pi * (hour % HOURS_PER_DAY - self.peak_hour) / HOURS_PER_DAY)

    def _noise(self, hour: int) -> float:
        # Knuth's multiplicative hash: cheap, and well spread over neighbouring hours.
        mixed = ((hour + 1) * 2654435761 ^ (self.seed + 1) * 40503) & 0xFFFF
        return 0.95 + 0.1 * mixed / 0xFFFF


def total(rate: Callable[[int], float], start: float, end: float, *, at_least: float = 0.0) -> float:
    """Integrate max(at_least, rate of the clock hour) over [start, end) seconds."""
    summed = 0.0
    moment = start
    while moment < end:
        hour = int(moment // SECONDS_PER_HOUR)
        until = min(end, (hour + 1) * SECONDS_PER_HOUR)
        summed += max(at_least, rate(hour)) * (until - moment)
        moment = until
    return summed


def peak(rate: Callable[[int], float], start: float, end: float) -> float:
    """Find the highest hourly rate in [start, end]."""
    first, last = int(start // SECONDS_PER_HOUR), int(max(start, end - 1) // SECONDS_PER_HOUR)
    return rate(first) if first == last else max(rate(hour) for hour in range(first, last + 1))


def mean(rate: Callable[[int], float], parts: Sequence[tuple[int, int]], *, at_least: float = 0.0) -> float:
    """Average max(at_least, rate of the clock hour) over stretches of seconds; a lone moment counts as its hour."""
    begin, end = parts[0]
    hour = begin // SECONDS_PER_HOUR
    if len(parts) == 1 and end <= (hour + 1) * SECONDS_PER_HOUR:
        return max(at_least, rate(hour))
    seconds = sum(last - first for first, last in parts)
    if not seconds:
        return max(at_least, rate(hour))
    return sum(total(rate, first, last, at_least=at_least) for first, last in parts) / seconds
