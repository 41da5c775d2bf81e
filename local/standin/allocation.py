"""The rows of a window: computed for the whole cluster in batches of 24 hours, as OpenCost does it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from local.standin.container import container_rows
from local.standin.load_balancer import add_load_balancers
from local.standin.row import Identity, Row
from local.standin.sampling import Window
from local.standin.view import View
from local.standin.volume import PodKey, UnattachedRows, add_volumes

BATCH_SECONDS = 24 * 3600

ViewOf = Callable[[Window], View]


def window_rows(window: Window, view_of: ViewOf) -> dict[str, Row]:
    """Unaggregated rows by key, sorted by it; a window over 24 hours is the sum of its batches."""
    batches = [_batch_rows(view_of(part)) for part in split(window, BATCH_SECONDS)]
    if len(batches) == 1:
        return batches[0]
    members: dict[str, list[Row]] = defaultdict(list)
    for batch in batches:
        for key, row in batch.items():
            members[key].append(row)
    return {key: _joined(members[key]) for key in sorted(members)}


def split(window: Window, step: int) -> list[Window]:
    """Consecutive windows of `step` seconds from the window's start, the last one cut at its end."""
    starts = range(window.start, window.end, step)
    return [Window(start, min(start + step, window.end), window.left_open) for start in starts]


def _joined(rows: list[Row]) -> Row:
    """Batches of one container: still one container, with its highest peaks and its latest labels."""
    joined = Row.merged(rows)
    joined.identity = rows[-1].identity
    joined.has_peaks = any(row.has_peaks for row in rows)
    joined.cpu_peak_cores = max(row.cpu_peak_cores for row in rows)
    joined.ram_peak_bytes = max(row.ram_peak_bytes for row in rows)
    joined.spans_batches = True
    return joined


def _batch_rows(view: View) -> dict[str, Row]:
    rows = list(container_rows(view))
    unattached = UnattachedRows(view)
    add_volumes(view, _by_pod(rows), unattached)
    add_load_balancers(view, rows, unattached)
    by_key = {row.raw_key: row for row in (*rows, *unattached.rows.values())}
    return {key: by_key[key] for key in sorted(by_key)}


def _by_pod(rows: Iterable[Row]) -> Mapping[PodKey, list[Row]]:
    """Rows that can carry a volume, by pod."""
    by_pod: dict[PodKey, list[Row]] = defaultdict(list)
    for row in rows:
        if row.is_running:
            by_pod[row.identity.namespace, row.identity.pod].append(row)
    return by_pod


def idle_row(cluster: str, nodes: Iterable[Row], rows: Iterable[Row], *, never_negative: bool) -> Row | None:
    """`__idle__`: what the nodes cost beyond what the rows cost, per resource; None without nodes."""
    machines, carried = list(nodes), list(rows)
    if not machines:
        return None
    idle = Row(
        identity=Identity(cluster=cluster),
        start=min(node.start for node in machines),
        end=max(node.end for node in machines),
        spans_batches=True,
    )
    lowest = 0.0 if never_negative else float("-inf")
    for cost in ("cpu_cost", "ram_cost", "gpu_cost"):
        unused = sum(getattr(node, cost) for node in machines) - sum(getattr(row, cost) for row in carried)
        setattr(idle, cost, max(lowest, unused))
    return idle
