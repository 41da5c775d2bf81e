"""How long to wait before trying again."""

from datetime import timedelta

_LONGEST = timedelta(minutes=30)


def backoff(attempts: int) -> timedelta:
    """Return the wait after `attempts` tries in a row that came to nothing: 1, 2, 4, 8, 16, then 30 minutes for ever."""
    return min(_LONGEST, timedelta(minutes=2 ** min(max(0, attempts - 1), 5)))
