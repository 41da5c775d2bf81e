"""Points of the trend as they are served: camelCase JSON, the parts of a change adding up to it to the last digit."""

from math import fsum
from typing import Any

from costintel.collection.rfc3339 import text_of
from costintel.cost.amounts import round_amount, round_parts
from costintel.cost.change import Change, ChangeParts, Controller
from costintel.history.comparison import Comparison, NoChange, Point
from costintel.storage.sync_history import RecordedSync

MOST_CONTROLLERS = 10
MOST_SYNCS = 50
"""Of a chain: whoever syncs every minute has thousands in two days."""
_PARTS = ("replicas", "size", "price", "added", "removed", "storage", "network", "loadBalancer")


def point_document(point: Point, *, provisional: Comparison | None) -> dict[str, Any]:
    """Return a point; its change is null until it is settled, and then where nothing can be compared."""
    chain, found = point.chain, point.compared
    return {
        "id": chain.last.id,
        "measuredOn": "install" if chain.last.is_install else "sync",
        "syncCount": len(chain.syncs),
        "syncs": [_sync(sync) for sync in chain.syncs[-MOST_SYNCS:]],
        "scope": chain.last.scope,
        "scopeChanged": chain.scope_changed,
        "early": None if point.early is None else point.early.summary,
        "settled": None if point.settled is None else point.settled.summary,
        "settlesAt": None if chain.last.settles_at is None else text_of(chain.last.settles_at),
        "isSettled": chain.last.is_settled,
        "change": _change(found) if isinstance(found, Comparison) else None,
        "noChange": found.value if isinstance(found, NoChange) else None,
        "provisional": None if provisional is None else _change(provisional),
    }


def _sync(sync: RecordedSync) -> dict[str, Any]:
    return {
        "id": sync.id,
        "revision": sync.revision,
        "revisions": list(sync.revisions),
        "finishedAt": None if sync.is_install else text_of(sync.finished_at),
        "initiatedBy": sync.initiated_by,
    }


def _change(comparison: Comparison) -> dict[str, Any]:
    taken_apart = comparison.change
    return {
        "against": comparison.against.value,
        "before": comparison.before.summary["window"],
        "after": comparison.after.summary["window"],
        "basisHours": comparison.after.summary["basisHours"],
        "total": round_amount(comparison.total),
        "parts": None if taken_apart is None else _parts(taken_apart.parts, round_amount(comparison.total)),
        "controllers": [] if taken_apart is None else _controllers(taken_apart),
    }


def _parts(parts: ChangeParts, total: float) -> dict[str, float]:
    """Return the parts, which add up to `total`.

    The costs of containers are stored with six decimals; what their sums lack of the total, millionths, goes to the price.
    """
    amounts = dict(zip(_PARTS, parts.parts().values(), strict=True))
    amounts["price"] += total - fsum(amounts.values())
    return dict(zip(_PARTS, round_parts(list(amounts.values()), total), strict=True))


def _controllers(found: Change) -> list[dict[str, Any]]:
    """Return the controllers that changed most."""
    changed = [(controller, parts) for controller, parts in found.controllers.items() if round_amount(parts.total)]
    changed.sort(key=lambda entry: (-abs(entry[1].total), entry[0]))
    return [_controller(controller, parts) for controller, parts in changed[:MOST_CONTROLLERS]]


def _controller(controller: Controller, parts: ChangeParts) -> dict[str, Any]:
    namespace, kind, name = controller
    total = round_amount(parts.total)
    return {"namespace": namespace, "kind": kind, "name": name, "total": total, "parts": _parts(parts, total)}
