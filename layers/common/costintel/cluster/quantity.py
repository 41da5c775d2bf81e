"""Kubernetes quantities, such as `250m`, `1.50Gi` or `1e9`: the grammar of apimachinery's resource.Quantity.

The client's own parser also takes NaN, Infinity, underscores, other scripts' digits and booleans, so it is not used.
"""

import re
from decimal import Decimal
from typing import Final

_FORM: Final = re.compile(
    r"([+-]?[0-9]{1,40}(?:\.[0-9]{0,40})?|[+-]?\.[0-9]{1,40})([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,3})?"
)
_STEPS: Final = {"n": -3, "u": -2, "m": -1, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_BINARY: Final = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_LARGEST: Final = Decimal(2) ** 63
"""Kubernetes keeps no larger quantity."""


def quantity(value: object) -> Decimal | None:
    """Return a quantity in its base unit (cores, bytes), to 28 digits; None for what is none, is negative, or beyond reason."""
    match = _FORM.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    amount = Decimal(match[1]) * _factor(match[2] or "")
    return abs(amount) if 0 <= amount < _LARGEST else None


def _factor(suffix: str) -> Decimal:
    if suffix in _BINARY:
        return Decimal(1024 ** _BINARY[suffix])
    if suffix[:1] in {"e", "E"} and len(suffix) > 1:
        return Decimal(f"1{suffix}")
    return Decimal(1000) ** _STEPS.get(suffix, 0)
