"""What OpenCost can see of a cluster in one window, at one moment, through one version."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from local.standin.index import ModelIndex
from local.standin.model import Outage, Source
from local.standin.sampling import RESOLUTION_SECONDS, Spell, Stretch, Window, observed_span, spells
from local.standin.version import Version


@dataclass(frozen=True)  # without slots: what is derived from it is kept on it
class View:
    """A window on the model. `now` is the server's clock; `outages` may hold more than the model's own."""

    index: ModelIndex
    window: Window
    version: Version
    now: float
    outages: tuple[Outage, ...]
    seen_from_seconds: int

    @cached_property
    def seen_until(self) -> int:
        """One second after the last moment that can hold a sample."""
        until = self.index.model.observed_until_seconds
        return int(self.now if until is None else until) + 1

    @cached_property
    def blind(self) -> Mapping[Source, list[Stretch]]:
        """Per source, the stretches near the window without its samples."""
        near = [outage for outage in self.outages if self._is_near(outage)]
        return {source: _blind_to(source, near) for source in Source}

    @cached_property
    def is_whole(self) -> bool:
        """Whether nothing is lost near the window."""
        return not any(self.blind.values())

    def series(self, start: int, end: int | None, source: Source) -> list[Spell]:
        """Give the samples that `source` left of something that lived in [start, end)."""
        until = self.seen_until if end is None else min(end, self.seen_until)
        blind = self.blind[source]
        if start < self.seen_from_seconds:
            blind = [(start, self.seen_from_seconds), *blind]
        return spells(start, until, blind)

    def span(self, series: Iterable[Spell]) -> tuple[float, float] | None:
        """Start and end that OpenCost gives it; new versions cut at now, even below the start."""
        seen = observed_span(series, self.window, lone_point_is_centred=self.version.lone_point_is_centred)
        if seen is None or not self.version.clamps_to_now:
            return seen
        return (seen[0], min(seen[1], self.now))

    def touches(self, start: int, end: int | None) -> bool:
        """Whether a life can have left a trace in the window."""
        return start <= self.window.end and (end is None or end > self.window.start - RESOLUTION_SECONDS)

    def _is_near(self, outage: Outage) -> bool:
        earliest = self.window.start - 2 * RESOLUTION_SECONDS
        return outage.start_seconds <= self.window.end and outage.end_seconds > earliest


def _blind_to(source: Source, outages: Iterable[Outage]) -> list[Stretch]:
    lost = sorted((o.start_seconds, o.end_seconds) for o in outages if o.lost in {source, Source.EVERYTHING})
    joined: list[Stretch] = []
    for start, end in lost:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
