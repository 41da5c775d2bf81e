"""The one place that reads the clock."""

import os
from datetime import UTC, datetime, timedelta


def now() -> datetime:
    """Return the service's time, UTC: the real clock moved by `CLOCK_OFFSET_SECONDS` (0 unless a demo or test sets it)."""
    return datetime.now(UTC) + timedelta(seconds=float(os.environ.get("CLOCK_OFFSET_SECONDS") or 0))
