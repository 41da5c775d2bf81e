"""Apply a selection to the catalogue: filter, order, add up."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from costintel.measurement.entries import Entry
from costintel.measurement.selection import LabelChoice, Order, RollUp, RollUpBy, Selection
from costintel.measurement.subject import Subject
from costintel.measurement.sums import Counted, Sum, added

_Read = Callable[[Entry], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Applications that share something; `name` is None for those that lack it."""

    name: str | None
    sum: Sum


def chosen(entries: Iterable[Entry], selection: Selection) -> list[Entry]:
    """Return the entries that meet the selection's conditions, in their own order."""
    if selection.is_everything:
        return list(entries)
    conditions = [(read, getattr(selection, name)) for name, read in _EXACT.items()]
    exact = [(read, value) for read, value in conditions if value is not None]
    return [entry for entry in entries if _meets(entry, exact, selection)]


def ordered(entries: Sequence[Entry], selection: Selection) -> list[Entry]:
    """Return entries, which are by namespace and name, in the selection's order; equals stay by namespace and name."""
    key, largest_first = _ORDERS[selection.order]
    return sorted(entries, key=key, reverse=largest_first != selection.reverse)


def rolled_up(entries: Iterable[Entry], roll_up: RollUp) -> list[Group]:
    """Return the groups of `entries`, the dearest first; who belongs to none is a group of its own, without a name."""
    name_of = _names(roll_up)
    groups: dict[str | None, list[Counted]] = {}
    for entry in entries:
        groups.setdefault(name_of(entry.subject), []).append(entry.counted)
    named = [Group(name=name, sum=added(parts)) for name, parts in groups.items()]
    return sorted(named, key=lambda group: (-sum(group.sum.cost), group.name is None, group.name or ""))


def _meets(entry: Entry, exact: Sequence[tuple[_Read, Any]], selection: Selection) -> bool:
    if not all(read(entry) == value for read, value in exact):
        return False
    if selection.search.lower() not in entry.subject.application.name:
        return False
    return selection.label is None or _has_label(entry.subject, selection.label)


def _has_label(subject: Subject, choice: LabelChoice) -> bool:
    if choice.value is None:
        return choice.key in subject.labels
    return subject.labels.get(choice.key) == choice.value


def _names(roll_up: RollUp) -> Callable[[Subject], str | None]:
    names: dict[RollUpBy, Callable[[Subject], str | None]] = {
        RollUpBy.PROJECT: lambda subject: subject.project,
        RollUpBy.APPLICATION_SET: lambda subject: subject.application_set or None,
        RollUpBy.PARENT: lambda subject: None if subject.parent is None else str(subject.parent),
        RollUpBy.LABEL: lambda subject: subject.labels.get(roll_up.label),
    }
    return names[roll_up.by]


def _name(entry: Entry) -> tuple[str, str]:
    return (entry.subject.application.name, entry.subject.application.namespace)


def _finished(entry: Entry) -> float:
    last = entry.subject.last_sync
    return 0.0 if last is None else last.finished_at.timestamp()


def _created(entry: Entry) -> float:
    created_at = entry.subject.created_at
    return 0.0 if created_at is None else created_at.timestamp()


_EXACT: dict[str, _Read] = {
    "project": attrgetter("subject.project"),
    "namespace": attrgetter("subject.destination.namespace"),
    "application_set": attrgetter("subject.application_set"),
    "parent": attrgetter("subject.parent"),
    "state": attrgetter("state"),
}
"""What an entry must have, by the name of the selection's field."""
_ORDERS: dict[Order, tuple[_Read, bool]] = {
    Order.COST: (attrgetter("cost"), True),
    Order.MONTHLY: (lambda entry: entry.hourly_cost, True),
    Order.IDLE: (lambda entry: entry.own.idle.total, True),
    Order.NAME: (_name, False),
    Order.PROJECT: (lambda entry: entry.subject.project, False),
    Order.SYNC: (_finished, True),
    Order.CREATED: (_created, True),
}
