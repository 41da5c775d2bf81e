"""How much time an invocation has left."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment an invocation is cut off. `remaining` gives the seconds until then by the real clock."""

    remaining: Callable[[], float]

    @classmethod
    def after(cls, seconds: float) -> Self:
        """Return the deadline `seconds` from now."""
        end = time.monotonic() + seconds
        return cls(lambda: end - time.monotonic())

    def allows(self, seconds: float) -> bool:
        """Whether something that may take `seconds` can still be begun."""
        return self.remaining() >= seconds
