"""Which Applications of the catalogue are wanted, in which order, and added up by what."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from costintel.cost.application import AppRef
from costintel.errors import InvalidInput
from costintel.measurement.subject import SubjectState

MOST_ENTRIES = 200
"""Applications in one answer."""
_LABEL_KEY = re.compile(
    r"(?:(?=.{1,253}/)[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?", re.ASCII
)
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?", re.ASCII)


class Order(StrEnum):
    """What the Applications are ordered by; amounts and times begin with the largest, texts with the first."""

    COST = "cost"
    MONTHLY = "monthly"
    IDLE = "idle"
    NAME = "name"
    PROJECT = "project"
    SYNC = "sync"
    CREATED = "created"


class RollUpBy(StrEnum):
    """What Applications are added up by."""

    PROJECT = "project"
    APPLICATION_SET = "applicationSet"
    PARENT = "parent"
    LABEL = "label"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChoice:
    """A label that an Application must have; with any value if `value` is None."""

    key: str
    value: str | None

    @classmethod
    def parse(cls, text: str, *, field: str) -> Self:
        """Read `KEY` or `KEY=VALUE`. Raises InvalidInput naming `field`."""
        key, separator, value = text.partition("=")
        if not is_label_key(key) or not _LABEL_VALUE.fullmatch(value):
            raise InvalidInput(field, "a label's key, or key=value")
        return cls(key=key, value=value if separator else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RollUp:
    """What to add up by; `label` is the label's key, empty for anything else."""

    by: RollUpBy
    label: str = ""

    @classmethod
    def parse(cls, text: str, *, field: str) -> Self:
        """Read `project`, `applicationSet`, `parent` or `label:KEY`. Raises InvalidInput naming `field`."""
        kind, separator, key = text.partition(":")
        is_label = kind == RollUpBy.LABEL
        if kind not in set(RollUpBy) or is_label != bool(separator) or (is_label and not is_label_key(key)):
            raise InvalidInput(field, "project, applicationSet, parent or label:KEY")
        return cls(by=RollUpBy(kind), label=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """One page of the Applications that meet every condition; None means any.

    `namespace` is the destination's. `search` is part of a name. `reverse` turns the order round.
    """

    project: str | None = None
    namespace: str | None = None
    application_set: str | None = None
    parent: AppRef | None = None
    label: LabelChoice | None = None
    state: SubjectState | None = None
    search: str = ""
    order: Order = Order.COST
    reverse: bool = False
    offset: int = 0
    limit: int = 100
    roll_up: RollUp | None = None

    @property
    def is_everything(self) -> bool:
        """Whether there is no condition."""
        exact = (self.project, self.namespace, self.application_set, self.parent, self.state, self.label)
        return not self.search and all(condition is None for condition in exact)


def is_label_key(text: str) -> bool:
    """Whether `text` is the key of a Kubernetes label: a name of up to 63 characters, with or without a DNS prefix."""
    return _LABEL_KEY.fullmatch(text) is not None
