"""One Lambda execution environment: the real runtime client in its own process, and the Runtime API it talks to.

The protocol is AWS's "Lambda runtime API" (version 2018-06-01): the client asks for the next event, posts a response or
an error, and reports a handler that cannot be imported.
"""

import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from local.children import Child, Children
from local.http_server import Request, Response
from local.invocation import EVENT_LIMIT_BYTES, Answer, Invocation, failure
from local.plan import FunctionPlan
from local.runtime_api import RuntimeApi

_PREFIX = "/2018-06-01/runtime"
_INIT_SECONDS = 10.0
_ACCEPTED = Response(status=202, headers=(("Content-Type", "application/json"),), body=b'{"status":"OK"}')


class Owner(Protocol):
    """The function an environment belongs to."""

    def take(self, environment: "Environment") -> Invocation | None:
        """Wait for the next event; `None` when there will be none."""

    def ended(self, environment: "Environment", answer: Answer) -> None:
        """Hear that the environment's process ended, and how to answer what it had not finished."""


class Environment:
    """A process that runs one event at a time, until it ends."""

    def __init__(self, plan: FunctionPlan, owner: Owner, children: Children) -> None:
        """Prepare; `start` starts the process."""
        self._plan = plan
        self._owner = owner
        self._children = children
        self._api = RuntimeApi(self._respond)
        self._child: Child | None = None
        self._init_error: Answer | None = None
        self._deadline: float | None = None
        self._started_at = 0.0
        self.init_seconds: float | None = None
        self.current: Invocation | None = None
        self.ended = False

    @property
    def pid(self) -> int:
        """The process id. Raises RuntimeError before `start`."""
        if self._child is None:
            raise RuntimeError("the environment was not started")
        return self._child.pid

    @property
    def is_ready(self) -> bool:
        """Whether the handler is imported and has asked for an event."""
        return self.init_seconds is not None

    def start(self, environment: Mapping[str, str], log: Path) -> None:
        """Start the runtime client with exactly this environment, plus the address of its Runtime API."""
        self._api.start()
        self._started_at = time.monotonic()
        self._child = self._children.start(
            # -S: none of our own packages, only what PYTHONPATH names: Lambda's, the layers' and the function's.
            [sys.executable, "-S", "-m", "awslambdaric", self._plan.handler],
            environment={**environment, "AWS_LAMBDA_RUNTIME_API": self._api.address},
            folder=self._plan.code,
            log=log,
        )
        # Lambda cuts an init after 10 s and repeats it within the first invocation's own time.
        self._deadline = self._started_at + _INIT_SECONDS + self._plan.timeout_seconds
        threading.Thread(target=self._watch, args=(self._child,), daemon=True).start()

    def kill(self) -> None:
        """End the process at once."""
        if self._child is not None:
            self._children.kill(self._child)

    def check_deadline(self) -> None:
        """End the process if its time is over. Called every now and then: a timer for each event costs more than the event."""
        if self._deadline is None or time.monotonic() < self._deadline:
            return
        self._deadline = None
        late = self.current
        if late is None or late.finish(_timeout_answer(late, self._plan.timeout_seconds)):
            self.kill()

    def _watch(self, child: Child) -> None:
        status = child.popen.wait()
        self.ended = True
        self._owner.ended(self, self._init_error or _exit_answer(status))
        self._children.kill(child)
        self._api.close()

    def _respond(self, request: Request) -> Response:
        path = request.target.removeprefix(_PREFIX)
        if path == "/invocation/next":
            return self._next()
        if path == "/init/error":
            self._init_error = Answer(payload=request.body, failed=True)
            return _ACCEPTED
        _, _, invocation_id, what = path.split("/") if path.count("/") == 3 else ("", "", "", "")
        if self.current is None or invocation_id != self.current.id or what not in ("response", "error"):
            return Response(status=403, body=b'{"errorType":"InvalidRequestID","errorMessage":"no such invocation"}')
        return self._finish(self.current, request.body, failed=what == "error")

    def _next(self) -> Response:
        if self.init_seconds is None:
            self.init_seconds = time.monotonic() - self._started_at
        self._deadline = None
        invocation = self._owner.take(self)
        if invocation is None:
            return Response(status=410, body=b"")
        self._deadline = time.monotonic() + self._plan.timeout_seconds
        headers = (
            ("Content-Type", "application/json"),
            ("Lambda-Runtime-Aws-Request-Id", invocation.id),
            ("Lambda-Runtime-Deadline-Ms", str(int((time.time() + self._plan.timeout_seconds) * 1000))),
            ("Lambda-Runtime-Invoked-Function-Arn", self._plan.arn),
            (
                "Lambda-Runtime-Trace-Id",
                f"Root=1-{int(time.time()):08x}-{invocation.id.replace('-', '')[:24]};Sampled=0",
            ),
        )
        return Response(status=200, headers=headers, body=invocation.event)

    def _finish(self, invocation: Invocation, payload: bytes, *, failed: bool) -> Response:
        self._deadline = None
        self.current = None
        if len(payload) > EVENT_LIMIT_BYTES:
            message = f"Response payload size exceeded maximum allowed payload size ({EVENT_LIMIT_BYTES} bytes)."
            invocation.finish(failure("Function.ResponseSizeTooLarge", message))
            return Response(status=413, body=b'{"errorType":"RequestEntityTooLarge","errorMessage":"over 6 MB"}')
        invocation.finish(Answer(payload=payload, failed=failed))
        return _ACCEPTED


def _timeout_answer(invocation: Invocation, seconds: float) -> Answer:
    message = f"RequestId: {invocation.id} Error: Task timed out after {seconds:.2f} seconds"
    return failure("Sandbox.Timedout", message)


def _exit_answer(status: int) -> Answer:
    """Describe a process that ended without answering."""
    if status < 0:
        return failure("Runtime.ExitError", f"Runtime exited with error: signal: {-status}")
    if status > 0:
        return failure("Runtime.ExitError", f"Runtime exited with error: exit status {status}")
    return failure("Runtime.ExitError", "Runtime exited without providing a reason")
