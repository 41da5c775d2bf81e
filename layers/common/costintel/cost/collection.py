"""Headers of what is collected: the hours as asked, and the fold of the newest 24."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from costintel.cost.allocation import Allocation
from costintel.cost.asset import Asset
from costintel.cost.hour import HourState
from costintel.cost.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class HourHeader:
    """One asked clock hour of the cluster, without its rows.

    `observed` is the span in which OpenCost saw the cluster, None without a running row. `starts_late`: the backend lost the
    first five minutes of this window (T14), so running rows that began before it start at :05. `asked_count` counts answers.
    """

    window: Window
    state: HourState
    suspect: bool
    observed: Window | None
    running_rows: int
    row_count: int
    node_count: int
    starts_late: bool
    asked_at: datetime
    asked_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredHour:
    """One asked hour with everything that is kept of it."""

    cluster: str
    header: HourHeader
    rows_by_namespace: Mapping[str, Sequence[Allocation]]
    assets: Sequence[Asset]
    opencost_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveHeader:
    """The fold of the 24 clock hours that end with the newest stored hour, whatever their states.

    `observed` are the observed spans of its good hours, oldest first; `folded_at` is when it was made.
    """

    window: Window
    observed: tuple[Window, ...]
    folded_at: datetime
