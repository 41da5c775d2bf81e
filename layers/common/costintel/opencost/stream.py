"""OpenCost's envelope read as it arrives: entry by entry, so that an answer of any size needs little memory."""

import codecs
import re
from collections.abc import Iterable, Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

from costintel.errors import OpenCostRefused
from costintel.opencost.redaction import one_line

_BLANK: Final = re.compile(r"[ \t\n\r]*")
READ_BYTES: Final = 512 * 1024
"""How much is gathered before it is decoded: big enough that an entry is seldom cut in two."""
ENTRY_CHARACTERS: Final = 8 * 1024 * 1024
"""Longest single value of an answer; an entry has two or three thousand characters."""


def _absent(_: str) -> None:
    """Stand in for NaN and the infinities, which JSON does not have: a number that is not known."""


_DECODE = JSONDecoder(parse_constant=_absent).raw_decode


class _Text:
    """The part of a body that has arrived and is not used yet. Every method raises OpenCostRefused where the body ends early."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._ended = False

    def next_character(self) -> str:
        """Return the next character that is not blank, without using it; empty at the end of the body."""
        while True:
            found = _BLANK.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._grow()

    def take(self, wanted: str) -> str:
        """Use and return the next character, which must be one of `wanted`."""
        character = self.next_character()
        if not character:
            raise OpenCostRefused("the answer is cut off")
        if character not in wanted:
            raise OpenCostRefused("the answer is not what OpenCost sends")
        self._at += 1
        return character

    def name(self) -> str:
        """Use and return the name of an object's next member and the colon after it."""
        if self.next_character() not in {'"', ""}:
            raise OpenCostRefused("the answer is not what OpenCost sends")
        name = str(self.value())
        self.take(":")
        return name

    def value(self) -> Any:  # noqa: ANN401 - any JSON value
        """Use and return the next JSON value."""
        self.next_character()
        while True:
            try:
                found, end = _DECODE(self._text, self._at)
            except JSONDecodeError:
                found, end = None, len(self._text)
            except (ValueError, RecursionError) as error:
                raise OpenCostRefused("the answer holds a value that no OpenCost sends") from error
            # What ends where the text ends may go on in the next bytes, unless a bracket or quote closed it.
            if end < len(self._text) or isinstance(found, dict | list | str):
                self._at = end
                return found
            if self._ended:
                raise OpenCostRefused("the answer is cut off")
            self._grow()

    def _grow(self) -> None:
        kept = self._text[self._at :]
        if len(kept) > ENTRY_CHARACTERS:
            raise OpenCostRefused("the answer holds an entry of more than 8 MiB")
        gathered = bytearray()
        for chunk in self._chunks:
            gathered += chunk
            if len(gathered) >= READ_BYTES:
                break
        else:
            self._ended = True
        try:
            self._text = kept + self._utf8.decode(gathered, final=self._ended)
        except UnicodeDecodeError as error:
            raise OpenCostRefused("the answer is not UTF-8 text") from error
        self._at = 0


def entries(chunks: Iterable[bytes], *, opening: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield (number of its set, name, entry) for each entry of an answer's `data`.

    `opening` names the brackets `data` may begin with: `[` for a list of sets, `{` for one set. A set is an object of named
    entries, or null. Raises OpenCostRefused, possibly after the last entry, unless the body is one whole JSON object
    whose `code` is 200, wherever the code stands: OpenCost answers HTTP 200 with another code when it fails late.
    """
    text = _Text(chunks)
    if text.next_character() != "{":
        raise OpenCostRefused("the answer is empty" if not text.next_character() else "the answer is not JSON")
    others: dict[str, Any] = {}
    fitting = False
    for name in _members(text):
        if name == "data" and others.get("code", 200) == 200 and text.next_character() in opening:
            fitting = True
            yield from _sets(text)
        else:
            others[name] = text.value()
    if text.next_character():
        raise OpenCostRefused("more text follows the answer")
    if others.get("code") != 200:
        raise OpenCostRefused(f"answered with code {str(others.get('code'))[:8]}{one_line(others.get('message'))}")
    if not fitting:
        raise OpenCostRefused("the answer's data is not what was asked for")


def _members(text: _Text) -> Iterator[str]:
    """Yield the name of each member of the object that begins here; the caller uses its value before the next."""
    text.take("{")
    if text.next_character() == "}":
        text.take("}")
        return
    while True:
        yield text.name()
        if text.take(",}") == "}":
            return


def _sets(text: _Text) -> Iterator[tuple[int, str, dict[str, Any]]]:
    if text.next_character() == "{":
        yield from _set(text, 0)
        return
    text.take("[")
    if text.next_character() == "]":
        text.take("]")
        return
    number = 0
    while True:
        yield from _set(text, number)
        number += 1
        if text.take(",]") == "]":
            return


def _set(text: _Text, number: int) -> Iterator[tuple[int, str, dict[str, Any]]]:
    if text.next_character() != "{":
        if text.value() is not None:
            raise OpenCostRefused("the answer's data is not what was asked for")
        return
    for name in _members(text):
        entry = text.value()
        if not isinstance(entry, dict):
            raise OpenCostRefused("the answer holds an entry that is not an object")
        yield number, name, entry
