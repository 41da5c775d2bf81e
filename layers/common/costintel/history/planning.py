"""Which series lack which days, and what is needed to fold them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from costintel.cost.application import AppRef
from costintel.cost.daily import DailyProgress
from costintel.cost.day import day_window
from costintel.history.census import Census, Member
from costintel.history.coverage import Coverage, Covered
from costintel.history.lists import Lists, sharing
from costintel.storage.daily import Daily
from costintel.storage.folded_days import FoldedDays, SeriesKey
from costintel.storage.record_history import RecordHistory, Since

STALE = "stale"
"""A mark that no series is ever folded with."""
Progress = Mapping[SeriesKey, DailyProgress]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The series to fold, and the lists of whoever may own something on the days they lack.

    `former` are the series of Applications in a scope that is theirs no more.
    """

    coverages: Mapping[AppRef, Coverage]
    lists: Lists
    former: Sequence[SeriesKey]

    def lacking(self, changed: Collection[date], only: Collection[AppRef] | None) -> dict[date, list[AppRef]]:
        """Return who lacks each day; of `only` those Applications, None for all."""
        lacking: dict[date, list[AppRef]] = {}
        for application, coverage in self.coverages.items():
            if only is None or application in only:
                for day in coverage.lacks(changed):
                    lacking.setdefault(day, []).append(application)
        return lacking


@dataclass(frozen=True, kw_only=True)
class Planner:
    """Reads what the series cover and finds what they lack."""

    cluster: str
    daily: Daily
    folded: FoldedDays
    records: RecordHistory

    def plan(self, census: Census, observed: Sequence[date], changed: Collection[date]) -> Plan:
        """Return what to fold; `observed` are the days that have something, oldest first, `changed` those to fold anew.

        Whoever shares a workload with a series to be folded from the beginning is to be folded so, too; that is written down
        before anything else, because once the one is folded nothing else would tell. Raises StorageError.
        """
        progress = {(one.application, one.scope): one for one in self.daily.all_progress(self.cluster)}
        coverages = self._coverages(census, observed, progress)
        lists = Lists()
        stale = [name for name, coverage in coverages.items() if coverage.covered is None]
        self._load(lists, stale, coverages)
        near = self._near(lists, stale, coverages)
        self._load(lists, near, coverages)
        affected = list(sharing(lists, stale, near))
        self._spoil(affected, coverages, progress)
        self._load_rest(lists, coverages, changed, loaded={*stale, *near})
        former = [key for key in progress if key[0] in coverages and coverages[key[0]].member.scope != key[1]]
        return Plan(coverages=coverages, lists=lists, former=former)

    def _coverages(self, census: Census, observed: Sequence[date], progress: Progress) -> dict[AppRef, Coverage]:
        wanted = self._wanted(census, observed, progress)
        targets = {name: day_window(days[-1]).end for name, days in wanted.items()}
        reached = {
            name: day_window(one.folded_until).end
            for name in wanted
            if (one := progress.get(_key(census.members[name]))) is not None
        }
        marks = self.records.marks(self.cluster, targets)
        elsewhere = {name: moment for name, moment in reached.items() if moment != targets[name]}
        former = {**marks, **self.records.marks(self.cluster, elsewhere)}
        return {
            name: Coverage(
                member=census.members[name],
                days=days,
                mark=_mark(census.members[name], marks),
                covered=_covered(progress.get(_key(census.members[name])), _mark(census.members[name], former)),
            )
            for name, days in wanted.items()
            if name in marks
        }

    def _wanted(self, census: Census, observed: Sequence[date], progress: Progress) -> dict[AppRef, Sequence[date]]:
        """Return the days each series is to cover: all, but of one that is gone none after the first without cost."""
        gone = [_key(member) for member in census.members.values() if census.is_trusted and member.is_gone]
        ended = [key for key in gone if key in progress]
        bounds = self.folded.bounds(self.cluster, ended) if ended else {}
        wanted: dict[AppRef, Sequence[date]] = dict.fromkeys(census.members, observed)
        for key in ended:
            until = [day for day in observed if day <= progress[key].folded_until]
            if not until or key not in bounds or bounds[key][1] != until[-1]:
                wanted[key[0]] = until
        return {name: days for name, days in wanted.items() if days}

    def _load(self, lists: Lists, names: Iterable[AppRef], coverages: Mapping[AppRef, Coverage]) -> None:
        wanted = {
            name: Since(moment=day_window(coverages[name].days[0]).end, is_whole=coverages[name].member.is_whole)
            for name in names
        }
        if wanted:
            lists.add(self.records.listed(self.cluster, wanted))

    def _near(self, lists: Lists, stale: Collection[AppRef], coverages: Mapping[AppRef, Coverage]) -> list[AppRef]:
        """Return those that ever listed something in a namespace of `stale`."""
        if not stale or len(stale) == len(coverages):
            return []
        touching = self.records.touching(self.cluster, lists.namespaces(stale))
        return sorted(touching.intersection(coverages).difference(stale))

    def _spoil(self, affected: Iterable[AppRef], coverages: Mapping[AppRef, Coverage], progress: Progress) -> None:
        known = [progress[_key(coverages[name].member)] for name in affected]
        self.daily.save_progress(self.cluster, [replace(one, ownership=STALE) for one in known])
        for one in known:
            coverages[one.application].covered = None

    def _load_rest(
        self,
        lists: Lists,
        coverages: Mapping[AppRef, Coverage],
        changed: Collection[date],
        *,
        loaded: Collection[AppRef],
    ) -> None:
        """Load the lists of everybody else from the first day on that one of them lacks."""
        rest = [name for name in coverages if name not in loaded]
        lacking = [day for name in coverages for day in coverages[name].lacks(changed) if coverages[name].covered]
        if rest and lacking:
            moment = day_window(min(lacking)).end
            wanted = {name: Since(moment=moment, is_whole=coverages[name].member.is_whole) for name in rest}
            lists.add(self.records.listed(self.cluster, wanted))


def _key(member: Member) -> SeriesKey:
    return (member.application, member.scope)


def _mark(member: Member, marks: Mapping[AppRef, str]) -> str:
    return f"{marks.get(member.application, STALE)}{' gone' if member.is_gone else ''}"


def _covered(progress: DailyProgress | None, mark: str) -> Covered | None:
    """Return what a series covers, None if its records say something else now than when it was folded."""
    if progress is None or progress.ownership != mark:
        return None
    return Covered(first=progress.folded_from, last=progress.folded_until, mark=mark)
