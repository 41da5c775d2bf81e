"""EventBridge Scheduler on one machine: every schedule fires at start, then at its rate, without retries."""

import json
import logging
import threading
import time
from typing import Protocol

from local.invocation import Answer, InvocationError
from local.plan import SchedulePlan

_CONCURRENCY = 10
_logger = logging.getLogger(__name__)


class Function(Protocol):
    """What a schedule invokes."""

    def invoke(self, event: bytes) -> Answer:
        """Run the function once."""


class Scheduler:
    """Fires one schedule. As EventBridge does, it does not wait for the run before; only the tenth at once is skipped."""

    def __init__(self, plan: SchedulePlan, *, function: Function) -> None:
        """Prepare; `start` fires for the first time."""
        self._plan = plan
        self._function = function
        self._free = threading.Semaphore(_CONCURRENCY)
        self._stopped = threading.Event()

    def start(self) -> None:
        """Fire now and then at the schedule's rate, in threads of its own."""
        threading.Thread(target=self._tick, daemon=True, name=f"schedule-{self._plan.name}").start()

    def close(self) -> None:
        """Fire no more."""
        self._stopped.set()

    def _tick(self) -> None:
        due = time.monotonic()
        while not self._stopped.wait(max(0.0, due - time.monotonic())):
            if self._free.acquire(blocking=False):
                threading.Thread(target=self._fire, daemon=True).start()
            else:
                _logger.warning("schedule %s: skipped, %d runs are still going", self._plan.name, _CONCURRENCY)
            due += self._plan.every_seconds

    def _fire(self) -> None:
        try:
            answer = self._function.invoke(json.dumps(self._plan.event).encode())
            if answer.failed:
                _logger.warning("schedule %s: the function failed: %s", self._plan.name, _error_type(answer))
        except InvocationError as error:
            if not self._stopped.is_set():
                _logger.warning("schedule %s: not run: %s", self._plan.name, type(error).__name__)
        finally:
            self._free.release()


def _error_type(answer: Answer) -> str:
    document = json.loads(answer.payload)
    return str(document.get("errorType")) if isinstance(document, dict) else "unknown"
