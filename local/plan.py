"""What the synthesized template asks for, in the words of the local stack."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionPlan:
    """One Lambda function. `name` is its logical id; `arn` is what routes, schedules and event sources name."""

    name: str
    arn: str
    handler: str
    timeout_seconds: int
    memory_mb: int
    environment: Mapping[str, str]
    code: Path
    layers: tuple[Path, ...]
    in_vpc: bool
    reserved_concurrency: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlan:
    """One SQS queue; `dead_letter_arn` receives a message that was received `receive_count` times in vain."""

    name: str
    arn: str
    visibility_seconds: int
    delay_seconds: int
    retention_seconds: int
    dead_letter_arn: str | None
    receive_count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSourcePlan:
    """One event source mapping: which queue's messages a function is invoked with, and how many at once."""

    function_arn: str
    queue_arn: str
    batch_size: int
    maximum_concurrency: int
    partial_failures: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """A token bucket: so many requests a second, so many at once."""

    rate: float
    burst: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutePlan:
    """One route of the HTTP API: `$default`, or a method (or `ANY`) and a path without parameters."""

    key: str
    function_arn: str
    timeout_seconds: float
    throttle: Throttle | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePlan:
    """One schedule: the function it invokes every so often, and with what event."""

    name: str
    function_arn: str
    every_seconds: int
    event: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlan:
    """Everything the local stack has to run."""

    functions: tuple[FunctionPlan, ...]
    queues: tuple[QueuePlan, ...]
    event_sources: tuple[EventSourcePlan, ...]
    routes: tuple[RoutePlan, ...]
    schedules: tuple[SchedulePlan, ...]

    def function_with_handler(self, handler: str) -> FunctionPlan:
        """Give the function with this handler.

        Raises:
            LookupError: the template has none.
        """
        for function in self.functions:
            if function.handler == handler:
                return function
        raise LookupError(f"the template has no function with the handler {handler}")
