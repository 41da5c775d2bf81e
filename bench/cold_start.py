"""How long a function's environment takes until it asks for its first event, with the real runtime client."""

import os
import statistics
import threading
from dataclasses import dataclass
from pathlib import Path

from local.children import Children
from local.environment import Environment
from local.invocation import Answer, Invocation
from local.plan import FunctionPlan
from local.runtime import child_environment

_RUNS = 9
_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdStart:
    """Median and slowest of nine starts, and the resident memory of the last, before any event."""

    median_milliseconds: float
    slowest_milliseconds: float
    rss_mib: float


class _Owner:
    """Takes note that an environment is ready, and never has an event for it."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.done = threading.Event()
        self.answer: Answer | None = None

    def take(self, _environment: Environment) -> Invocation | None:
        self.ready.set()
        self.done.wait()
        return None

    def ended(self, _environment: Environment, answer: Answer) -> None:
        self.answer = answer
        self.ready.set()


def measure_cold_start(plan: FunctionPlan, *, children: Children, packages: Path, log: Path) -> ColdStart:
    """Start the function nine times, one after another, after one start that warms the page cache.

    Raises:
        RuntimeError: the handler cannot be imported; the text is Lambda's description.
    """
    variables = child_environment(plan, packages)
    starts = [_start(plan, children, variables, log) for _ in range(_RUNS + 1)][1:]
    seconds = [start[0] for start in starts]
    return ColdStart(
        median_milliseconds=statistics.median(seconds) * 1000,
        slowest_milliseconds=max(seconds) * 1000,
        rss_mib=starts[-1][1],
    )


def _start(plan: FunctionPlan, children: Children, variables: dict[str, str], log: Path) -> tuple[float, float]:
    owner = _Owner()
    environment = Environment(plan, owner, children)
    environment.start(variables, log)
    owner.ready.wait(_SECONDS)
    if environment.init_seconds is None:
        raise RuntimeError(
            f"{plan.handler} did not start: {owner.answer.payload.decode() if owner.answer else 'no answer'}"
        )
    rss_mib = _rss_mib(environment.pid)
    owner.done.set()
    environment.kill()
    return environment.init_seconds, rss_mib


def _rss_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
