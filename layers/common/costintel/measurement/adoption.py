"""Syncs whose notification left out when they finished: which of the live list's syncs they are."""

from collections.abc import Iterable, Mapping
from datetime import timedelta

from costintel.cost.application import AppRef
from costintel.cost.live import LiveApplication, LiveSync
from costintel.measurement.listed import listed_syncs
from costintel.storage.known_syncs import KnownSync

_WITHIN = timedelta(hours=1)
"""A notification arrives within this time; the hour it arrives in stood in for the finish."""
_SKEW = timedelta(minutes=1)
"""How far Argo CD's clock may be ahead of ours."""


def adoptions(
    applications: Mapping[AppRef, LiveApplication], undated: Iterable[KnownSync]
) -> dict[AppRef, dict[str, LiveSync]]:
    """Return which listed sync each of `undated` is, by Application and id; those that no list remembers are left out."""
    found: dict[AppRef, dict[str, LiveSync]] = {}
    for known in undated:
        application = applications.get(known.application)
        sync = None if application is None else _same(known, application)
        if sync is not None:
            found.setdefault(known.application, {})[known.id] = sync
    return found


def _same(known: KnownSync, application: LiveApplication) -> LiveSync | None:
    """Return the last sync of the same revision that finished within the hour before the notification arrived."""
    earliest, latest = known.received_at - _WITHIN, known.received_at + _SKEW
    candidates = [
        sync
        for sync in listed_syncs(application)
        if earliest <= sync.finished_at <= latest and _is_of_revision(known, sync)
    ]
    return candidates[-1] if candidates else None


def _is_of_revision(known: KnownSync, sync: LiveSync) -> bool:
    """Whether the revisions agree; a template that knows one source only tells none of several."""
    return known.revision == sync.revision and tuple(known.revisions) in {(), sync.revisions}
