"""The envelope read as it arrives."""

import json
from collections.abc import Iterable

import pytest

from costintel.errors import OpenCostRefused
from costintel.opencost import stream
from costintel.opencost.stream import entries

_BODY = b'{"code":200,"data":[{"a":{"n":1},"b":{"n":-0.5,"t":"\xc3\xbc \\" ] }"}}]}\n'
_ENTRIES = [(0, "a", {"n": 1}), (0, "b", {"n": -0.5, "t": 'ü " ] }'})]


def _read(body: bytes | Iterable[bytes], opening: str = "[") -> list[tuple[int, str, object]]:
    return list(entries([body] if isinstance(body, bytes) else body, opening=opening))


def _refusal(body: bytes, opening: str = "[") -> str:
    with pytest.raises(OpenCostRefused) as refused:
        _read(body, opening)
    return str(refused.value)


def test_entries_keep_their_names_and_order() -> None:
    """Each entry comes with its set's number and its name."""
    assert _read(_BODY) == _ENTRIES


@pytest.mark.parametrize("piece", [1, 2, 7, 31])
def test_any_cut_between_pieces_gives_the_same_entries(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces may end inside a number, a name, an escape or a two-byte character."""
    monkeypatch.setattr(stream, "READ_BYTES", 1)
    assert _read(_BODY[at : at + piece] for at in range(0, len(_BODY), piece)) == _ENTRIES


@pytest.mark.parametrize("cut", range(len(_BODY) - 1))
def test_every_truncated_answer_is_refused(cut: int) -> None:
    """A body cut anywhere is an error, never a shorter answer."""
    assert _refusal(_BODY[:cut])


def test_numbers_are_whole_when_a_piece_ends_inside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """`code` 200 in two pieces is not code 2."""
    monkeypatch.setattr(stream, "READ_BYTES", 1)
    assert _read([b'{"code":2', b'00,"data":[]}']) == []


def test_code_may_follow_data() -> None:
    """The order of the envelope's fields does not matter."""
    assert _read(b'{"data":[{"a":{}}],"code":200}') == [(0, "a", {})]


def test_a_failing_code_after_data_is_an_error() -> None:
    """T24: entries do not make an answer good when its code says otherwise."""
    assert _refusal(b'{"data":[{"a":{}}],"code":500}') == "answered with code 500"


def test_old_envelopes_carry_a_status() -> None:
    """T36: up to 1.114 the envelope has `status`, which is ignored; a warning is too."""
    assert _read(b'{"code":200,"status":"success","data":[{}],"warning":"w"}') == []


def test_http_200_with_code_500_is_an_error_with_its_text() -> None:
    """T24: an encoding failure comes as HTTP 200 with code 500."""
    body = b'{"code":500,"message":"Internal Server Error"}'
    assert _refusal(body) == "answered with code 500: Internal Server Error"


def test_an_error_with_null_data_is_an_error() -> None:
    """Error bodies hold `data: null`."""
    assert _refusal(b'{"code":400,"data":null,"message":"Invalid step parameter"}').startswith("answered with code 400")


@pytest.mark.parametrize(
    "body", [b'{"data":[]}', b'{"code":"200","data":[]}', b'{"code":200}', b'{"code":200,"data":null}', b"{}"]
)
def test_success_needs_code_200_and_data(body: bytes) -> None:
    """A body without code 200, or without a list, is no answer."""
    assert _refusal(body)


@pytest.mark.parametrize("data", ["{}", '"text"', "7", "true"])
def test_allocation_data_must_be_a_list(data: str) -> None:
    """An object, a text or a number is not a list of sets."""
    assert _refusal(f'{{"code":200,"data":{data}}}'.encode()) == "the answer's data is not what was asked for"


def test_null_sets_and_an_empty_list_hold_nothing() -> None:
    """T25: `[]`, `[{}]` and null elements are answers without rows."""
    assert _read(b'{"code":200,"data":[null,{}]}') == []
    assert _read(b'{"code":200,"data":[]}') == []


def test_sets_are_numbered() -> None:
    """Rows of different sets can be told apart."""
    assert _read(b'{"code":200,"data":[{"a":{}},null,{"b":{}}]}') == [(0, "a", {}), (2, "b", {})]


def test_assets_may_be_an_object_or_a_list_of_objects() -> None:
    """T40: OpenCost sends an object of assets, Kubecost a list of such objects."""
    assert _read(b'{"code":200,"data":{"a":{}}}', "{[") == [(0, "a", {})]
    assert _read(b'{"code":200,"data":[{"a":{}}]}', "{[") == [(0, "a", {})]


def test_blanks_between_everything_are_allowed() -> None:
    """Indented answers read like compact ones."""
    body = json.dumps({"code": 200, "data": [{"a": {"n": 1}}]}, indent=2).encode()
    assert _read(b"\n" + body + b"\n\n") == [(0, "a", {"n": 1})]


@pytest.mark.parametrize("body", [b"", b"  \n"])
def test_an_empty_body_is_refused(body: bytes) -> None:
    """T24: old versions answer an encoding failure with HTTP 200 and nothing."""
    assert _refusal(body) == "the answer is empty"


@pytest.mark.parametrize("body", [b"<html><body>502 Bad Gateway</body></html>", b"404 page not found\n", b"[]"])
def test_what_is_not_json_is_refused(body: bytes) -> None:
    """A proxy's page is not an answer."""
    assert _refusal(body) == "the answer is not JSON"


def test_text_after_the_answer_is_refused() -> None:
    """Two bodies glued together are no answer."""
    assert _refusal(b'{"code":200,"data":[]}{"code":500}') == "more text follows the answer"


@pytest.mark.parametrize(
    "body", [b'{"code":200,"data":[{"a":1}]}', b'{"code":200,"data":[[]]}', b'{"code" 200}', b"{1:2}"]
)
def test_malformed_structure_is_refused(body: bytes) -> None:
    """An entry must be an object, a set an object, a member a name and a value."""
    assert _refusal(body)


def test_not_a_number_reads_as_absent() -> None:
    """T24: NaN and Infinity, which JSON lacks, are numbers nobody knows."""
    assert _read(b'{"code":200,"data":[{"a":{"x":NaN,"y":-Infinity}}]}') == [(0, "a", {"x": None, "y": None})]


def test_an_endless_entry_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that never ends must not fill the memory."""
    monkeypatch.setattr(stream, "ENTRY_CHARACTERS", 1000)
    monkeypatch.setattr(stream, "READ_BYTES", 100)
    pieces = (b'{"code":200,"data":[{"a":{"t":"', *[b"x" * 100] * 100)
    with pytest.raises(OpenCostRefused, match="8 MiB"):
        _read(pieces)


def test_bytes_that_are_not_text_are_refused() -> None:
    """A body must be UTF-8."""
    assert _refusal(b'{"code":200,"data":[{"a":{"t":"\xff"}}]}') == "the answer is not UTF-8 text"


def test_nesting_without_end_is_refused() -> None:
    """A value nested a hundred thousand deep is not OpenCost's."""
    assert _refusal(b'{"code":200,"x":' + b"[" * 100_000)


def test_entries_are_given_before_the_rest_has_arrived() -> None:
    """Nothing waits for the end of the body: the first entry comes while the second is still on its way."""
    arrived: list[str] = []

    def pieces() -> Iterable[bytes]:
        yield b'{"code":200,"data":[{"a":{},' + b" " * stream.READ_BYTES
        arrived.append("rest")
        yield b'"b":{}}]}'

    reading = entries(pieces(), opening="[")
    assert next(reading) == (0, "a", {})
    assert arrived == []
    assert [name for _, name, _ in reading] == ["b"]
