"""Change what is noted of stored days and leave their containers alone."""

from collections.abc import Iterable

from costintel.cost.day import DayHeader
from costintel.storage.connection import Database
from costintel.storage.leases import Lease, require_lease


class DayMarks:
    """The headers of kind `day` in `collections`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, lease: Lease, headers: Iterable[DayHeader]) -> None:
        """Write state, and when and how often each day was asked for; a day that is not stored stays so.

        All of it, or nothing. Raises LeaseLost when somebody else has the lease by then.
        """
        with self._database.transaction():
            for header in headers:
                self._database.execute(
                    """
                    UPDATE collections SET state = %s, asked_at = %s, asked_count = %s
                    WHERE cluster = %s AND kind = 'day' AND window_start = %s
                    """,
                    [header.state.value, header.asked_at, header.asked_count, lease.cluster, header.window.start],
                )
            require_lease(self._database, lease)
