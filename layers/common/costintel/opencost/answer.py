"""What OpenCost answered about one window, corrected for everything the window itself decides."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from costintel.cost.allocation import Allocation
from costintel.cost.asset import Asset, AssetType
from costintel.cost.hour import observed_span
from costintel.cost.window import Window
from costintel.errors import OpenCostRefused
from costintel.opencost.assets import NodePrice, node_price, read_asset
from costintel.opencost.late_start import repaired_assets, repaired_span, repaired_unmounted, starts_late
from costintel.opencost.load_balancers import costs_by_service, relations, row_factors, scaled, without_excess
from costintel.opencost.moment import is_of, remembering
from costintel.opencost.rows import RowReader
from costintel.opencost.stream import entries

MAXIMUM_ROWS: Final = 250_000
"""Most containers one answer may hold: what a function of 512 MB can keep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowAnswer:
    """The rows and assets of one window.

    `rows_by_namespace` holds the rows of each namespace, the cluster's own unmounted volumes under `__unmounted__`.
    `observed` is the span in which OpenCost saw the cluster, as seconds [start, end); None without a running row, and then
    `assets` is empty: they lie when OpenCost sees no container (T43). `starts_late`: the backend lost the first five minutes;
    assets, unmounted rows and load balancers are repaired, running rows are not, they need the window before
    (`cost.repair.extend_late`). `foreign_rows` counts rows of other clusters: many of them and none of ours means that the
    cluster id is wrong.
    """

    window: Window
    rows_by_namespace: Mapping[str, list[Allocation]]
    assets: tuple[Asset, ...]
    observed: tuple[int, int] | None
    running_rows: int
    row_count: int
    node_count: int
    starts_late: bool
    foreign_rows: int = 0


class AnswerReader:
    """Reads the two bodies of a window: first `/assets`, whose prices the rows need, then `/allocation`."""

    def __init__(self, window: Window, *, cluster_id: str) -> None:
        self._window = window
        self._cluster_id = cluster_id
        self._assets: list[Asset] = []
        self._prices: dict[str, NodePrice] = {}
        self._rows: dict[str, list[Allocation]] = {}
        self._foreign = 0

    def read_assets(self, chunks: Iterable[bytes]) -> None:
        """Read the body of `/assets`: an object of assets, or Kubecost's list of such objects. Raises OpenCostRefused."""
        seconds = remembering()
        for _, _, entry in entries(chunks, opening="{["):
            try:
                if (entry.get("properties") or {}).get("cluster", "") != self._cluster_id:
                    continue
                ours = is_of(entry, self._window, seconds=seconds)
                asset = read_asset(entry, seconds) if ours else None
                self._keep(asset, entry)
            except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError) as error:
                raise OpenCostRefused(f"an asset has a field that cannot be read ({type(error).__name__})") from error
            if not ours:
                raise OpenCostRefused("the answer is for another window than was asked for")

    def read_allocations(self, chunks: Iterable[bytes]) -> None:
        """Read the body of `/allocation`: a list of one set of containers, or of none.

        Raises OpenCostRefused, also when more than one set holds something, when there are more rows than can be kept, or
        when the cost of half the rows is unknown: unknown is not zero.
        """
        reader = RowReader(self._window, cluster_id=self._cluster_id, prices=self._prices)
        first, count = None, 0
        for number, name, entry in entries(chunks, opening="["):
            first = number if first is None else first
            if number != first:
                raise OpenCostRefused("the answer holds several sets: expected one for the whole window")
            row = reader.read(name, entry)
            if row is not None:
                self._rows.setdefault(row.namespace, []).append(row)
                count += 1
            if count > MAXIMUM_ROWS:
                raise OpenCostRefused(f"the answer holds more than {MAXIMUM_ROWS} containers")
        if reader.unknown_costs * 2 > count:
            raise OpenCostRefused(f"the answer holds no cost for {reader.unknown_costs} of {count} containers")
        self._foreign = reader.foreign

    def answer(self) -> WindowAnswer:
        """Return both bodies as one corrected answer."""
        late = starts_late(self._assets, self._window)
        assets = self._corrected(late=late)
        running = [row for rows in self._rows.values() for row in rows if row.running]
        observed = observed_span(running, self._window)
        return WindowAnswer(
            window=self._window,
            rows_by_namespace=self._rows,
            assets=tuple(assets) if running else (),
            observed=repaired_span(observed, self._window) if late and observed else observed,
            running_rows=len(running),
            row_count=sum(map(len, self._rows.values())),
            node_count=node_count(assets) if running else 0,
            starts_late=late,
            foreign_rows=self._foreign,
        )

    def _keep(self, asset: Asset | None, entry: dict[str, Any]) -> None:
        if asset is None:
            return
        self._assets.append(asset)
        if asset.type is AssetType.NODE:
            self._prices[asset.name] = node_price(entry)

    def _corrected(self, *, late: bool) -> Sequence[Asset]:
        """Correct load balancers (T31), then what a late start took (T14), in the rows kept and in the assets returned."""
        costs = costs_by_service(row for rows in self._rows.values() for row in rows)
        known = relations(self._assets, costs)
        assets = without_excess(self._assets, known)
        if late:
            assets = repaired_assets(assets, self._window)
        factors = row_factors(assets, costs, known=known)
        for rows in self._rows.values():
            for index, row in enumerate(rows):
                whole = repaired_unmounted(row, self._window) if late and not row.running else row
                rows[index] = scaled(whole, factors) if whole.load_balancers else whole
        return assets


def node_count(assets: Iterable[Asset]) -> int:
    """Return how many nodes are among the assets."""
    return sum(asset.type is AssetType.NODE for asset in assets)
