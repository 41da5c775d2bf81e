"""Knobs that make a stand-in fail, in the ways OpenCost and what stands before it fail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from threading import Event, Lock
from typing import Any

from local.standin.model import Source

_TRUNCATIONS = frozenset({"connection", "body"})
_NOT_A_NUMBER = frozenset({"null_numbers", "code_500", "empty_body"})
_LOST = frozenset(source.value for source in Source)


class IllegalFaultError(ValueError):
    """A fault that cannot be set; the text names the field and what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong, and for which requests.

    Which requests: `path` ("" = `/allocation` and `/assets`), `window` (the parameter's exact text, "" = any), `calls`
    (the next so many, None = until cleared).
    What: wait `latency_seconds` first; `hang` (no answer until cleared); `reset` the connection; answer `status` with
    an error body; `empty` (`[{}]`, `{}`); `html`; `truncate` ("connection" cut in the body, or a shorter "body");
    `nan` ("null_numbers", "code_500" under HTTP 200, "empty_body"); `retention_hours` (nothing older is known);
    `lost` (a source, over the asked window or in [lost_from, lost_to)); `default_prices` is `lost: opencost`.
    """

    path: str = ""
    window: str = ""
    calls: int | None = None
    latency_seconds: float = 0.0
    hang: bool = False
    reset: bool = False
    status: int = 0
    empty: bool = False
    html: bool = False
    truncate: str = ""
    nan: str = ""
    retention_hours: int = 0
    lost: str = ""
    lost_from: int | None = None
    lost_to: int | None = None

    def concerns(self, path: str, window: str) -> bool:
        """Whether a request is its."""
        paths = {self.path} if self.path else {"/allocation", "/allocation/compute", "/assets"}
        return path in paths and self.window in {"", window}


def parse_fault(body: object) -> Fault:
    """Read a fault from JSON; moments are RFC 3339, `default_prices` may stand for `lost`.

    Raises:
        IllegalFaultError: not an object, an unknown field, or a value of the wrong kind.
    """
    if not isinstance(body, Mapping):
        raise IllegalFaultError(f"fault: expected a JSON object, got {type(body).__name__}")
    values: dict[str, Any] = dict(body)
    if values.pop("default_prices", False):
        values["lost"] = Source.OPENCOST.value
    checks = _checks()
    for name, value in values.items():
        if name not in checks:
            raise IllegalFaultError(f"{name}: unknown field, expected one of {', '.join(sorted(checks))}")
        expected, holds = checks[name]
        if not holds(value):
            raise IllegalFaultError(f"{name}: expected {expected}, got {value!r}")
    for name in ("lost_from", "lost_to"):
        if name in values:
            values[name] = int(datetime.fromisoformat(values[name]).timestamp())
    return Fault(**values)


Check = tuple[str, Callable[[Any], bool]]


def _checks() -> dict[str, Check]:
    """Say what each field must be: in words, and as a test."""
    plain: dict[type, Check] = {
        str: ("text", lambda value: isinstance(value, str)),
        bool: ("true or false", lambda value: isinstance(value, bool)),
        int: ("a whole number from 1", lambda value: isinstance(value, int) and value >= 1),
        float: ("a number from 0", lambda value: isinstance(value, int | float) and value >= 0),
    }
    kinds = {field.name: type(field.default) for field in fields(Fault)}
    checks = {name: plain.get(kind, plain[int]) for name, kind in kinds.items()}
    for name, allowed in (("truncate", _TRUNCATIONS), ("nan", _NOT_A_NUMBER), ("lost", _LOST)):
        checks[name] = (f"one of {', '.join(sorted(allowed))}", allowed.__contains__)
    for name in ("lost_from", "lost_to"):
        checks[name] = ("a moment such as 2026-11-28T10:00:00Z", _is_moment)
    return checks


def _is_moment(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


class Faults:
    """The faults that are set; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._set: list[Fault] = []
        self.cleared = Event()

    def add(self, fault: Fault) -> None:
        """Set one more."""
        with self._lock:
            self.cleared.clear()
            self._set.append(fault)

    def clear(self) -> None:
        """Forget all, and let go what hangs."""
        with self._lock:
            self._set.clear()
            self.cleared.set()

    def take(self, path: str, window: str) -> tuple[Fault, ...]:
        """Take the faults of a request; each counted one loses a call."""
        with self._lock:
            taken = tuple(fault for fault in self._set if fault.concerns(path, window))
            self._set = [left for fault in self._set if (left := _after(fault, taken))]
        return taken

    def every(self) -> tuple[Fault, ...]:
        """Give what is set now."""
        with self._lock:
            return tuple(self._set)


def _after(fault: Fault, taken: tuple[Fault, ...]) -> Fault | None:
    if fault not in taken or fault.calls is None:
        return fault
    return replace(fault, calls=fault.calls - 1) if fault.calls > 1 else None
