"""The newest 24 clock hours, folded once after they changed and kept for whoever reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from costintel.collection.folding import Folding, observed_spans
from costintel.collection.stored_hours import read_headers
from costintel.cost.collection import HourHeader, LiveHeader
from costintel.cost.window import HOUR, Window
from costintel.storage.collections import Collections

LIVE_HOURS = 24


@dataclass(frozen=True, kw_only=True)
class Live:
    """The materialized fold of the 24 clock hours that end with the newest stored hour, whatever their states."""

    cluster: str
    collections: Collections
    folding: Folding

    def refresh(self, *, now: datetime) -> bool:
        """Fold anew if an hour was stored, or judged differently, since the last fold; return whether it was done.

        Decided from what is stored, so that a function killed between storing and folding is made up for by the next.
        """
        headers = read_headers(self.collections, self.cluster)
        if not headers:
            return False
        window = Window.of_hours(max(headers) + HOUR, LIVE_HOURS)
        if self._current(window, headers) is not None:
            return False
        live = LiveHeader(window=window, observed=observed_spans(headers, window), folded_at=now)
        self.collections.store_live(self.cluster, live, self.folding.namespaces(window, None))
        return True

    def covering(self, window: Window) -> LiveHeader | None:
        """Return the fold's header if it is the fold of the hours of `window` as they are stored now, else None."""
        return self._current(window, read_headers(self.collections, self.cluster))

    def _current(self, window: Window, headers: Mapping[datetime, HourHeader]) -> LiveHeader | None:
        live = self.collections.live(self.cluster)
        if live is None or live.window != window or live.observed != observed_spans(headers, window):
            return None
        hours = [headers[hour] for hour in window.clock_hours() if hour in headers]
        return live if all(header.asked_at <= live.folded_at for header in hours) else None
