"""Find the owners of a pod among many applications without asking each of them."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from costintel.cost.container import ContainerCost
from costintel.cost.ownership import Ownership, owns_pod

Key = TypeVar("Key", bound=Hashable)


class Owners(Generic[Key]):
    """Ownerships by key (whatever names one: a sync's id, an Application), indexed by the names that could own a pod."""

    def __init__(self, ownerships: Mapping[Key, Ownership]) -> None:
        self._claims: dict[tuple[str, str], list[tuple[str, str, Key]]] = {}
        self._whole: dict[str, list[Key]] = {}
        for key, ownership in ownerships.items():
            if ownership.resources is None:
                self._whole.setdefault(ownership.destination_namespace, []).append(key)
            else:
                self._index(key, ownership)

    def of(self, row: ContainerCost) -> set[Key]:
        """Return the keys of the ownerships that own `row`; storage that nothing uses belongs to whole namespaces only."""
        keys = set(self._whole.get(row.namespace, ()))
        if row.running:
            keys.update(key for kind, name, key in self._candidates(row) if owns_pod(kind, name, row))
        return keys

    def split(self, rows: Sequence[ContainerCost], into: dict[Key, list[ContainerCost]]) -> None:
        """Append each row to the lists of its owners."""
        for row in rows:
            for key in self.of(row):
                into.setdefault(key, []).append(row)

    def _index(self, key: Key, ownership: Ownership) -> None:
        for namespace, kind, name in ownership.claims():
            if (namespace, kind, name) in ownership.foreign:
                continue
            # A Job's pods are also known by its name without the number at its end.
            names = {name, _shorter(name)} if kind == "job" else {name}
            for one in names:
                self._claims.setdefault((namespace, one), []).append((kind, name, key))

    def _candidates(self, row: ContainerCost) -> Iterator[tuple[str, str, Key]]:
        for name in _possible_owners(row.controller or row.pod):
            yield from self._claims.get((row.namespace, name), ())


def _possible_owners(name: str) -> tuple[str, str, str]:
    """Return a generated name and what is left of it without one and without two of its endings.

    The owner's name followed by at most two generated parts: all that `owns_pod` ever accepts.
    """
    return name, _shorter(name), _shorter(_shorter(name))


def _shorter(name: str) -> str:
    return name.rpartition("-")[0]
