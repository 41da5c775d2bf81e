"""The hours that are owed, kept in `work` (kind `hour`) so that no killed function forgets one."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from costintel.collection.attempt import Attempt
from costintel.collection.due import CONFIRM_AFTER
from costintel.collection.states import needs_confirmation
from costintel.cost.collection import HourHeader
from costintel.cost.hour import HourState
from costintel.storage.work import Work

KIND = "hour"


@dataclass(kw_only=True)
class Ledger:
    """The attempts of owed hours, as last read, and written through."""

    cluster: str
    work: Work
    attempts: dict[datetime, Attempt] = field(default_factory=dict)

    def read(self) -> None:
        """Read every owed hour."""
        items = [
            Attempt.parse(item.subject, item.payload, item.not_before) for item in self.work.all(self.cluster, KIND)
        ]
        self.attempts = {attempt.hour: attempt for attempt in items}

    def write(self, attempt: Attempt, *, error: str = "") -> None:
        """Keep an attempt; `error` says why the last call failed, for whoever looks into the table."""
        self.work.put(self.cluster, KIND, attempt.subject, attempt.payload, attempt.not_before)
        if error:
            self.work.postpone(
                self.cluster,
                KIND,
                attempt.subject,
                not_before=attempt.not_before,
                error=error,
                attempts=attempt.failures,
            )
        self.attempts[attempt.hour] = attempt

    def remove(self, hours: list[datetime]) -> None:
        """Forget hours that are no longer owed."""
        removed = [self.attempts.pop(hour) for hour in hours if hour in self.attempts]
        if removed:
            self.work.delete(self.cluster, KIND, [attempt.subject for attempt in removed])

    def reconcile(self, headers: dict[datetime, HourHeader], now: datetime) -> None:
        """Owe a confirmation of each hour whose only answer is doubtful, and no longer owe what is stored and sound.

        Derived from the headers alone, so that it does not matter where the last one was interrupted.
        """
        doubtful = {hour for hour, header in headers.items() if needs_confirmation(header, now)}
        for hour in doubtful:
            attempt = self.attempts.get(hour)
            if attempt is None or not attempt.confirm:
                confirm_at = headers[hour].asked_at + CONFIRM_AFTER
                self.write(Attempt(hour=hour, not_before=confirm_at, confirm=True))
        self.remove([hour for hour in self.attempts if not self._stays(hour, headers.get(hour), now)])

    def revive(self, hours: set[datetime], now: datetime) -> None:
        """Make `hours` due: OpenCost answers again."""
        for hour in hours:
            self.write(replace(self.attempts[hour], not_before=now))

    def _stays(self, hour: datetime, header: HourHeader | None, now: datetime) -> bool:
        if header is None:
            return not self.attempts[hour].confirm
        return needs_confirmation(header, now) or header.state is HourState.BEFORE_HISTORY
