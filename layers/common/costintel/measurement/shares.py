"""Divide the cluster's workloads among its Applications, so that each counts once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from costintel.cost.ownership import owns_pod
from costintel.cost.workload import Workload
from costintel.measurement.subject import Subject


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
        share = counted[owners.oldest(listed)] if listed else counted[whole[0]] if whole else unowned
        share.append(workload)
    return Shares(own=own, counted=counted, unowned=unowned)


@dataclass(slots=True)
class _Owners:
    """Who owns what, by position. `whole` holds, by namespace, those of namespace scope, the oldest first."""

    subjects: Sequence[Subject]
    whole: dict[str, list[int]] = field(default_factory=dict)
    _listed: dict[tuple[str, str], list[tuple[str, str, int]]] = field(default_factory=dict)
    """Kind, name and position of whoever lists it, by namespace and name."""
    _rank: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        here = [position for position, subject in enumerate(self.subjects) if subject.is_here]
        here.sort(key=lambda position: self.subjects[position].seniority)
        self._rank = {position: rank for rank, position in enumerate(here)}
        claimed: set[tuple[str, str, str]] = set()
        for position in here:
            subject = self.subjects[position]
            if subject.resources is None:
                self.whole.setdefault(subject.destination.namespace, []).append(position)
            for claim in subject.claims():
                if claim not in claimed:
                    claimed.add(claim)
                    self._index(*claim, position)

    def listing(self, workload: Workload) -> Sequence[int]:
        """Return who lists what `workload` belongs to.

        Looked for by the workload's name, and by what is left of it without one and two generated endings.
        """
        if not workload.running:
            return ()
        found: list[int] = []
        name = workload.controller or workload.pod
        for _ in range(3):
            for kind, listed, position in self._listed.get((workload.namespace, name), ()):
                if position not in found and owns_pod(kind, listed, workload):
                    found.append(position)
            name = _shorter(name)
        return found

    def oldest(self, positions: Sequence[int]) -> int:
        """Return the oldest of them."""
        return positions[0] if len(positions) == 1 else min(positions, key=self._rank.__getitem__)

    def _index(self, namespace: str, kind: str, name: str, position: int) -> None:
        self._listed.setdefault((namespace, name), []).append((kind, name, position))
        if kind == "job":
            # A Job's pods are also known by its name without the number at its end.
            self._listed.setdefault((namespace, _shorter(name)), []).append((kind, name, position))


def _shorter(name: str) -> str:
    return name.rpartition("-")[0]
