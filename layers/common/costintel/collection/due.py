"""Which hours are asked without anyone having asked for them."""

from datetime import datetime, timedelta

from costintel.cost.window import HOUR, newest_closed_hour

FIRST_HOURS = 24
MOST_HOURS = 48
CONFIRM_AFTER = timedelta(minutes=10)
"""A bad or suspect answer is asked for once more, this long after it came."""
GIVE_UP_AFTER = timedelta(hours=48)
"""An hour that failed for so long is missing for ever."""


def owed_hours(newest_known: datetime | None, now: datetime) -> list[datetime]:
    """Return the starts of the closed hours that nobody knows of yet, newest first.

    `newest_known` is the newest hour that is stored or already owed. Without one it is the first start: the newest 24 hours;
    later every hour since, at most 48, so that a long absence does not become a flood of questions.
    """
    newest = newest_closed_hour(now)
    count = FIRST_HOURS if newest_known is None else min(MOST_HOURS, int((newest - newest_known) / HOUR))
    return [newest - index * HOUR for index in range(max(0, count))]


def is_closed(hour: datetime, now: datetime) -> bool:
    """Whether the samples of the hour that starts at `hour` are in: it ended at least ten minutes before `now`."""
    return hour <= newest_closed_hour(now)
