"""The catalogue as it is served: camelCase JSON. Counted amounts are whole millionths, so their sums are exact."""

from collections.abc import Mapping, Sequence
from typing import Any

from costintel.collection.rfc3339 import text_of
from costintel.cost.collection import LiveHeader
from costintel.cost.sync import FigureDocument
from costintel.measurement.apportioning import UNITS
from costintel.measurement.catalogue import Catalogue
from costintel.measurement.choosing import Group, chosen, ordered, rolled_up
from costintel.measurement.document import figure_document
from costintel.measurement.entries import Entry, UnownedEntry
from costintel.measurement.selection import MOST_ENTRIES, RollUp, Selection
from costintel.measurement.subject import LastSync
from costintel.measurement.sums import Counted, Sum, added

_NAMES = ("cpu", "ram", "gpu", "storage", "network", "loadBalancer")
_PODS = frozenset({"pods", "podsTotal"})
MOST_GROUPS = 500
"""Groups, and namespaces with unowned cost, in one answer."""
MOST_LABEL_KEYS = 200
_KEPT_DOCUMENTS = 1000
"""Of Applications as they are served: whoever looks at a list looks at its beginning again and again."""


def catalogue_document(catalogue: Catalogue, selection: Selection) -> dict[str, Any]:
    """Return one page of the Applications, sums of all that were selected and of the whole cluster, and what nobody owns."""
    selected = chosen(catalogue.entries, selection)
    page = ordered(selected, selection)[selection.offset : selection.offset + min(selection.limit, MOST_ENTRIES)]
    if len(catalogue.served) > _KEPT_DOCUMENTS:
        catalogue.served.clear()
    end = selection.offset + len(page)
    return {
        "window": _window(catalogue.header),
        "basisHours": catalogue.basis_hours,
        "source": "live",
        "count": len(selected),
        "nextOffset": end if end < len(selected) else None,
        "applications": [_kept(entry, catalogue) for entry in page],
        "selected": _sum(_selected(catalogue, selected)),
        "owned": _sum(catalogue.owned_sum),
        "unowned": {**_sum(catalogue.unowned_sum), "namespaces": _unowned(catalogue.unowned)},
        "total": _sum(catalogue.total),
        "rollUp": None if selection.roll_up is None else _roll_up(selected, selection.roll_up),
        "labelKeys": list(catalogue.label_keys[:MOST_LABEL_KEYS]),
    }


def _selected(catalogue: Catalogue, selected: Sequence[Entry]) -> Sum:
    if len(selected) == len(catalogue.entries):
        return catalogue.owned_sum
    return added([entry.counted for entry in selected])


def _window(header: LiveHeader | None) -> dict[str, str] | None:
    if header is None:
        return None
    return {"start": text_of(header.window.start), "end": text_of(header.window.end)}


def _kept(entry: Entry, catalogue: Catalogue) -> Mapping[str, Any]:
    application = entry.subject.application
    if application not in catalogue.served:
        catalogue.served[application] = _entry(entry, catalogue)
    return catalogue.served[application]


def _entry(entry: Entry, catalogue: Catalogue) -> dict[str, Any]:
    subject = entry.subject
    counted = entry.counted
    return {
        "application": {"namespace": subject.application.namespace, "name": subject.application.name},
        "project": subject.project,
        "destination": {
            "server": subject.destination.server,
            "name": subject.destination.name,
            "namespace": subject.destination.namespace,
        },
        "applicationSet": subject.application_set or None,
        "parent": None
        if subject.parent is None
        else {"namespace": subject.parent.namespace, "name": subject.parent.name},
        "customResources": list(subject.custom_kinds()),
        "scope": subject.scope,
        "state": entry.state.value,
        "createdAt": None if subject.created_at is None else text_of(subject.created_at),
        "sync": _sync(subject.last_sync),
        "pods": entry.pods,
        "current": _figure(entry, catalogue),
        "counted": _counted(counted),
    }


def _sync(last: LastSync | None) -> dict[str, Any] | None:
    if last is None:
        return None
    return {"finishedAt": text_of(last.finished_at), "revision": last.revision, "revisions": list(last.revisions)}


def _figure(entry: Entry, catalogue: Catalogue) -> FigureDocument | None:
    """Return the figure as it stands in /actual, without its pods."""
    figure = None if catalogue.header is None else entry.figure(catalogue.header, catalogue.basis_hours)
    document = figure_document(figure, list_pods=False)
    return None if document is None else {name: part for name, part in document.items() if name not in _PODS}


def _counted(counted: Counted) -> dict[str, Any]:
    return {
        "cost": _amounts(counted.cost),
        "monthly": None if counted.monthly is None else _amounts(counted.monthly),
        "idle": _idle(counted.idle, complete=counted.idle_complete),
    }


def _sum(total: Sum) -> dict[str, Any]:
    return {
        "count": total.members,
        "cost": _amounts(total.cost),
        "monthly": _amounts(total.monthly),
        "monthlyComplete": total.monthly_complete,
        "idle": _idle(total.idle, complete=total.idle_complete),
    }


def _unowned(entries: Sequence[UnownedEntry]) -> list[dict[str, Any]]:
    """Return the dearest namespaces."""
    dearest = sorted(entries, key=lambda entry: (-sum(entry.counted.cost), entry.namespace))[:MOST_GROUPS]
    return [{"namespace": entry.namespace, **_counted(entry.counted)} for entry in dearest]


def _roll_up(selected: Sequence[Entry], roll_up: RollUp) -> dict[str, Any]:
    groups = rolled_up(selected, roll_up)
    return {
        "by": roll_up.by.value,
        "label": roll_up.label or None,
        "count": len(groups),
        "groups": [_group(group) for group in groups[:MOST_GROUPS]],
    }


def _group(group: Group) -> dict[str, Any]:
    return {"name": group.name, **_sum(group.sum)}


def _amounts(units: Sequence[int]) -> Mapping[str, float]:
    document = {name: part / UNITS for name, part in zip(_NAMES, units, strict=True)}
    document["total"] = sum(units) / UNITS
    return document


def _idle(units: Sequence[int], *, complete: bool) -> dict[str, float | bool]:
    cpu, ram = units
    return {"cpu": cpu / UNITS, "ram": ram / UNITS, "total": (cpu + ram) / UNITS, "complete": complete}
