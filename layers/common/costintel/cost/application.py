"""An Application's identity and where it deploys."""

import re
from dataclasses import dataclass
from typing import Self

_REFERENCE = re.compile(r"([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?):([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)")


@dataclass(frozen=True, slots=True, order=True)
class AppRef:
    """An Application: the namespace its object lives in, and its name. Same names in two namespaces are two Applications."""

    namespace: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read `namespace:name` (a DNS label, a DNS subdomain); None for anything else, blanks and repetitions included."""
        match = _REFERENCE.fullmatch(text)
        return cls(match[1], match[2]) if match else None

    def __str__(self) -> str:
        return f"{self.namespace}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where an Application deploys: a cluster by server URL or by name, and a namespace; each may be empty."""

    server: str = ""
    name: str = ""
    namespace: str = ""
