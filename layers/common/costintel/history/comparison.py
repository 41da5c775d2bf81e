"""What a sync changed: which of its figures is compared with what, and why sometimes nothing is."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from costintel.cost.chain import chains
from costintel.cost.change import Change, change
from costintel.cost.window import early_window
from costintel.history.month_figure import MonthFigure
from costintel.storage.sync_history import RecordedSync


class Against(StrEnum):
    """What the cost after a sync is compared with."""

    EARLY = "early"
    """The 24 hours before it."""
    SETTLED = "settled"
    """The 24 hours after the point before it."""
    SAME_HOURS = "same_hours"
    """The same hours of the day before: provisional."""


class NoChange(StrEnum):
    """Why it is not known what a sync changed."""

    INSTALL = "install"
    NOT_SETTLED = "not_settled"
    NOT_MEASURED = "not_measured"
    SCOPE_CHANGED = "scope_changed"
    NO_BASELINE = "no_baseline"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two figures of one scope, a month of each."""

    against: Against
    before: MonthFigure
    after: MonthFigure

    @property
    def total(self) -> float:
        """What a month costs more."""
        return (self.after.monthly_cost or 0.0) - (self.before.monthly_cost or 0.0)

    @cached_property
    def change(self) -> Change | None:
        """The same by cause; None where not every pod is known."""
        if self.before.uses is None or self.after.uses is None:
            return None
        return change(self.before.uses, self.after.uses, scales=(1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Syncs that are one point, oldest first, or an install.

    `former` is the chain before it, installs left out; `baseline` the last sync before it that has a settled figure.
    `scope_changed`: the point before it, if any, has another scope.
    """

    syncs: Sequence[RecordedSync]
    former: RecordedSync | None
    baseline: RecordedSync | None
    scope_changed: bool

    @property
    def first(self) -> RecordedSync:
        """The oldest sync: what was before it is before the chain."""
        return self.syncs[0]

    @property
    def last(self) -> RecordedSync:
        """The newest sync: what is after it is after the chain."""
        return self.syncs[-1]

    @property
    def is_crowded(self) -> bool:
        """Whether another sync falls into the window before the chain: that is no baseline."""
        return self.former is not None and self.former.finished_at >= early_window(self.first.finished_at).start


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Figures of records by their ids, filled in one by one."""

    early: dict[str, MonthFigure | None]
    settled: dict[str, MonthFigure | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One sync, one chain of them, or an install, with the figures before and after it."""

    chain: Chain
    early: MonthFigure | None
    settled: MonthFigure | None
    compared: Comparison | NoChange


def chains_of(recorded: Sequence[RecordedSync]) -> list[Chain]:
    """Return the points of an Application's records, oldest first; an install is before every sync."""
    installs = [sync for sync in recorded if sync.is_install]
    syncs = [sync for sync in recorded if not sync.is_install]
    found = [Chain(syncs=(install,), former=None, baseline=None, scope_changed=False) for install in installs]
    former = baseline = None
    for positions in chains([sync.finished_at for sync in syncs]):
        own = syncs[positions.start : positions.stop]
        changed = bool(found) and found[-1].last.scope != own[-1].scope
        found.append(Chain(syncs=own, former=former, baseline=baseline, scope_changed=changed))
        former = own[-1]
        baseline = former if former.is_settled and former.has_settled else baseline
    return found


def compared(chain: Chain, figures: Figures) -> Comparison | NoChange:
    """Return the settled figure beside the early one if that is full and no other sync is in it, else beside the last settled.

    Never figures of two scopes, or of an install, or a figure too short for a month.
    """
    if chain.last.is_install:
        return NoChange.INSTALL
    if not chain.last.is_settled:
        return NoChange.NOT_SETTLED
    after = figures.settled.get(chain.last.id)
    if after is None or after.monthly_cost is None:
        return NoChange.NOT_MEASURED
    candidates = [
        (against, before)
        for against, before in _candidates(chain, figures)
        if before.monthly_cost is not None and before.has_basis_of(after)
    ]
    for against, before in candidates:
        if before.is_comparable(after):
            return Comparison(against=against, before=before, after=after)
    return NoChange.SCOPE_CHANGED if candidates else NoChange.NO_BASELINE


def _candidates(chain: Chain, figures: Figures) -> list[tuple[Against, MonthFigure]]:
    early = figures.early.get(chain.first.id)
    settled = None if chain.baseline is None else figures.settled.get(chain.baseline.id)
    found = []
    if early is not None and early.is_full and not chain.is_crowded:
        found.append((Against.EARLY, early))
    if settled is not None:
        found.append((Against.SETTLED, settled))
    return found
