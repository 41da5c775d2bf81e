"""One day asked from OpenCost, and what becomes of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from costintel.collection.conversation import Conversation, OutOfTime
from costintel.collection.days_answer import ask_day
from costintel.collection.days_ledger import WHOLE_MINUTES, DayAttempt, DayLedger
from costintel.collection.days_store import DayStore
from costintel.collection.kept_slices import KeptSlices
from costintel.cost.collection import HourHeader
from costintel.cost.day import day_window
from costintel.errors import InvalidInput, OpenCostError, OpenCostTimeout


@dataclass(slots=True, kw_only=True)
class DaysTally:
    """What a run did: days folded from hours, days that became what was asked, days it was asked for in vain, days that failed.

    `errors` are the kinds of what failed.
    """

    folded: list[date] = field(default_factory=list)
    asked: list[date] = field(default_factory=list)
    kept: list[date] = field(default_factory=list)
    failed: list[date] = field(default_factory=list)
    errors: set[str] = field(default_factory=set)

    @property
    def tried(self) -> set[date]:
        """The days that were asked for."""
        return {*self.asked, *self.kept, *self.failed}


@dataclass(kw_only=True)
class DayQuestions:
    """Asks for single days."""

    store: DayStore
    ledger: DayLedger
    kept: KeptSlices
    tally: DaysTally

    def ask(
        self, conversation: Conversation, day: date, hours: Mapping[datetime, HourHeader], now: datetime
    ) -> OpenCostError | InvalidInput | None:
        """Ask for a day and store what comes; return the error if it failed, written down by then.

        Raises OutOfTime before it asks for anything more, StorageError.
        """
        attempt = self.ledger.attempt(day, now).begun(now)
        self.ledger.write(attempt)
        try:
            answer = ask_day(conversation, attempt, self.kept)
            became = self.store.answered(conversation, day, answer, hours=hours, now=now)
        except OutOfTime:
            self._not_begun(attempt, now)
            raise
        except (OpenCostError, InvalidInput) as error:
            self._failed(conversation, attempt, error, hours=hours, now=now)
            return error
        self._done(attempt)
        (self.tally.asked if became else self.tally.kept).append(day)
        return None

    def forget(self, day: date) -> None:
        """Forget what was remembered of a day that is not to be asked for any more."""
        self.kept.remove(day_window(day).start)
        self.ledger.remove(day)

    def _not_begun(self, attempt: DayAttempt, now: datetime) -> None:
        """Leave no trace of an attempt that had no time, but for the slices that were answered."""
        if attempt.failures or attempt.span_minutes < WHOLE_MINUTES:
            self.ledger.write(attempt.interrupted(now))
        else:
            self.ledger.remove(attempt.day)

    def _failed(
        self,
        conversation: Conversation,
        attempt: DayAttempt,
        error: OpenCostError | InvalidInput,
        *,
        hours: Mapping[datetime, HourHeader],
        now: datetime,
    ) -> None:
        self.tally.failed.append(attempt.day)
        self.tally.errors.add(type(error).__name__)
        timed_out = isinstance(error, OpenCostTimeout)
        later = attempt.failed(now + timedelta(seconds=conversation.closed_for_seconds), halve=timed_out)
        if timed_out:
            self.ledger.slow_down(later.span_minutes, now)
        if later.given_up(now):
            self.store.give_up(conversation, attempt.day, hours, now)
            self._done(attempt)
        else:
            self.ledger.write(later, error=str(error))

    def _done(self, attempt: DayAttempt) -> None:
        if attempt.span_minutes < WHOLE_MINUTES:
            self.kept.remove(day_window(attempt.day).start)
        self.ledger.remove(attempt.day)
