"""Grouping rows by the keys of `aggregate=`, and sets of rows by time."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from local.standin.row import Row

UNALLOCATED = "__unallocated__"
Rows = Mapping[str, Row]
KeyPart = Callable[[Row], str]

_ALIASES = {
    "department": "label:department",
    "environment": "label:env",
    "owner": "label:owner",
    "product": "label:app",
    "team": "label:team",
}


def _controller(row: Row) -> str:
    its = row.identity
    return f"{its.controller_kind}:{its.controller}" if its.controller else UNALLOCATED


def _controller_of(kind: str) -> KeyPart:
    return lambda row: row.identity.controller if row.identity.controller_kind == kind else UNALLOCATED


_PARTS: dict[str, KeyPart] = {
    "cluster": lambda row: row.identity.cluster,
    "node": lambda row: row.identity.node,
    "namespace": lambda row: row.identity.namespace,
    "pod": lambda row: row.identity.pod,
    "container": lambda row: row.identity.container,
    "providerid": lambda row: row.identity.provider_id,
    "controllerkind": lambda row: row.identity.controller_kind or UNALLOCATED,
    "controller": _controller,
    "service": lambda row: row.identity.services[0] if row.identity.services else UNALLOCATED,
    **{kind: _controller_of(kind) for kind in ("deployment", "statefulset", "daemonset", "job")},
}


def key_parts(aggregate: str) -> list[KeyPart]:
    """Read the parts of a key; unknown names are dropped without a word (trap T21), `all` leaves none."""
    return [part for name in aggregate.split(",") if (part := _key_part(name.strip()))]


def _key_part(name: str) -> KeyPart | None:
    name = _ALIASES.get(name.lower(), name)
    kind, _, label = name.partition(":")
    if kind.lower() == "label" and label:
        key = re.sub(r"[^A-Za-z0-9_]", "_", label)
        return lambda row: row.identity.labels.get(key, UNALLOCATED)
    if kind.lower() == "annotation" and label:
        return lambda row: UNALLOCATED  # noqa: ARG005 - annotations are not emitted by default
    return _PARTS.get(name.lower())


def aggregated(rows: Rows, aggregate: str | None) -> dict[str, Row]:
    """Rows merged by key, sorted by it; without `aggregate` the rows as they are."""
    if aggregate is None:
        return dict(rows)
    parts = key_parts(aggregate)
    members: dict[str, list[Row]] = defaultdict(list)
    for row in rows.values():
        members["/".join(part(row) for part in parts)].append(row)
    return {key: Row.merged(members[key]) for key in sorted(members)}


def accumulated(sets: Iterable[Rows]) -> dict[str, Row]:
    """Several sets added up, key by key."""
    members: dict[str, list[Row]] = defaultdict(list)
    for rows in sets:
        for key, row in rows.items():
            members[key].append(row)
    return {key: _added_up(members[key]) for key in sorted(members)}


def _added_up(rows: Sequence[Row]) -> Row:
    whole = Row.merged(rows)
    whole.spans_batches = True
    return whole
