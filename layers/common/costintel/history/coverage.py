"""Which days of its series an Application still lacks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import takewhile

from costintel.cost.daily import DailyProgress
from costintel.history.census import Member


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """The days a series covers, both ends included, and the mark of what it was folded with."""

    first: date
    last: date
    mark: str


@dataclass(kw_only=True)
class Coverage:
    """One series on its way to `days`, the observed days it is to cover, oldest first and at least one.

    `mark` tells what the series is folded with once it reaches the newest of them. `covered` is None for one that covers
    nothing yet, or was folded with something else.
    """

    member: Member
    days: Sequence[date]
    mark: str
    covered: Covered | None
    _done: set[date] = field(default_factory=set)

    def lacks(self, changed: Collection[date]) -> set[date]:
        """Return the days to fold: those it does not cover, and those of `changed` that it does."""
        covered = self.covered
        if covered is not None and covered.first <= self.days[0] and covered.last >= self.days[-1]:
            return {day for day in changed if day in self.days}
        return {day for day in self.days if day in changed or not self._covers(day)}

    def done(self, day: date) -> bool:
        """Note that a day is folded; return whether the series covers more than before."""
        self._done.add(day)
        before, self.covered = self.covered, self._grown()
        return self.covered != before

    def progress(self, now: datetime) -> DailyProgress | None:
        """Return what to keep of it, None while it covers nothing."""
        if self.covered is None:
            return None
        return DailyProgress(
            application=self.member.application,
            scope=self.member.scope,
            ownership=self.covered.mark,
            folded_from=self.covered.first,
            folded_until=self.covered.last,
            updated_at=now,
        )

    def _covers(self, day: date) -> bool:
        return self.covered is not None and self.covered.first <= day <= self.covered.last

    def _grown(self) -> Covered | None:
        """Return what is covered now: newer days count once all of them are done, older ones as far as there is no hole."""
        newer = [day for day in self.days if self.covered is None or day > self.covered.last]
        if self.covered is not None and not (newer and self._done.issuperset(newer)):
            return self._back(self.covered)
        newest = self.days[-1]
        if newest not in self._done:
            return self.covered
        first = newest if self.covered is None else self.covered.first
        return self._back(Covered(first=first, last=newest, mark=self.mark))

    def _back(self, covered: Covered) -> Covered:
        older = (day for day in reversed(self.days) if day < covered.first)
        reached = list(takewhile(self._done.__contains__, older))
        return Covered(first=reached[-1], last=covered.last, mark=covered.mark) if reached else covered
