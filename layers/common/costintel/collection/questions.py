"""The questions of one conversation: which hour next, and what becomes of its answer."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from costintel.collection.attempt import WHOLE_MINUTES, Attempt
from costintel.collection.conversation import Conversation, OutOfTime
from costintel.collection.kept_slices import KeptSlices, missing_pieces
from costintel.collection.ledger import Ledger
from costintel.collection.stored_hours import StoredHours
from costintel.cost.collection import HourHeader
from costintel.cost.hour import HourState
from costintel.cost.window import HOUR, Window
from costintel.errors import InvalidInput, OpenCostError, OpenCostRefused, OpenCostTimeout
from costintel.opencost.answer import WindowAnswer
from costintel.opencost.slices import join_slices

_FAILURES_IN_A_ROW = 2
"""After so many refusals the conversation ends: OpenCost is ill, not the hour."""
_LONGEST_PROBE = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsureOutcome:
    """The hours that were asked and stored, those whose call failed, and those still owed; each newest first.

    `foreign`: some answer held containers, but of other clusters only; then the configured cluster id may be wrong.
    """

    asked: tuple[datetime, ...] = ()
    failed: tuple[datetime, ...] = ()
    left: tuple[datetime, ...] = ()
    foreign: bool = False


@dataclass(kw_only=True)
class Questions:
    """Asks for `wanted` hours, one after the other, with everything learned from each answer."""

    stored: StoredHours
    ledger: Ledger
    wanted: set[datetime]
    now: datetime
    asked: list[datetime] = field(default_factory=list)
    failed: list[datetime] = field(default_factory=list)
    foreign: bool = False

    def ask_all(self, conversation: Conversation) -> EnsureOutcome:
        """Ask until nothing is due, time runs out or OpenCost fails. Raises StorageError; what is stored by then stays."""
        self._owe()
        in_a_row = 0
        while (hour := self.next()) is not None and in_a_row < _FAILURES_IN_A_ROW:
            try:
                self._ask(conversation, hour)
                in_a_row = 0
            except OutOfTime:
                break
            except OpenCostTimeout as error:
                self._fail(conversation, hour, error)
                break
            except (OpenCostError, InvalidInput) as error:
                self._fail(conversation, hour, error)
                in_a_row += 1
        return self.outcome()

    def next(self) -> datetime | None:
        """Return the newest hour that is due and was not tried yet."""
        tried = {*self.asked, *self.failed}
        return max((hour for hour in self.wanted if hour not in tried and self._is_due(hour)), default=None)

    def outcome(self) -> EnsureOutcome:
        """Return what happened so far."""
        tried = {*self.asked, *self.failed}
        left = [hour for hour in self.wanted if hour not in tried and self._is_due(hour)]
        return EnsureOutcome(
            asked=tuple(self.asked),
            failed=tuple(self.failed),
            left=tuple(sorted(left, reverse=True)),
            foreign=self.foreign,
        )

    def _is_due(self, hour: datetime) -> bool:
        attempt, header = self.ledger.attempts.get(hour), self.stored.headers.get(hour)
        if header is None:
            return attempt is None or attempt.not_before <= self.now
        if attempt is None or not attempt.confirm or attempt.not_before > self.now:
            return False
        return not self._waits_for_a_good_hour(header)

    def _waits_for_a_good_hour(self, header: HourHeader) -> bool:
        """While OpenCost has not seen anything at all, only the newest empty hour is asked again, not each of them."""
        if header.state is not HourState.BEFORE_HISTORY or self.stored.any_good():
            return False
        return header.window.start != max(self.stored.headers)

    def _owe(self) -> None:
        """Write down every hour about to be asked: a function killed at the first of them must not forget the rest."""
        for hour in sorted(self.wanted):
            if hour not in self.ledger.attempts and hour not in self.stored.headers:
                self.ledger.write(Attempt(hour=hour, not_before=self.now))

    def _ask(self, conversation: Conversation, hour: datetime) -> None:
        attempt = self.ledger.attempts[hour].begun(self.now)
        self.ledger.write(attempt)
        try:
            answer = _answer(conversation, attempt, self._kept())
        except OutOfTime:
            self.ledger.write(replace(attempt, open=0, not_before=self.now))
            raise
        self._refuse_worse(hour, answer)
        self.foreign = self.foreign or (answer.foreign_rows > 0 and not answer.row_count)
        self.stored.store(conversation, answer, self.now)
        self._stored(attempt)

    def _refuse_worse(self, hour: datetime, answer: WindowAnswer) -> None:
        """Raise OpenCostRefused if an hour asked again shows less than before: OpenCost has gone blind since."""
        header = self.stored.headers.get(hour)
        if header is None:
            return
        if (header.running_rows and not answer.running_rows) or (header.node_count and not answer.node_count):
            raise OpenCostRefused("the second answer of an hour has less than its first")

    def _stored(self, attempt: Attempt) -> None:
        self.asked.append(attempt.hour)
        header = self.stored.headers[attempt.hour]
        if attempt.confirm and header.state is HourState.BEFORE_HISTORY and not self.stored.any_good():
            wait = min(_LONGEST_PROBE, timedelta(minutes=10) * 2 ** min(header.asked_count - 1, 4))
            self.ledger.write(Attempt(hour=attempt.hour, not_before=self.now + wait, confirm=True))
        else:
            self._remove(attempt)
        self.ledger.reconcile(self.stored.headers, self.now)
        self._revive()

    def _revive(self) -> None:
        """OpenCost answered: ask again for everything that failed before this conversation."""
        failed_before = {
            hour
            for hour, attempt in self.ledger.attempts.items()
            if attempt.failures and hour not in self.failed and attempt.not_before > self.now
        }
        self.ledger.revive(failed_before, self.now)
        self.wanted |= failed_before

    def _fail(self, conversation: Conversation, hour: datetime, error: OpenCostError | InvalidInput) -> None:
        self.failed.append(hour)
        timed_out = isinstance(error, OpenCostTimeout)
        later = self.now + timedelta(seconds=conversation.closed_for_seconds)
        attempt = self.ledger.attempts[hour].failed(later, halve=timed_out)
        if not attempt.given_up(self.now):
            self.ledger.write(attempt, error=str(error))
            return
        if hour not in self.stored.headers:
            self.stored.store_missing(conversation, hour, self.now)
        self._remove(attempt)

    def _remove(self, attempt: Attempt) -> None:
        if attempt.span_minutes < WHOLE_MINUTES:
            self._kept().remove(attempt.hour)
        self.ledger.remove([attempt.hour])

    def _kept(self) -> KeptSlices:
        return KeptSlices(cluster=self.ledger.cluster, work=self.ledger.work)


def _answer(conversation: Conversation, attempt: Attempt, kept: KeptSlices) -> WindowAnswer:
    """Ask for an hour as one, or for the slices of it that are not kept yet. Raises OutOfTime or OpenCostError."""
    window = Window(attempt.hour, attempt.hour + HOUR)
    if attempt.span_minutes >= WHOLE_MINUTES:
        return conversation.answer(window)
    slices = kept.of(attempt.hour)
    for piece in missing_pieces(window, slices, attempt.span_minutes):
        answer = conversation.answer(piece)
        kept.keep(attempt.hour, answer)
        slices.append(answer)
    return join_slices(sorted(slices, key=lambda answer: answer.window), window)
