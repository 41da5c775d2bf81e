"""Text and JSON in the form that PostgreSQL can keep."""

import json
import re

from costintel.errors import InvalidInput

_ESCAPED_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
"""NUL as `json` writes it; an even number of backslashes before it would make it ordinary text."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def json_text(field: str, value: object) -> str:
    """Return `value` as JSON. Raises InvalidInput naming `field` for what jsonb refuses: NUL, half surrogates, NaN, infinity."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"))
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(field, "text without half surrogate pairs") from None
    except ValueError:
        raise InvalidInput(field, "finite numbers, without NaN or infinity") from None
    if "\\u0000" in text and _ESCAPED_NUL.search(text):
        raise InvalidInput(field, "text without NUL characters")
    return text


def clean_json(value: object) -> str:
    """Return `value` (without floats) as JSON, with NUL and half surrogate pairs in its texts replaced."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"))
    if "\\u0000" in text:
        text = _ESCAPED_NUL.sub(rf"\1{_REPLACEMENT}", text)
    return text.encode(errors="replace").decode()


def clean_text(text: str) -> str:
    """Return `text` with what PostgreSQL refuses, NUL and half surrogate pairs, replaced."""
    return text.replace("\0", _REPLACEMENT).encode(errors="replace").decode()
