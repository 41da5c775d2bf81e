"""Slices of a window that OpenCost is too slow to answer as one, kept until all of them are there.

One invocation may have time for a single slice. The answers wait in `work`, compressed, and are removed with the window.
"""

import base64
import json
import zlib
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from costintel.collection.rfc3339 import moment_of, text_of
from costintel.cost.allocation import Allocation, LoadBalancerShare
from costintel.cost.asset import Asset, AssetType
from costintel.cost.window import HOUR, Window
from costintel.opencost.answer import WindowAnswer
from costintel.storage.work import Work

KIND = "slice"


@dataclass(frozen=True, kw_only=True)
class KeptSlices:
    """The slices of windows that are still incomplete; `kind` keeps those of hours and of days apart."""

    cluster: str
    work: Work
    kind: str = KIND

    def of(self, start: datetime) -> list[WindowAnswer]:
        """Return what is kept of the window that starts at `start`, oldest first."""
        kept = [
            _answer(item.payload) for item in self.work.all(self.cluster, self.kind) if _start(item.subject) == start
        ]
        return sorted(kept, key=lambda answer: answer.window)

    def keep(self, start: datetime, answer: WindowAnswer) -> None:
        """Keep one slice of the window that starts at `start`."""
        subject = f"{text_of(start)}/{text_of(answer.window.start)}"
        self.work.put(self.cluster, self.kind, subject, _document(answer), start + HOUR)

    def remove(self, start: datetime) -> None:
        """Forget the slices of a window that is stored."""
        subjects = [item.subject for item in self.work.all(self.cluster, self.kind) if _start(item.subject) == start]
        if subjects:
            self.work.delete(self.cluster, self.kind, subjects)


def missing_pieces(whole: Window, kept: list[WindowAnswer], span_minutes: int) -> list[Window]:
    """Return the windows of at most `span_minutes` that `kept` (oldest first) leaves open in `whole`."""
    edges = [whole.start, *(edge for answer in kept for edge in (answer.window.start, answer.window.end)), whole.end]
    gaps = [Window(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
    return [piece for gap in gaps for piece in _cut(gap, span_minutes)]


def _cut(gap: Window, span_minutes: int) -> list[Window]:
    span = HOUR * span_minutes / 60
    count = -(-(gap.end - gap.start) // span)
    return [Window(gap.start + index * span, min(gap.end, gap.start + (index + 1) * span)) for index in range(count)]


def _start(subject: str) -> datetime:
    return moment_of(subject.split("/", 1)[0])


def _document(answer: WindowAnswer) -> dict[str, Any]:
    plain = {
        "window": [text_of(answer.window.start), text_of(answer.window.end)],
        "rows": [row for rows in answer.rows_by_namespace.values() for row in rows],
        "assets": [asdict(asset) for asset in answer.assets],
        "observed": answer.observed,
        "counts": [answer.running_rows, answer.row_count, answer.node_count, answer.foreign_rows],
        "startsLate": answer.starts_late,
    }
    packed = zlib.compress(json.dumps(plain, separators=(",", ":"), allow_nan=False).encode())
    return {"zlib": base64.b64encode(packed).decode()}


def _answer(payload: dict[str, Any]) -> WindowAnswer:
    plain = json.loads(zlib.decompress(base64.b64decode(payload["zlib"])))
    rows: dict[str, list[Allocation]] = {}
    for values in plain["rows"]:
        row = Allocation._make((*values[:-1], tuple(LoadBalancerShare(*share) for share in values[-1])))
        rows.setdefault(row.namespace, []).append(row)
    running_rows, row_count, node_count, foreign_rows = plain["counts"]
    start, end = plain["window"]
    return WindowAnswer(
        window=Window(moment_of(start), moment_of(end)),
        rows_by_namespace=rows,
        assets=tuple(Asset(**{**asset, "type": AssetType(asset["type"])}) for asset in plain["assets"]),
        observed=None if plain["observed"] is None else (plain["observed"][0], plain["observed"][1]),
        running_rows=running_rows,
        row_count=row_count,
        node_count=node_count,
        starts_late=plain["startsLate"],
        foreign_rows=foreign_rows,
    )
