"""OpenCost's error texts cut down to what may stand in a log: they hold PromQL, addresses and host names."""

import json
import re
from typing import Final

_HARMLESS: Final = re.compile(r"[A-Za-z0-9 ,:'+\-\[\])]{1,120}")
"""A part of a text that cannot be an address, a host name or a query: no dots, slashes, quotes, braces, underscores."""
_LENGTH: Final = 160


def one_line(message: object) -> str:
    """Return `: ` and the leading harmless parts of an error text's first line, at most 160 characters; empty if there are none."""
    if not isinstance(message, str) or not message.strip():
        return ""
    kept: list[str] = []
    for part in message.strip().splitlines()[0].removeprefix("Error: ").split(": "):
        if not _HARMLESS.fullmatch(part.strip()):
            break
        kept.append(part.strip())
    return f": {': '.join(kept)}"[:_LENGTH] if kept else ""


def refusal_line(body: bytes) -> str:
    """Return the same for the body of an error answer, which is JSON with a `message`, plain text, both glued together, or HTML."""
    text = body.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return one_line(text)
    return one_line(parsed.get("message")) if isinstance(parsed, dict) else ""
