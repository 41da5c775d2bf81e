"""Days whose containers changed and that the series of Applications do not show yet, kept in `work`."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from costintel.storage.work import Work

KIND = "changed_day"


@dataclass(frozen=True, kw_only=True)
class ChangedDays:
    """Noted before a day is stored, so that nothing stored goes unnoticed; forgotten when every series shows it."""

    cluster: str
    work: Work

    def note(self, day: date, now: datetime) -> None:
        """Remember that `day` is about to change."""
        self.work.put(self.cluster, KIND, day.isoformat(), {}, now)

    def all(self) -> set[date]:
        """Return the days that changed."""
        return {date.fromisoformat(item.subject) for item in self.work.all(self.cluster, KIND)}

    def done(self, days: Iterable[date]) -> None:
        """Forget days that every series shows."""
        self.work.delete(self.cluster, KIND, [day.isoformat() for day in days])
