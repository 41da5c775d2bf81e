"""Divide the cluster's workloads among its Applications, so that each counts once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from costintel.cost.ownership import owns_pod
from costintel.cost.workload import Workload
from costintel.measurement.subject import Subject

_Claim = tuple[str, str, str]
"""Namespace, kind in lower case, name."""
_UNCLAIMED = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Workloads by the position of their Application.

    `own` are those of an Application's own figure: several with namespace scope in one namespace each have all of it. `counted`
    are those that count at this Application and at no other; together with `unowned` they are all workloads, each once.
    """

    own: Sequence[Sequence[Workload]]
    counted: Sequence[Sequence[Workload]]
    unowned: Sequence[Workload]


def divide(workloads: Iterable[Workload], subjects: Sequence[Subject]) -> Shares:
    """Divide `workloads` among those of `subjects` that deploy here.

    What several list belongs to the older one, for its own figure too. What nobody lists belongs to every Application of whole
    namespace scope there, and counts at the oldest of them; so does what is not running.
    """
    owners = _Owners(subjects)
    own: list[list[Workload]] = [[] for _ in subjects]
    counted: list[list[Workload]] = [[] for _ in subjects]
    unowned: list[Workload] = []
    for workload in workloads:
        listed, whole = owners.listing(workload), owners.whole.get(workload.namespace, ())
        for position in (*listed, *whole):
            own[position].append(workload)
        first = owners.oldest(listed) if listed else whole[0] if whole else _UNCLAIMED
        (unowned if first == _UNCLAIMED else counted[first]).append(workload)
    return Shares(own=own, counted=counted, unowned=unowned)


@dataclass(slots=True)
class _Owners:
    """Who owns what, by position. `whole` holds, by namespace, those of namespace scope, the oldest first."""

    subjects: Sequence[Subject]
    whole: dict[str, list[int]] = field(default_factory=dict)
    _listed: dict[tuple[str, str], list[tuple[str, str, int]]] = field(default_factory=dict)
    _rank: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        here = (position for position, subject in enumerate(self.subjects) if subject.is_here)
        ordered = sorted(here, key=lambda position: self.subjects[position].seniority)
        self._rank = {position: rank for rank, position in enumerate(ordered)}
        claimed: set[_Claim] = set()
        for position in ordered:
            subject = self.subjects[position]
            if subject.resources is None:
                self.whole.setdefault(subject.destination.namespace, []).append(position)
                continue
            for claim in subject.claims():
                if claim not in claimed:
                    claimed.add(claim)
                    self._index(claim, position)

    def listing(self, workload: Workload) -> tuple[int, ...]:
        """Return who lists what `workload` belongs to."""
        if not workload.running:
            return ()
        found = {position for kind, name, position in self._candidates(workload) if owns_pod(kind, name, workload)}
        return tuple(found)

    def oldest(self, positions: Iterable[int]) -> int:
        """Return the oldest of them."""
        return min(positions, key=self._rank.__getitem__)

    def _index(self, claim: _Claim, position: int) -> None:
        namespace, kind, name = claim
        # A Job's pods are also known by its name without the number at its end.
        for one in {name, _shorter(name)} if kind == "job" else (name,):
            self._listed.setdefault((namespace, one), []).append((kind, name, position))

    def _candidates(self, workload: Workload) -> Iterator[tuple[str, str, int]]:
        """Yield whoever lists the workload's name, or what is left of it without one or two generated endings."""
        name = workload.controller or workload.pod
        once = _shorter(name)
        for one in (name, once, _shorter(once)):
            yield from self._listed.get((workload.namespace, one), ())


def _shorter(name: str) -> str:
    return name.rpartition("-")[0]
