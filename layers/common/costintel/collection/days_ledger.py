"""Days that are to be asked as a whole and failed, kept in `work` (kind `day`) so that no killed function forgets one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, Self

from costintel.collection.rfc3339 import moment_of, text_of
from costintel.storage.work import Work

KIND = "day"
WHOLE_MINUTES = 24 * 60
_LEAST_MINUTES = 60
_UNFINISHED = 2
"""So many attempts that began and never ended (the function was killed) count as a timeout."""
_GIVE_UP_AFTER = timedelta(days=14)
"""By then most Prometheus servers have forgotten the day."""
_LONGEST_PAUSE = timedelta(hours=24)
_SLACK = timedelta(minutes=30)
_PACE = "pace"
_PACE_LASTS = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayAttempt:
    """A day whose call is under way or failed. `span_minutes` is how much of it one call asks for.

    `open` counts attempts that began and did not end: it is written before a call, because a function that is killed in a call
    cannot write anything afterwards.
    """

    day: date
    not_before: datetime
    span_minutes: int = WHOLE_MINUTES
    failures: int = 0
    failing_since: datetime | None = None
    open: int = 0

    @classmethod
    def parse(cls, subject: str, payload: Mapping[str, Any], not_before: datetime) -> Self:
        """Read what `subject` and `payload` of an attempt gave."""
        since = payload["failingSince"]
        return cls(
            day=date.fromisoformat(subject),
            not_before=not_before,
            span_minutes=payload["spanMinutes"],
            failures=payload["failures"],
            failing_since=None if since is None else moment_of(since),
            open=payload["open"],
        )

    @property
    def payload(self) -> dict[str, Any]:
        """What is kept beside the day and `not_before`."""
        return {
            "spanMinutes": self.span_minutes,
            "failures": self.failures,
            "failingSince": None if self.failing_since is None else text_of(self.failing_since),
            "open": self.open,
        }

    def begun(self, now: datetime) -> "DayAttempt":
        """Return it as it is written before a call: should the function die in it, the next one waits and asks for less."""
        halve = self.open >= _UNFINISHED
        return replace(
            self,
            span_minutes=_halved(self.span_minutes) if halve else self.span_minutes,
            open=1 if halve else self.open + 1,
            not_before=now + _pause(self.failures + self.open + 1),
        )

    def interrupted(self, now: datetime) -> "DayAttempt":
        """Return it after a call for which there was no time: due at once, and not counted."""
        return replace(self, open=0, not_before=now)

    def failed(self, now: datetime, *, halve: bool) -> "DayAttempt":
        """Return it after a call that failed; `halve` after a timeout: the next attempt asks for half the span."""
        return replace(
            self,
            span_minutes=_halved(self.span_minutes) if halve else self.span_minutes,
            failures=self.failures + 1,
            failing_since=self.failing_since or now,
            open=0,
            not_before=now + _pause(self.failures + 1),
        )

    def given_up(self, now: datetime) -> bool:
        """Whether it has failed for two weeks."""
        return self.failing_since is not None and now - self.failing_since >= _GIVE_UP_AFTER


@dataclass(kw_only=True)
class DayLedger:
    """The attempts, as last read, and written through."""

    cluster: str
    work: Work
    attempts: dict[date, DayAttempt] = field(default_factory=dict)
    _pace: tuple[int, datetime] | None = None

    def read(self) -> None:
        """Read every attempt."""
        items = self.work.all(self.cluster, KIND)
        listed = [DayAttempt.parse(one.subject, one.payload, one.not_before) for one in items if one.subject != _PACE]
        self.attempts = {attempt.day: attempt for attempt in listed}
        paces = [(one.payload["spanMinutes"], one.not_before) for one in items if one.subject == _PACE]
        self._pace = paces[0] if paces else None

    def attempt(self, day: date, now: datetime) -> DayAttempt:
        """Return the attempt of a day; a new one asks for as much as OpenCost could answer in time of late."""
        if day in self.attempts:
            return self.attempts[day]
        slow = self._pace is not None and now < self._pace[1]
        span = self._pace[0] if self._pace is not None and slow else WHOLE_MINUTES
        return DayAttempt(day=day, not_before=now, span_minutes=span)

    def write(self, attempt: DayAttempt, *, error: str = "") -> None:
        """Keep an attempt; `error` says why the last call failed, for whoever looks into the table."""
        subject = attempt.day.isoformat()
        self.work.put(self.cluster, KIND, subject, attempt.payload, attempt.not_before)
        if error:
            self.work.postpone(
                self.cluster, KIND, subject, not_before=attempt.not_before, error=error, attempts=attempt.failures
            )
        self.attempts[attempt.day] = attempt

    def slow_down(self, span_minutes: int, now: datetime) -> None:
        """Remember for a day that OpenCost needs longer than a call may take for more than this."""
        self._pace = (span_minutes, now + _PACE_LASTS)
        self.work.put(self.cluster, KIND, _PACE, {"spanMinutes": span_minutes}, self._pace[1])

    def remove(self, day: date) -> None:
        """Forget a day that was answered or given up."""
        if self.attempts.pop(day, None) is not None:
            self.work.delete(self.cluster, KIND, [day.isoformat()])


def _halved(span_minutes: int) -> int:
    return max(_LEAST_MINUTES, span_minutes // 2)


def _pause(attempts: int) -> timedelta:
    """Return the wait after `attempts` tries in a row that came to nothing: 1, 2, 4, 8, 16, then 24 hours, less half an hour.

    Half an hour less, so that the run of that hour finds the day due whatever minute this one took.
    """
    return min(_LONGEST_PAUSE, timedelta(hours=2 ** min(max(0, attempts - 1), 5))) - _SLACK
