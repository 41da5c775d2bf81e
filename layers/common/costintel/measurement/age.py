"""Since when a thing is known to have existed: the hours before do not count as measured."""

from collections.abc import Container
from datetime import datetime

from costintel.cost.ownership import Ownership
from costintel.cost.sync import Sync
from costintel.cost.window import Window


def known_since(
    sync: Sync,
    ownership: Ownership,
    window: Window,
    *,
    first_recorded_at: datetime | None,
    cost_before: Container[str],
) -> datetime | None:
    """Return the earliest moment before the end of `window` at which the application, or its namespace, is known to exist.

    Its creation, an earlier sync to the same destination (`first_recorded_at`), this sync itself for the time after it; for
    a whole namespace also an hour before the window in which it cost something (`cost_before` holds such namespaces).
    None when nothing is known.
    """
    moments = [sync.created_at, first_recorded_at]
    if sync.finished_at <= window.start:
        moments.append(sync.finished_at)
    if ownership.scope == "namespace" and ownership.destination_namespace in cost_before:
        moments.append(window.start)
    return min((moment for moment in moments if moment is not None and moment < window.end), default=None)


def is_known_before(sync: Sync, window: Window) -> bool:
    """Whether the sync alone tells that the application existed all through `window`."""
    return sync.finished_at <= window.start or (sync.created_at is not None and sync.created_at <= window.start)
