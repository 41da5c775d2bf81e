"""Days of the cluster: closed from their hours, healed and filled back by asking OpenCost for them as a whole."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from costintel.collection.conversation import Conversation, Conversations, OutOfTime
from costintel.collection.days_agenda import Agenda
from costintel.collection.days_answer import SLICE
from costintel.collection.days_changes import ChangedDays
from costintel.collection.days_ledger import DayLedger
from costintel.collection.days_questions import DayQuestions, DaysTally
from costintel.collection.days_store import DayStore
from costintel.collection.deadline import Deadline
from costintel.collection.folding import Folding
from costintel.collection.hours import Hours
from costintel.collection.kept_slices import KeptSlices
from costintel.collection.ledger import Ledger
from costintel.collection.stored_hours import read_headers
from costintel.errors import OpenCostTimeout
from costintel.storage.collections import Collections
from costintel.storage.day_marks import DayMarks
from costintel.storage.hour_assets import HourAssets
from costintel.storage.leases import LeaseLost
from costintel.storage.work import SYNC, Work

_FAILURES_IN_A_ROW = 2
"""After so many refusals no more is asked: OpenCost is ill, not the day."""
_LOOK_AGAIN_SECONDS = 5.0


class Stopped(StrEnum):
    """Why a run went no further."""

    DONE = "done"
    """Nothing is left that could be done now."""
    LEASE = "lease"
    """Somebody else talks to OpenCost, or it is left alone after a timeout."""
    MEASUREMENTS = "measurements"
    """Hours or syncs wait for OpenCost: they come first."""
    TIME = "time"
    OPENCOST = "opencost"
    """It fails."""
    BLIND = "blind"
    """OpenCost does not see the cluster now: its empty answers would be taken for days without cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DaysOutcome:
    """What one run did about days, and why it stopped; `waiting` days will be asked for, now or later, as far as is known."""

    folded: tuple[date, ...]
    asked: tuple[date, ...]
    kept: tuple[date, ...]
    failed: tuple[date, ...]
    errors: tuple[str, ...]
    stopped: Stopped
    waiting: int


@dataclass(kw_only=True)
class Patience:
    """How long a run may wait for its turn, all in all: it comes once an hour, the measurements every minute."""

    seconds: float
    pause: Callable[[float], None] = time.sleep

    def wait(self, deadline: Deadline) -> bool:
        """Wait a little; False when there is no patience or no time left."""
        if self.seconds < _LOOK_AGAIN_SECONDS or not deadline.allows(_LOOK_AGAIN_SECONDS):
            return False
        self.seconds -= _LOOK_AGAIN_SECONDS
        self.pause(_LOOK_AGAIN_SECONDS)
        return True


@dataclass(frozen=True, kw_only=True)
class Days:
    """The days of one cluster. `history_days` is how many are kept."""

    cluster: str
    history_days: int
    conversations: Conversations
    collections: Collections
    work: Work
    hours: Hours
    marks: DayMarks
    hour_assets: HourAssets
    clock: Callable[[], datetime]

    def run(self, *, deadline: Deadline, patience: Patience) -> DaysOutcome:
        """Close the days that are over, then ask for days that need healing and for older ones, newest first.

        Between two days it looks whether measurements wait, and steps back until they are done. Raises StorageError; what is
        stored by then stays.
        """
        run = _Run(days=self, store=self._store())
        stopped = run.stretch(deadline)
        while stopped in {Stopped.LEASE, Stopped.MEASUREMENTS} and patience.wait(deadline):
            stopped = run.stretch(deadline)
        tally = run.questions.tally
        return DaysOutcome(
            folded=tuple(tally.folded),
            asked=tuple(tally.asked),
            kept=tuple(tally.kept),
            failed=tuple(tally.failed),
            errors=tuple(sorted(tally.errors)),
            stopped=stopped,
            waiting=run.agenda().waiting(),
        )

    def _store(self) -> DayStore:
        return DayStore(
            cluster=self.cluster,
            collections=self.collections,
            marks=self.marks,
            hour_assets=self.hour_assets,
            folding=Folding(cluster=self.cluster, collections=self.collections),
            changes=ChangedDays(cluster=self.cluster, work=self.work),
        )


@dataclass(kw_only=True)
class _Run:
    """One run of `days`."""

    days: Days
    store: DayStore
    questions: DayQuestions = field(init=False)

    def __post_init__(self) -> None:
        cluster, work = self.days.cluster, self.days.work
        self.questions = DayQuestions(
            store=self.store,
            ledger=DayLedger(cluster=cluster, work=work),
            kept=KeptSlices(cluster=cluster, work=work, kind=SLICE),
            tally=DaysTally(),
        )

    def stretch(self, deadline: Deadline) -> Stopped:
        """Do what there is to do while it is our turn; return why it ended."""
        agenda = self.agenda()
        if not agenda.to_fold() and not agenda.settled():
            if agenda.to_ask(self.questions.tally.tried) is None:
                return Stopped.DONE
            if self._measurements_wait(agenda.now):
                return Stopped.MEASUREMENTS
        with self.days.conversations.opened(deadline) as conversation:
            if conversation is None:
                return Stopped.LEASE
            try:
                self._fold(conversation)
                return self._ask(conversation)
            except OutOfTime:
                return Stopped.TIME
            except LeaseLost:
                # We were away for longer than the lease lasts; whoever has it now goes on.
                return Stopped.LEASE

    def agenda(self) -> Agenda:
        """Read everything anew."""
        now = self.days.clock()
        ledger = Ledger(cluster=self.days.cluster, work=self.days.work)
        ledger.read()
        self.questions.ledger.read()
        today = now.astimezone(UTC).date()
        self.store.read(today - timedelta(days=self.days.history_days), today)
        return Agenda(
            days=self.store.headers,
            hours=read_headers(self.days.collections, self.days.cluster),
            owed=ledger.attempts.keys(),
            attempts=self.questions.ledger.attempts,
            history_days=self.days.history_days,
            now=now,
        )

    def _fold(self, conversation: Conversation) -> None:
        agenda = self.agenda()
        for day in agenda.settled():
            self.questions.forget(day)
        self.store.judge(conversation)
        for day in agenda.to_fold():
            self.store.fold(conversation, day, agenda.hours, agenda.now)
            self.questions.tally.folded.append(day)

    def _ask(self, conversation: Conversation) -> Stopped:
        in_a_row = 0
        while in_a_row < _FAILURES_IN_A_ROW:
            agenda = self.agenda()
            day = agenda.to_ask(self.questions.tally.tried)
            if day is None:
                return Stopped.DONE
            if not agenda.sees:
                return Stopped.BLIND
            if self._measurements_wait(agenda.now):
                return Stopped.MEASUREMENTS
            error = self.questions.ask(conversation, day, agenda.hours, agenda.now)
            if isinstance(error, OpenCostTimeout):
                break
            in_a_row = in_a_row + 1 if error else 0
        return Stopped.OPENCOST

    def _measurements_wait(self, now: datetime) -> bool:
        return bool(self.days.hours.due(now=now)) or bool(self.days.work.due(self.days.cluster, SYNC, now, 1))
