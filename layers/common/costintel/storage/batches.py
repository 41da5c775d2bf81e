"""Many rows in few statements, a bounded piece of them in memory at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import LiteralString, TypeVar

from costintel.storage.connection import Database

Item = TypeVar("Item")
Columns = Mapping[LiteralString, LiteralString]
"""Names of columns and their SQL types."""

BATCH_CHARACTERS = 1_000_000
"""How much text is in memory at once on its way to PostgreSQL."""


def batches(items: Iterable[Item], *, characters: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Yield `items` in lists, each ended by the item with which it reaches BATCH_CHARACTERS."""
    batch: list[Item] = []
    total = 0
    for item in items:
        batch.append(item)
        total += characters(item)
        if total >= BATCH_CHARACTERS:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def upsert_statement(table: LiteralString, *, key: Columns, values: Columns) -> LiteralString:
    """Return the statement that writes the rows of `%(rows)s`, a JSON list of objects, that are new or differ.

    As JSON, because a number arrives exactly so: PostgreSQL makes a numeric of the fifteen leading digits of a float. In the
    order of the keys for everybody, so that two writers of the same rows do not wait for each other in a circle. What differs
    is decided on the conflict, which is found by the primary key whatever the planner believes of a table that has just grown.
    """
    names = ", ".join((*key, *values))
    typed = ", ".join(f"{name} {sql_type}" for name, sql_type in {**key, **values}.items())
    changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in values)
    old, new = (", ".join(f"{source}.{name}" for name in values) for source in (table, "EXCLUDED"))
    return (
        f"INSERT INTO {table} ({names}) SELECT {names} FROM json_to_recordset(%(rows)s::json) AS new ({typed})"  # noqa: S608  constants
        f" ORDER BY {', '.join(key)} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changes}"
        f" WHERE ({old}) IS DISTINCT FROM ({new})"
    )


def write_rows(database: Database, statement: LiteralString, texts: Iterable[str]) -> int:
    """Execute an upsert statement for rows given as JSON objects, batch by batch; return how many rows were written.

    No key may occur twice in `texts`.
    """
    return sum(
        database.execute(statement, {"rows": f"[{','.join(batch)}]"}) for batch in batches(texts, characters=len)
    )
