"""The header rows of collections: an hour as it was asked, the fold of the newest 24, and a closed day."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, LiteralString

from costintel.cost.collection import HourHeader, LiveHeader, StoredHour
from costintel.cost.day import DayHeader, DaySource, DayState, StoredDay
from costintel.cost.hour import HourState
from costintel.cost.window import Window
from costintel.storage.bodies import assets_text
from costintel.storage.text import clean_text, json_text

SELECT_HOUR: LiteralString = """
SELECT window_start, window_end, state, suspect, observed_start, observed_end, running_rows, row_count, node_count,
    starts_late, asked_at, asked_count
FROM collections WHERE kind = 'hour' AND cluster = %(cluster)s"""

PUT_HOUR: LiteralString = """
INSERT INTO collections (cluster, kind, window_start, window_end, state, suspect, observed_start, observed_end, running_rows,
    row_count, node_count, starts_late, asked_at, asked_count, assets, opencost_version)
VALUES (%(cluster)s, 'hour', %(window_start)s, %(window_end)s, %(state)s, %(suspect)s, %(observed_start)s, %(observed_end)s,
    %(running_rows)s, %(row_count)s, %(node_count)s, %(starts_late)s, %(asked_at)s, %(asked_count)s, %(assets)s::jsonb,
    %(opencost_version)s)
ON CONFLICT (cluster, kind, window_start) DO UPDATE SET
    window_end = EXCLUDED.window_end, state = EXCLUDED.state, suspect = EXCLUDED.suspect,
    observed_start = EXCLUDED.observed_start, observed_end = EXCLUDED.observed_end, running_rows = EXCLUDED.running_rows,
    row_count = EXCLUDED.row_count, node_count = EXCLUDED.node_count, starts_late = EXCLUDED.starts_late,
    asked_at = EXCLUDED.asked_at, asked_count = EXCLUDED.asked_count, assets = EXCLUDED.assets,
    opencost_version = EXCLUDED.opencost_version
RETURNING id"""

PUT_LIVE: LiteralString = """
INSERT INTO collections (cluster, kind, window_start, window_end, state, running_rows, row_count, node_count, observed_spans,
    asked_at)
VALUES (%(cluster)s, 'live', %(window_start)s, %(window_end)s, 'good', 0, 0, 0, %(observed)s::jsonb, %(folded_at)s)
ON CONFLICT (cluster, kind, window_start) DO UPDATE SET
    window_end = EXCLUDED.window_end, observed_spans = EXCLUDED.observed_spans, asked_at = EXCLUDED.asked_at
RETURNING id"""

SELECT_DAY: LiteralString = """
SELECT window_start, window_end, state, source, observed_spans, asked_at, asked_count, healed
FROM collections WHERE kind = 'day' AND cluster = %(cluster)s"""

PUT_DAY: LiteralString = """
INSERT INTO collections (cluster, kind, window_start, window_end, state, source, running_rows, row_count, node_count,
    observed_spans, asked_at, asked_count, healed, assets, opencost_version)
VALUES (%(cluster)s, 'day', %(window_start)s, %(window_end)s, %(state)s, %(source)s, 0, 0, 0, %(observed)s::jsonb, %(asked_at)s,
    %(asked_count)s, %(healed)s, %(assets)s::jsonb, %(opencost_version)s)
ON CONFLICT (cluster, kind, window_start) DO UPDATE SET
    state = EXCLUDED.state, source = EXCLUDED.source, observed_spans = EXCLUDED.observed_spans, asked_at = EXCLUDED.asked_at,
    asked_count = EXCLUDED.asked_count, healed = EXCLUDED.healed, assets = EXCLUDED.assets,
    opencost_version = EXCLUDED.opencost_version
RETURNING id"""


def hour_values(stored: StoredHour) -> dict[str, Any]:
    """Return the values of PUT_HOUR. Raises InvalidInput for assets that cannot be kept."""
    header = stored.header
    return {
        "cluster": stored.cluster,
        "window_start": header.window.start,
        "window_end": header.window.end,
        "state": header.state.value,
        "suspect": header.suspect,
        "observed_start": header.observed and header.observed.start,
        "observed_end": header.observed and header.observed.end,
        "running_rows": header.running_rows,
        "row_count": header.row_count,
        "node_count": header.node_count,
        "starts_late": header.starts_late,
        "asked_at": header.asked_at,
        "asked_count": header.asked_count,
        "assets": assets_text(stored.assets),
        "opencost_version": clean_text(stored.opencost_version),
    }


def live_values(cluster: str, live: LiveHeader) -> dict[str, Any]:
    """Return the values of PUT_LIVE."""
    return {
        "cluster": cluster,
        "window_start": live.window.start,
        "window_end": live.window.end,
        "observed": _spans_text(live.observed),
        "folded_at": live.folded_at,
    }


def hour_header(row: Mapping[str, Any]) -> HourHeader:
    """Make a header of a row of SELECT_HOUR."""
    start, end = row["observed_start"], row["observed_end"]
    return HourHeader(
        window=Window(row["window_start"], row["window_end"]),
        state=HourState(row["state"]),
        suspect=row["suspect"],
        observed=None if start is None else Window(start, end),
        running_rows=row["running_rows"],
        row_count=row["row_count"],
        node_count=row["node_count"],
        starts_late=row["starts_late"],
        asked_at=row["asked_at"],
        asked_count=row["asked_count"],
    )


def live_header(row: Mapping[str, Any]) -> LiveHeader:
    """Make a header of window_start, window_end, observed_spans and asked_at."""
    return LiveHeader(
        window=Window(row["window_start"], row["window_end"]),
        observed=_spans(row["observed_spans"]),
        folded_at=row["asked_at"],
    )


def day_values(stored: StoredDay) -> dict[str, Any]:
    """Return the values of PUT_DAY. Raises InvalidInput for assets that cannot be kept."""
    header = stored.header
    return {
        "cluster": stored.cluster,
        "window_start": header.window.start,
        "window_end": header.window.end,
        "state": header.state.value,
        "source": header.source.value,
        "observed": _spans_text(header.observed),
        "asked_at": header.asked_at,
        "asked_count": header.asked_count,
        "healed": header.healed,
        "assets": assets_text(stored.assets),
        "opencost_version": clean_text(stored.opencost_version),
    }


def day_header(row: Mapping[str, Any]) -> DayHeader:
    """Make a header of a row of SELECT_DAY."""
    return DayHeader(
        window=Window(row["window_start"], row["window_end"]),
        state=DayState(row["state"]),
        source=DaySource(row["source"]),
        observed=_spans(row["observed_spans"]),
        asked_at=row["asked_at"],
        asked_count=row["asked_count"],
        healed=row["healed"],
    )


def _spans_text(observed: Iterable[Window]) -> str:
    return json_text("observed spans", [[int(span.start.timestamp()), int(span.end.timestamp())] for span in observed])


def _spans(seconds: Iterable[tuple[int, int]]) -> tuple[Window, ...]:
    return tuple(
        Window(datetime.fromtimestamp(first, UTC), datetime.fromtimestamp(last, UTC)) for first, last in seconds
    )
