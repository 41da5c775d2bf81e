"""Hours of the cluster, each asked from OpenCost once: whoever needs some calls `ensure`, and one of them asks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from costintel.collection.attempt import Attempt
from costintel.collection.conversation import Conversation, Conversations
from costintel.collection.deadline import Deadline
from costintel.collection.due import is_closed, owed_hours
from costintel.collection.ledger import Ledger
from costintel.collection.questions import EnsureOutcome, Questions
from costintel.collection.states import any_good
from costintel.collection.stored_hours import StoredHours, read_headers
from costintel.cost.collection import HourHeader
from costintel.cost.window import newest_closed_hour
from costintel.storage.collections import Collections
from costintel.storage.leases import LeaseLost
from costintel.storage.work import Work

_KEPT_FOR = timedelta(hours=50)
"""How long an hour is kept after it was asked: the 24 hours of a fold, the day around it, and two hours to spare."""


@dataclass(frozen=True, kw_only=True)
class Hours:
    """The stored hours of one cluster and the way to get more of them."""

    cluster: str
    conversations: Conversations
    collections: Collections
    work: Work

    def due(self, *, now: datetime) -> list[datetime]:
        """Return the hours to ask without anyone having asked for them, newest first: new ones, failed ones, doubtful ones."""
        headers, ledger = self._read()
        ledger.reconcile(headers, now)
        newest_known = max([*headers, *ledger.attempts], default=None)
        waiting = [attempt.hour for attempt in ledger.attempts.values() if attempt.not_before <= now]
        return sorted({*owed_hours(newest_known, now), *waiting}, reverse=True)

    def ensure(self, hours: Sequence[datetime], *, now: datetime, deadline: Deadline) -> EnsureOutcome:
        """Ask OpenCost for those of `hours` that are due, newest first, if nobody else is asking.

        Due is a closed hour that is not stored, unless it failed a moment ago, and a doubtful one whose second asking has come.
        Nobody waits for the lease: what is not asked is `left`, and stays owed. Raises StorageError.
        """
        headers, ledger = self._read()
        wanted = {hour for hour in hours if is_closed(hour, now)}
        questions = Questions(
            stored=StoredHours(cluster=self.cluster, collections=self.collections, headers=headers),
            ledger=ledger,
            wanted=wanted,
            now=now,
        )
        if questions.next() is None:
            return EnsureOutcome()
        with self.conversations.opened(deadline) as conversation:
            if conversation is None or not conversation.has_time:
                return questions.outcome()
            # What was read before the lease was ours may be out of date.
            questions.stored.headers = read_headers(self.collections, self.cluster)
            ledger.read()
            return self._ask(questions, conversation)

    def _ask(self, questions: Questions, conversation: Conversation) -> EnsureOutcome:
        try:
            return questions.ask_all(conversation)
        except LeaseLost:
            # We were away for longer than the lease lasts; whoever has it now asks on.
            return questions.outcome()

    def wake_newest(self, *, now: datetime) -> list[datetime]:
        """While no stored hour is good, make the newest closed hour due at once, however it was answered; return it."""
        headers, ledger = self._read()
        if any_good(headers.values()):
            return []
        hour = newest_closed_hour(now)
        attempt = ledger.attempts.get(hour)
        if hour in headers:
            ledger.write(replace(attempt or Attempt(hour=hour, not_before=now), not_before=now, confirm=True))
        elif attempt is not None:
            ledger.write(replace(attempt, not_before=now))
        return [hour]

    def prune(self, *, now: datetime, needed_from: datetime | None) -> int:
        """Remove hours 50 h after they were asked, but none from `needed_from` on; return how many."""
        return self.collections.prune_hours(self.cluster, asked_before=now - _KEPT_FOR, needed_from=needed_from)

    def _read(self) -> tuple[dict[datetime, HourHeader], Ledger]:
        ledger = Ledger(cluster=self.cluster, work=self.work)
        ledger.read()
        return read_headers(self.collections, self.cluster), ledger
