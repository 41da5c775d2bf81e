"""Which tokens are accepted, and how a refusal is told."""

from datetime import UTC, datetime, timedelta

import pytest

from costintel.argocd.tokens import TokenHashes, refusal
from costintel.errors import ConfigurationError
from tests.argocd.events import token_hash

NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
CURRENT = token_hash("current")
PREVIOUS = token_hash("previous")


def code(authorization: tuple[str, ...], hashes: str = CURRENT) -> str | None:
    refused = refusal(authorization, TokenHashes.parse(hashes), NOW)
    return refused.type.code if refused else None


def test_the_current_token_is_accepted() -> None:
    """A token whose hash is listed without an expiry is accepted."""
    assert TokenHashes.parse(CURRENT).accepts("current", NOW)


@pytest.mark.parametrize("token", ["", " ", "Current", "current ", "previous", CURRENT])
def test_anything_else_is_refused(token: str) -> None:
    """Another case, a blank more, another token and the hash itself are not the token."""
    assert not TokenHashes.parse(CURRENT).accepts(token, NOW)


def test_the_previous_token_is_accepted_until_it_expires() -> None:
    """Two tokens are valid during rotation, and the old one no longer from its expiry on."""
    hashes = TokenHashes.parse(f"{CURRENT}, {PREVIOUS}@2026-11-30T08:00:00Z")

    assert hashes.accepts("previous", NOW - timedelta(seconds=1))
    assert not hashes.accepts("previous", NOW)
    assert hashes.accepts("current", NOW)


def test_without_hashes_nothing_is_accepted() -> None:
    """An installation without a token lets nobody in."""
    assert not TokenHashes.parse(" , ").accepts("", NOW)
    assert not TokenHashes.parse("").accepts("current", NOW)


@pytest.mark.parametrize("token", ["", "$cost-intel.proxy.authorization", "$"])
def test_empty_and_unresolved_tokens_are_refused_even_if_their_hash_is_stored(token: str) -> None:
    """The hash of an empty token or of a literal `$key` gives no access."""
    assert not TokenHashes.parse(token_hash(token)).accepts(token, NOW)


def test_hashes_may_be_written_in_capitals() -> None:
    """Hex digits count without their case."""
    assert TokenHashes.parse(CURRENT.upper()).accepts("current", NOW)


@pytest.mark.parametrize(
    "text", ["current", CURRENT[:-1], f"{CURRENT}@", f"{CURRENT}@tomorrow", f"{CURRENT}@2026-11-30T08:00:00"]
)
def test_a_malformed_setting_stops_the_function(text: str) -> None:
    """What is no hash, or no expiry with a zone, is a configuration error."""
    with pytest.raises(ConfigurationError, match=r"^PROXY_TOKEN_HASHES: expected 64 hex digits"):
        TokenHashes.parse(f"{CURRENT}, {text}", setting="PROXY_TOKEN_HASHES")


@pytest.mark.parametrize("value", ["Bearer current", "bearer current", "BEARER  current"])
def test_the_bearer_scheme_is_read_in_any_case(value: str) -> None:
    """The scheme's case and the blanks behind it do not matter."""
    assert code((value,)) is None


@pytest.mark.parametrize("authorization", [(), ("",), ("  ",)])
def test_a_missing_token_is_told(authorization: tuple[str, ...]) -> None:
    """No header, and an empty one, are a missing token."""
    assert code(authorization) == "token_missing"


@pytest.mark.parametrize(
    "authorization",
    [
        ("Bearer wrong",),
        ("Bearer",),
        ("Bearer ",),
        ("current",),
        ("Basic Y3VycmVudA==",),
        ("Bearer current, Bearer current",),
        ("Bearer current,Bearer wrong",),
        ("Bearer current", "Bearer current"),
        ("Bearer current", ""),
        ("Bearer current extra",),
    ],
)
def test_a_wrong_or_repeated_token_is_refused(authorization: tuple[str, ...]) -> None:
    """Wrong tokens, other schemes, and more than one value are refused, whatever one of them is."""
    assert code(authorization) == "token_refused"


@pytest.mark.parametrize("value", ["$no.such.key", "Bearer $cost-analysis.proxy.token", "bearer $x"])
def test_an_unresolved_reference_is_told_apart(value: str) -> None:
    """A `$key` that Argo CD sent literally points to its Secret, not to the token."""
    assert code((value,)) == "token_unresolved"


def test_an_expired_token_is_refused() -> None:
    """The previous token after its expiry is a wrong token."""
    assert code(("Bearer previous",), f"{CURRENT},{PREVIOUS}@2026-11-30T07:59:59+00:00") == "token_refused"


def test_a_refusal_asks_for_a_bearer_token() -> None:
    """401 carries WWW-Authenticate, as RFC 9110 asks for, and a problem document."""
    refused = refusal((), TokenHashes.parse(CURRENT), NOW)
    assert refused is not None
    answer = refused.answer()

    assert answer["statusCode"] == 401
    assert answer["headers"]["WWW-Authenticate"] == "Bearer"
    assert answer["headers"]["Content-Type"] == "application/problem+json"
    assert answer["headers"]["X-Content-Type-Options"] == "nosniff"
