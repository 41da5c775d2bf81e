"""A Lambda function on one machine: events in, answers out, as many execution environments as it takes."""

import os
import threading
from collections import deque
from pathlib import Path

from local.aws import REGION
from local.children import Children
from local.environment import Environment
from local.invocation import (
    EVENT_LIMIT_BYTES,
    Answer,
    EventTooLargeError,
    Invocation,
    StoppedError,
    ThrottledError,
    UnansweredError,
)
from local.plan import FunctionPlan

_CONCURRENCY = 10
_DEADLINE_CHECK_SECONDS = 0.1


class LambdaFunction:
    """Invokes one function. A new environment starts when all are busy; idle ones are kept.

    With reserved concurrency, more than that at once is throttled as Lambda does. Without, more than ten at once wait:
    an AWS account has room for a thousand, this machine has not.
    """

    def __init__(self, plan: FunctionPlan, *, children: Children, packages: Path, log: Path) -> None:
        """Prepare; nothing starts before the first `invoke`."""
        self.plan = plan
        self._children = children
        self._packages = packages
        self._log = log
        self._changed = threading.Condition()
        self._waiting: deque[Invocation] = deque()
        self._environments: list[Environment] = []
        self._running = 0
        self._stopping = threading.Event()
        self._watched = False

    @property
    def environment_count(self) -> int:
        """How many environments there are, busy and idle."""
        with self._changed:
            return len(self._environments)

    @property
    def busy_count(self) -> int:
        """How many environments have an event."""
        with self._changed:
            return sum(1 for environment in self._environments if environment.current is not None)

    def invoke(self, event: bytes, *, wait_seconds: float | None = None) -> Answer:
        """Run the handler once with this JSON and wait for what it gives.

        Raises:
            EventTooLargeError, ThrottledError, StoppedError: it was not run.
            UnansweredError: `wait_seconds` are over.
        """
        if len(event) > EVENT_LIMIT_BYTES:
            raise EventTooLargeError(f"{len(event)} bytes, at most {EVENT_LIMIT_BYTES}")
        invocation = Invocation(event=event)
        self._enter(invocation)
        try:
            if not invocation.answered.wait(wait_seconds):
                raise UnansweredError(f"{self.plan.name} did not answer in {wait_seconds} s")
        finally:
            self._leave(invocation)
        if invocation.answer is None:
            raise StoppedError(self.plan.name)
        return invocation.answer

    def kill_environments(self) -> None:
        """Kill every process of the function, as a machine that fails does; what they ran is answered as a crash."""
        with self._changed:
            environments = list(self._environments)
        for environment in environments:
            environment.kill()

    def close(self) -> None:
        """End all environments at once; whoever waits for an answer gets `StoppedError`."""
        with self._changed:
            self._stopping.set()
            environments = list(self._environments)
            for invocation in [*self._waiting, *(one.current for one in environments if one.current)]:
                invocation.answered.set()
            self._changed.notify_all()
        for environment in environments:
            environment.kill()

    def take(self, environment: Environment) -> Invocation | None:
        """Wait for the next event of an environment; `None` when it ended or all is stopping."""
        with self._changed:
            while not self._waiting and not environment.ended and not self._stopping.is_set():
                self._changed.wait()
            if environment.ended or self._stopping.is_set():
                return None
            environment.current = self._waiting.popleft()
            return environment.current

    def ended(self, environment: Environment, answer: Answer) -> None:
        """Answer what an environment that ended leaves behind, and start another one if events wait."""
        with self._changed:
            self._environments.remove(environment)
            if environment.current is not None:
                environment.current.finish(answer)
            elif not environment.is_ready and self._waiting:
                # The event that made it start gets the reason why it could not.
                self._waiting.popleft().finish(answer)
            self._changed.notify_all()
            self._scale()

    def _enter(self, invocation: Invocation) -> None:
        with self._changed:
            if self._stopping.is_set():
                raise StoppedError(self.plan.name)
            limit = self.plan.reserved_concurrency
            if limit is not None and self._running >= limit:
                raise ThrottledError(f"{self.plan.name}: reserved concurrency of {limit} is used up")
            self._running += 1
            self._waiting.append(invocation)
            self._changed.notify_all()
            self._scale()

    def _leave(self, invocation: Invocation) -> None:
        with self._changed:
            self._running -= 1
            if invocation in self._waiting:
                self._waiting.remove(invocation)

    def _scale(self) -> None:
        """Start environments for the events that no idle or starting one will take."""
        limit = self.plan.reserved_concurrency or _CONCURRENCY
        free = sum(1 for environment in self._environments if environment.current is None)
        while len(self._waiting) > free and len(self._environments) < limit and not self._stopping.is_set():
            environment = Environment(self.plan, self, self._children)
            self._environments.append(environment)
            self._watch()
            environment.start(child_environment(self.plan, self._packages), self._log)
            free += 1

    def _watch(self) -> None:
        """Start to look after deadlines, with the first environment."""
        if not self._watched:
            self._watched = True
            threading.Thread(target=self._check_deadlines, daemon=True).start()

    def _check_deadlines(self) -> None:
        while not self._stopping.wait(_DEADLINE_CHECK_SECONDS):
            with self._changed:
                environments = list(self._environments)
            for environment in environments:
                environment.check_deadline()


def child_environment(plan: FunctionPlan, packages: Path) -> dict[str, str]:
    """Give what Lambda sets itself, and the function's own; credentials come from the function's own only."""
    places = [plan.code, *(layer / "python" for layer in plan.layers), packages]
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "PYTHONPATH": os.pathsep.join(str(place) for place in places),
        "LAMBDA_TASK_ROOT": str(plan.code),
        "AWS_LAMBDA_FUNCTION_NAME": plan.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(plan.memory_mb),
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{plan.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "_HANDLER": plan.handler,
        # This machine's own AWS configuration is none of the functions' business.
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        **plan.environment,
    }
