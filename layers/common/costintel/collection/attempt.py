"""What is remembered of an hour that is still to be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from costintel.collection.backoff import backoff
from costintel.collection.due import GIVE_UP_AFTER
from costintel.collection.rfc3339 import moment_of, text_of

WHOLE_MINUTES = 60
LEAST_MINUTES = 15
_UNFINISHED = 2
"""So many attempts that began and never ended (the function was killed) count as a timeout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An hour that is owed: not asked yet, failed, or answered so badly that it is asked once more (`confirm`).

    `span_minutes` is how much of the hour one call asks for. `open` counts attempts that began and did not end: it is written
    before a call, because a function that is killed in a call cannot write anything afterwards.
    """

    hour: datetime
    not_before: datetime
    span_minutes: int = WHOLE_MINUTES
    failures: int = 0
    failing_since: datetime | None = None
    open: int = 0
    confirm: bool = False

    @classmethod
    def parse(cls, subject: str, payload: Mapping[str, Any], not_before: datetime) -> Self:
        """Read what `subject` and `payload` of an attempt gave."""
        since = payload.get("failingSince")
        return cls(
            hour=moment_of(subject),
            not_before=not_before,
            span_minutes=payload.get("spanMinutes", WHOLE_MINUTES),
            failures=payload.get("failures", 0),
            failing_since=None if since is None else moment_of(since),
            open=payload.get("open", 0),
            confirm=payload.get("confirm", False),
        )

    @property
    def subject(self) -> str:
        """Its key: the hour's start."""
        return text_of(self.hour)

    @property
    def payload(self) -> dict[str, Any]:
        """What is kept beside the key and `not_before`."""
        return {
            "spanMinutes": self.span_minutes,
            "failures": self.failures,
            "failingSince": None if self.failing_since is None else text_of(self.failing_since),
            "open": self.open,
            "confirm": self.confirm,
        }

    def begun(self, now: datetime) -> "Attempt":
        """Return it as it is written before a call: should the function die in it, the next one waits and asks for less."""
        halve = self.open >= _UNFINISHED
        return replace(
            self,
            span_minutes=halved(self.span_minutes) if halve else self.span_minutes,
            open=1 if halve else self.open + 1,
            not_before=now + backoff(self.failures + self.open + 1),
        )

    def failed(self, now: datetime, *, halve: bool) -> "Attempt":
        """Return it after a call that failed; `halve` after a timeout: the next attempt asks for half the span."""
        return replace(
            self,
            span_minutes=halved(self.span_minutes) if halve else self.span_minutes,
            failures=self.failures + 1,
            failing_since=self.failing_since or now,
            open=0,
            not_before=now + backoff(self.failures + 1),
        )

    def given_up(self, now: datetime) -> bool:
        """Whether it has failed for 48 hours."""
        return self.failing_since is not None and now - self.failing_since >= GIVE_UP_AFTER


def halved(span_minutes: int) -> int:
    """Return half of a span, not under a quarter of an hour."""
    return max(LEAST_MINUTES, span_minutes // 2)
