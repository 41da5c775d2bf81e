"""Series folded outside of the hourly run: anew after the model was mended, or for the first time when one is measured."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from costintel.collection.deadline import Deadline
from costintel.cost.application import AppRef
from costintel.history.series import Series, SeriesOutcome
from costintel.history.turns import Turns


@dataclass(frozen=True, kw_only=True)
class Refolding:
    """Folds series of one cluster from the stored days, when no other run is at it."""

    series: Series
    turns: Turns
    clock: Callable[[], datetime]

    def begin(self, applications: Collection[AppRef] | None) -> int:
        """Have the series of these Applications (None: of all) folded anew, by `go_on` or the next hourly run.

        Until then they stay as they are. Returns how many series there are. Raises StorageError.
        """
        return self.series.refold(applications)

    def go_on(self, *, deadline: Deadline) -> SeriesOutcome | None:
        """Fold what is to be folded until the deadline; None when another run is at it. Raises StorageError."""
        with self.turns.taken(deadline) as is_ours:
            return self.series.fold(now=self.clock(), deadline=deadline) if is_ours else None

    def adopt(self, applications: Collection[AppRef], *, deadline: Deadline) -> SeriesOutcome | None:
        """Fold the series of Applications measured for the first time; None when another run is at it, which may do it.

        Raises StorageError.
        """
        with self.turns.taken(deadline) as is_ours:
            return self.series.fold(now=self.clock(), deadline=deadline, only=applications) if is_ours else None
