"""The tables of live objects: each holds what the last complete list of its kind showed."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, LiteralString, TypeVar

from psycopg.rows import dict_row, tuple_row

from costintel.cost.live import ListOutcome
from costintel.storage.batches import Columns, upsert_statement, write_rows
from costintel.storage.connection import Database
from costintel.storage.live_lists import LiveLists, LiveListStatus, note_outcome
from costintel.storage.text import clean_json, clean_text

Item = TypeVar("Item")
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape(Generic[Item]):
    """How a kind of live object is kept.

    `key` are the columns (text) that name one within its cluster, `values` the others with their types; `row` gives all of
    them as JSON values, `item` makes the object of a row that was read.
    """

    kind: str
    table: LiteralString
    key: tuple[LiteralString, ...]
    values: Columns
    row: Callable[[Item], dict[str, Any]]
    item: Callable[[dict[str, Any]], Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What a list changed: rows written because they are new or different, and rows removed."""

    written: int = 0
    removed: int = 0


class LiveTable(Generic[Item]):
    """The objects of one kind, by cluster."""

    def __init__(self, database: Database, shape: Shape[Item]) -> None:
        self._database = database
        self._shape = shape
        columns = ", ".join((*shape.key, *shape.values))
        self._order: LiteralString = ", ".join(shape.key)
        self._select: LiteralString = f"SELECT {columns} FROM {shape.table} WHERE cluster = %(cluster)s"  # noqa: S608  constants

    def replace(self, cluster: str, outcome: ListOutcome[Item]) -> Replaced:
        """Make what is stored what a complete list shows, at once: what is new or different is written, what is absent removed.

        A list that is not complete is noted and changes no row. One begun before the newest noted list changes nothing. Of
        several objects of the same name the first counts. Text that PostgreSQL refuses is cleaned.
        """
        with self._database.transaction():
            if not note_outcome(self._database, cluster, self._shape.kind, outcome) or not outcome.complete:
                return Replaced()
            absent = self._digests(cluster)
            written = write_rows(self._database, self._upsert(), self._changed(cluster, outcome.items, absent))
            return Replaced(written=written, removed=self._remove(cluster, list(absent)))

    def all(self, cluster: str) -> Iterator[Item]:
        """Yield every object by namespace and name; a few are in memory at a time (see Database.stream)."""
        rows = self._database.stream(dict_row, f"{self._select} ORDER BY {self._order}", {"cluster": cluster})
        return map(self._shape.item, rows)

    def status(self, cluster: str) -> LiveListStatus | None:
        """Return how the newest list went, None before the first."""
        return LiveLists(self._database).status(cluster, self._shape.kind)

    def _where(self, condition: LiteralString, **parameters: Any) -> list[Item]:  # noqa: ANN401  whatever the condition compares
        query: LiteralString = f"{self._select} AND {condition}"
        return [self._shape.item(row) for row in self._database.fetch_all(dict_row, query, parameters)]

    def _digests(self, cluster: str) -> dict[Key, str]:
        query: LiteralString = f"SELECT {self._order}, digest FROM {self._shape.table} WHERE cluster = %s"  # noqa: S608  constants
        return {tuple(row[:-1]): row[-1] for row in self._database.fetch_all(tuple_row, query, [cluster])}

    def _changed(self, cluster: str, items: Sequence[Item], stored: dict[Key, str]) -> Iterator[str]:
        """Yield the rows that differ from what is `stored`, as JSON; what is left of `stored` at the end is absent."""
        seen: set[Key] = set()
        for item in items:
            row = self._shape.row(item)
            key: Key = tuple(clean_text(row[name]) for name in self._shape.key)
            if key in seen:
                continue
            seen.add(key)
            text = clean_json({"cluster": cluster, **row})
            digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
            if stored.pop(key, None) != digest:
                yield f'{text[:-1]},"digest":"{digest}"}}'

    def _remove(self, cluster: str, keys: Sequence[Key]) -> int:
        if not keys:
            return 0
        names = self._shape.key
        arrays: LiteralString = ", ".join("%s::text[]" for _ in names)
        statement: LiteralString = (
            f"DELETE FROM {self._shape.table} WHERE cluster = %s"  # noqa: S608  constants
            f" AND ({self._order}) IN (SELECT * FROM unnest({arrays}))"
        )
        return self._database.execute(statement, [cluster, *(list(column) for column in zip(*keys, strict=True))])

    def _upsert(self) -> LiteralString:
        key: Columns = {"cluster": "text", **dict.fromkeys(self._shape.key, "text")}
        return upsert_statement(self._shape.table, key=key, values={**self._shape.values, "digest": "text"})
