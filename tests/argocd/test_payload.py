"""Reading what templates leave behind."""

from datetime import UTC, datetime

import pytest

from costintel.argocd.payload import (
    MalformedBody,
    decisive_moment,
    decisive_text,
    position_of,
    read_object,
    shown_moment,
    shown_text,
    shown_texts,
)
from costintel.errors import InvalidInput

EMPTY = [{}, {"x": None}, {"x": ""}, {"x": "<no value>"}, {"x": "  "}, {"x": " <no value> "}]


@pytest.mark.parametrize("document", EMPTY)
def test_the_ways_of_being_empty_are_alike(document: dict[str, object]) -> None:
    """Missing, null, empty and `<no value>` are the same, for texts and times, whether they decide or are shown."""
    assert decisive_text(document, "x") == ""
    assert decisive_moment(document, "x") is None
    assert shown_text(document.get("x")) == ""
    assert shown_moment(document, "x") is None


@pytest.mark.parametrize("value", [5, True, ["a"], {"a": 1}, "x" * 2049])
def test_a_deciding_field_must_be_a_text(value: object) -> None:
    """Numbers, lists and endless texts are refused by the field's name where something depends on them."""
    with pytest.raises(InvalidInput, match="x: expected a text of at most 2048 characters"):
        decisive_text({"x": value}, "x")


@pytest.mark.parametrize("value", [5, True, ["a"], {"a": 1}])
def test_a_shown_field_is_dropped_instead(value: object) -> None:
    """What is only shown costs no sync."""
    assert shown_text(value) == ""


def test_shown_texts_are_cut() -> None:
    """A shown text keeps 512 characters, a list its texts."""
    assert len(shown_text("x" * 5000)) == 512
    assert shown_texts(["a", 5, "", None, "<no value>", "b"]) == ("a", "b")
    assert shown_texts("a") == ()


def test_what_postgresql_refuses_is_replaced() -> None:
    """NUL and lone surrogates are legal JSON, and kill a jsonb write."""
    assert shown_text("a\x00b\ud800c") == "a\ufffdb\ufffdc"
    assert decisive_text({"x": "prod\x00"}, "x") == "prod\ufffd"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-08-20T09:58:57Z", datetime(2026, 8, 20, 9, 58, 57, tzinfo=UTC)),
        ("2026-08-20T11:58:57.9+02:00", datetime(2026, 8, 20, 9, 58, 57, tzinfo=UTC)),
    ],
)
def test_times_are_whole_utc_seconds(text: str, moment: datetime) -> None:
    """Zones are converted and fractions cut."""
    assert decisive_moment({"x": text}, "x") == moment


@pytest.mark.parametrize(
    "text", ["yesterday", "2026-13-45T00:00:00Z", "2026-08-20T09:58:57", "0001-01-01T00:00:00+14:00"]
)
def test_a_malformed_time_is_told_where_it_decides(text: str) -> None:
    """A time that is none, or has no zone, names its field; a shown one is dropped."""
    with pytest.raises(InvalidInput, match="x: expected an RFC 3339 time"):
        decisive_moment({"x": text}, "x")
    assert shown_moment({"x": text}, "x") is None


@pytest.mark.parametrize(
    ("body", "field", "line", "column"),
    [
        (b"", "body", 1, 1),
        (b"<no value>", "body", 1, 1),
        (b'{"application": "web", "message": "can\'t find "x""}', "message", 1, 48),
        (b'{\n  "application": "web",\n  "resources": [{"kind": "Job"} {"kind": "Pod"}]\n}', "kind", 3, 33),
        (b'{"application": "web",\n "revision": "a\nb"}', "revision", 2, 16),
        (b'{"application": "w', "application", 1, 17),
        (b'{"project": "caf\xe9"}', "project", 1, 17),
        (b"[]", "body", 1, 1),
        (b'"text"', "body", 1, 1),
        (b"null", "body", 1, 1),
        (b"[" * 500_000, "body", 1, 1),
        (b'{"x": ' + b"9" * 5000 + b"}", "body", 1, 1),
    ],
)
def test_broken_bodies_name_position_and_field(body: bytes, field: str, line: int, column: int) -> None:
    """The error says the line, the column and the last field before the place where it stops being JSON."""
    with pytest.raises(MalformedBody) as raised:
        read_object(body)

    assert (raised.value.field, raised.value.line, raised.value.column) == (field, line, column)


def test_a_trailing_comma_names_its_line() -> None:
    """The classic of hand-written lists; which of the two characters is to blame depends on Python's release."""
    with pytest.raises(MalformedBody) as raised:
        read_object(b'{\n  "application": "web",\n  "resources": [{"kind": "Job"},]\n}')

    assert (raised.value.field, raised.value.line) == ("kind", 3)


def test_a_byte_order_mark_is_no_mistake() -> None:
    """UTF-8 with a mark in front is read."""
    assert read_object(b'\xef\xbb\xbf{"a": "\xc3\xa9"}') == {"a": "é"}


def test_the_position_of_a_field_is_found() -> None:
    """Line and column count from 1; a field that is not there has none."""
    assert position_of(b'{\n  "a": 1,\n  "namespace": 5}', "namespace") == (3, 3)
    assert position_of(b"{}", "namespace") is None
