"""What the stored hours say about windows, read once for many of them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from costintel.collection.states import needs_confirmation
from costintel.cost.collection import HourHeader
from costintel.cost.window import INGESTION_DELAY, Window


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWindows:
    """The stored hours by start, as of `now`."""

    headers: Mapping[datetime, HourHeader]
    now: datetime
    _bases: dict[Window, str] = field(default_factory=dict, init=False, repr=False)

    def is_final(self, window: Window) -> bool:
        """Whether each hour of `window` is stored in some state: nothing more will come."""
        return all(hour in self.headers for hour in window.clock_hours())

    def is_over(self, window: Window) -> bool:
        """Whether the newest hour of `window` can be asked."""
        return over_at(window) <= self.now

    def awaits_confirmation(self, window: Window) -> bool:
        """Whether an answer of `window` is doubtful and will be asked once more."""
        return any(needs_confirmation(header, self.now) for header in self._of(window))

    def basis(self, window: Window) -> str:
        """Return a name for the answers of `window` and what they are worth; another answer or judgement is another name."""
        if window not in self._bases:
            self._bases[window] = self._named(window)
        return self._bases[window]

    def _named(self, window: Window) -> str:
        text = ";".join(
            f"{header.window.start.isoformat()} {header.state} {header.asked_count}" for header in self._of(window)
        )
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _of(self, window: Window) -> list[HourHeader]:
        return [self.headers[hour] for hour in window.clock_hours() if hour in self.headers]


def over_at(window: Window) -> datetime:
    """Return when the newest hour of `window` can be asked: ten minutes after its end."""
    return window.end + INGESTION_DELAY
