"""The filter language v2, for allocation rows and for assets."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from local.standin.row import Row

_COMPARISON = re.compile(r'\s*([A-Za-z]+)(?:\[([^\]]*)\])?\s*(!?<~:|!?~>:|!?~:|!?:)\s*("[^"]*"(?:\s*,\s*"[^"]*")*)\s*')
_WORD = re.compile(r"\s*([A-Za-z]+)")
_UNALLOCATED = "__unallocated__"

# Parsed by OpenCost, but mapped to nothing: they match no row.
_DEAD_FIELDS = frozenset(
    {"account", "namespaceLabel", "nodeLabel", "department", "environment", "owner", "product", "team"}
)


class Reader(Protocol):
    """Reads a field's value off an item; None for a field that matches nothing."""

    def __call__(self, field: str, key: str | None) -> str | Iterable[str] | None:
        """Give the value of `field`, or of `field[key]`."""
        ...


Predicate = Callable[[Reader], bool]


class IllegalFilterError(ValueError):
    """A filter that OpenCost cannot parse; the text is its own message."""


def parse_filter(text: str, fields: Iterable[str]) -> Predicate:
    """Parse a filter into a predicate over a reader.

    What follows a complete comparison without an operator is ignored without a word, as OpenCost does with an
    unescaped `+` that arrived as a space (trap T5).

    Raises:
        IllegalFilterError: an unknown field or no comparison at all.
    """
    return _Parser(text, frozenset(fields) | _DEAD_FIELDS).group()


class _Parser:
    def __init__(self, text: str, fields: frozenset[str]) -> None:
        self._text = text
        self._at = 0
        self._fields = fields

    def group(self) -> Predicate:
        """Members joined by one kind of operator."""
        members = [self._member()]
        operator = self._peek()
        while operator in {"+", "|"} and self._peek() == operator:
            self._at += 1
            members.append(self._member())
        combine = any if operator == "|" else all
        return lambda read: combine(member(read) for member in members)

    def _peek(self) -> str:
        rest = self._text[self._at :].lstrip()
        self._at = len(self._text) - len(rest)
        return rest[:1]

    def _member(self) -> Predicate:
        if self._peek() == "(":
            self._at += 1
            inner = self.group()
            if self._peek() == ")":
                self._at += 1
            return inner
        return self._comparison()

    def _comparison(self) -> Predicate:
        match = _COMPARISON.match(self._text, self._at)
        if match is None or match[1] not in self._fields:
            word = _WORD.match(self._text, self._at)
            found = word[1] if word else self._text[self._at :]
            raise IllegalFilterError(f"1 error occurred:\n\t* at '{found}': expect filter field\n\n")
        self._at = match.end()
        values = [value.replace(_UNALLOCATED, "") for value in re.findall(r'"([^"]*)"', match[4])]
        return _Comparison(field=match[1], key=match[2], operator=match[3], values=tuple(values)).holds


_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    ":": lambda found, wanted: found == wanted,
    "~:": lambda found, wanted: wanted in found,
    "<~:": lambda found, wanted: found.startswith(wanted),
    "~>:": lambda found, wanted: found.endswith(wanted),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    field: str
    key: str | None
    operator: str
    values: tuple[str, ...]

    def holds(self, read: Reader) -> bool:
        """Several values: any of them for a positive operator, none of them for a negated one."""
        found = read(self.field, self.key)
        if found is None or self.field in _DEAD_FIELDS:
            return False
        candidates = (found,) if isinstance(found, str) else tuple(found)
        test = _TESTS[self.operator.removeprefix("!")]
        matched = any(test(candidate, value) for candidate in candidates for value in self.values)
        return not matched if self.operator.startswith("!") else matched


ALLOCATION_FIELDS = frozenset(
    {
        "cluster",
        "node",
        "namespace",
        "controllerName",
        "controllerKind",
        "pod",
        "container",
        "provider",
        "services",
        "label",
        "annotation",
    }
)
ASSET_FIELDS = frozenset(
    {"assetType", "name", "category", "cluster", "project", "provider", "providerID", "account", "service", "label"}
)


def row_reader(row: Row) -> Reader:
    """Read the filter's fields off an allocation row."""
    its = row.identity
    plain = {
        "cluster": its.cluster,
        "node": its.node,
        "namespace": its.namespace,
        "controllerName": its.controller,
        "controllerKind": its.controller_kind,
        "pod": its.pod,
        "container": its.container,
        "provider": its.provider_id,
    }

    def read(field: str, key: str | None) -> str | Iterable[str] | None:
        if field == "services":
            return its.services
        if field == "annotation":
            return ""
        if field == "label":
            return its.labels.get(re.sub(r"[^A-Za-z0-9_]", "_", key), "") if key else tuple(its.labels)
        return plain.get(field)

    return read
