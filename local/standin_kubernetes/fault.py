"""Knobs that make the stand-in fail, in the ways an API server and what stands behind it fail."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from threading import Event, Lock
from typing import Any


class IllegalFaultError(ValueError):
    """A fault that cannot be set; the text names the field and what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong, and for which requests.

    Which requests: `path`, a text that their path contains ("" = all), `continued` (only those that go on with a list),
    `calls` (the next so many, None = until cleared).
    What: wait `latency_seconds` first; `hang` (no answer until cleared); `reset` the connection; answer `status` with a
    Status body; `html`; `expire` (snapshots are forgotten first: 410 for whoever goes on with a list); `truncate` (the
    answer ends in its middle).
    """

    path: str = ""
    continued: bool = False
    calls: int | None = None
    latency_seconds: float = 0.0
    hang: bool = False
    reset: bool = False
    status: int = 0
    html: bool = False
    expire: bool = False
    truncate: bool = False

    def concerns(self, path: str, *, continued: bool) -> bool:
        """Whether a request is its."""
        return self.path in path and (continued or not self.continued)

    def told(self) -> dict[str, Any]:
        """Give the fields that are set."""
        return {name: value for name, value in asdict(self).items() if value}


def parse_fault(body: object) -> Fault:
    """Read a fault from JSON.

    Raises:
        IllegalFaultError: not an object, an unknown field, or a value of the wrong kind.
    """
    if not isinstance(body, Mapping):
        raise IllegalFaultError(f"fault: expected a JSON object, got {type(body).__name__}")
    kinds: dict[str, type] = {
        field.name: int if field.default is None else type(field.default) for field in fields(Fault)
    }
    for name, value in body.items():
        if name not in kinds:
            raise IllegalFaultError(f"{name}: unknown field, expected one of {', '.join(sorted(kinds))}")
        accepted = (int, float) if kinds[name] is float else kinds[name]
        if not isinstance(value, accepted) or isinstance(value, bool) != (kinds[name] is bool):
            raise IllegalFaultError(f"{name}: expected {kinds[name].__name__}, got {value!r}")
    return Fault(**body)


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

    def take(self, path: str, *, continued: bool) -> tuple[Fault, ...]:
        """Take the faults of a request; each counted one loses a call."""
        with self._lock:
            taken = tuple(fault for fault in self._set if fault.concerns(path, continued=continued))
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
