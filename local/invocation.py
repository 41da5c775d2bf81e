"""One invocation of a function, as the caller and the execution environment see it."""

import json
import threading
import uuid
from dataclasses import dataclass, field

EVENT_LIMIT_BYTES = 6_291_556
"""Lambda's limit for the event of a synchronous invocation, and for its answer."""


class InvocationError(Exception):
    """The function was not run; the subclass says why."""


class EventTooLargeError(InvocationError):
    """The event is over 6 MB."""


class ThrottledError(InvocationError):
    """The function's reserved concurrency is used up."""


class UnansweredError(InvocationError):
    """The caller's time is over; what has begun runs on."""


class StoppedError(InvocationError):
    """The local stack is stopping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an invocation gave: the handler's JSON, or an error as Lambda describes it (`failed`)."""

    payload: bytes
    failed: bool = False


def failure(kind: str, message: str) -> Answer:
    """Describe an error of the execution environment in Lambda's form."""
    return Answer(payload=json.dumps({"errorType": kind, "errorMessage": message}).encode(), failed=True)


@dataclass(slots=True, kw_only=True, eq=False)
class Invocation:
    """An event on its way. The first answer counts: a timeout and a late response do not both arrive."""

    event: bytes
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    answer: Answer | None = None
    answered: threading.Event = field(default_factory=threading.Event)

    def finish(self, answer: Answer) -> bool:
        """Give the answer; whether it was the first."""
        if self.answer is not None:
            return False
        self.answer = answer
        self.answered.set()
        return True
