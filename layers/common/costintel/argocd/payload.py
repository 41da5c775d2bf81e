"""The body of a notification, read leniently: hand-written templates leave much to be desired.

A field that is missing, null, empty, or the `<no value>` that Go templates print for what is not there, is empty.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NoReturn

from costintel.errors import InvalidInput

NO_VALUE = "<no value>"
DECISIVE_LENGTH = 2048
"""A longer URL, name or time is a mistake; such a field decides something, so it is refused rather than cut."""
SHOWN_LENGTH = 512
LISTED_COUNT = 1000
"""What is only shown is cut to so many characters, and so many entries."""

_LAST_KEY = re.compile(r'"([A-Za-z]{1,40})"\s*:')
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What JSON may hold and PostgreSQL's jsonb refuses: NUL, and halves of surrogate pairs."""


class MalformedBody(InvalidInput):
    """The body is not JSON from `line` and `column` on; `field` is the last one that was named before."""

    def __init__(self, *, field: str, expected: str, line: int, column: int) -> None:
        super().__init__(field, expected)
        self.line = line
        self.column = column


def read_object(body: bytes) -> dict[str, Any]:
    """Parse the body as one JSON object. Raises MalformedBody, which says where."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(body[: error.start].decode(errors="replace"), "UTF-8")
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        _refuse(text[: error.pos], "JSON")
    except (RecursionError, ValueError):
        _refuse("", "JSON without thousandfold nesting or endless numbers")
    if not isinstance(document, dict):
        _refuse("", "a JSON object")
    return document


def position_of(body: bytes, field: str) -> tuple[int, int] | None:
    """Return line and column, counted from 1, at which `field` is first named in the body; None if it is not."""
    text = body.decode("utf-8-sig", errors="replace")
    place = text.find(f'"{field}"')
    return None if place < 0 else _line_and_column(text[:place])


def decisive_text(document: Mapping[str, Any], field: str) -> str:
    """Return a text on which something depends. Raises InvalidInput for what is no text, or an absurdly long one."""
    value = document.get(field)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > DECISIVE_LENGTH:
        raise InvalidInput(field, f"a text of at most {DECISIVE_LENGTH} characters")
    text = _storable(value)
    return "" if text == NO_VALUE else text


def has_no_value(document: Mapping[str, Any]) -> bool:
    """Whether a field of the document is the literal that a hand-written Go template leaves for what is not there."""
    return any(isinstance(value, str) and value.strip() == NO_VALUE for value in document.values())


def shown_text(value: object) -> str:
    """Return a text that is only shown, shortened; empty for what is no text."""
    if not isinstance(value, str) or value.strip() == NO_VALUE:
        return ""
    return _storable(value)[:SHOWN_LENGTH]


def shown_texts(value: object) -> tuple[str, ...]:
    """Return the texts of a list that is only shown, without empty ones; empty for what is no list."""
    entries = value[:LISTED_COUNT] if isinstance(value, list) else []
    return tuple(text for text in map(shown_text, entries) if text)


def decisive_moment(document: Mapping[str, Any], field: str) -> datetime | None:
    """Return a time in whole UTC seconds, None if the field is empty. Raises InvalidInput for what is no RFC 3339 time."""
    text = decisive_text(document, field)
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise InvalidInput(field, "an RFC 3339 time with a zone, such as 2026-08-20T09:58:57Z")
        return moment.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        raise InvalidInput(field, "an RFC 3339 time, such as 2026-08-20T09:58:57Z") from None


def shown_moment(document: Mapping[str, Any], field: str) -> datetime | None:
    """Return a time that decides nothing; None if it is empty or no time."""
    try:
        return decisive_moment(document, field)
    except InvalidInput:
        return None


def _storable(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text).strip()


def _refuse(before: str, expected: str) -> NoReturn:
    """Raise for a body that went wrong after `before`."""
    keys = _LAST_KEY.findall(before[-SHOWN_LENGTH:])
    line, column = _line_and_column(before)
    raise MalformedBody(field=keys[-1] if keys else "body", expected=expected, line=line, column=column)


def _line_and_column(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")
