"""The shared secrets that prove who calls: only their hashes are known here."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest
from typing import Self

from costintel.argocd.problem import TOKEN_MISSING, TOKEN_REFUSED, TOKEN_UNRESOLVED, Problem
from costintel.errors import ConfigurationError

_HASH = re.compile(r"([0-9a-fA-F]{64})(?:@(\S+))?")
_BEARER = re.compile(r"bearer[ \t]+(\S.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class TokenHash:
    """SHA-256 of an accepted token, and the moment from which it is no longer accepted (None: no end)."""

    digest: bytes
    expires_at: datetime | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `SHA256HEX` or `SHA256HEX@EXPIRY`, the expiry in RFC 3339. Raises ValueError."""
        match = _HASH.fullmatch(text)
        expires_at = datetime.fromisoformat(match[2]) if match and match[2] else None
        if match is None or (expires_at and expires_at.tzinfo is None):
            raise ValueError("expected a hash, or a hash and an expiry with a zone")
        return cls(bytes.fromhex(match[1]), expires_at)


@dataclass(frozen=True, slots=True)
class TokenHashes:
    """The tokens accepted for one purpose: the current one and, while it is being replaced, the previous one."""

    hashes: tuple[TokenHash, ...]

    @classmethod
    def parse(cls, text: str, *, setting: str = "token hashes") -> Self:
        """Read a comma-separated list of hashes; an empty one accepts nothing. Raises ConfigurationError naming `setting`."""
        try:
            return cls(tuple(TokenHash.parse(part.strip()) for part in text.split(",") if part.strip()))
        except ValueError:
            expected = "64 hex digits for each token, with an optional @ and an RFC 3339 expiry with a zone"
            raise ConfigurationError(f"{setting}: expected {expected}") from None

    def accepts(self, token: str, now: datetime) -> bool:
        """Whether `token` is accepted at `now`.

        Takes the same time whatever the token is. An empty one, or an unresolved reference (`$key`), never is, even if someone
        stored its hash.
        """
        digest = sha256(token.encode(errors="surrogatepass")).digest()
        accepted = False
        for known in self.hashes:
            is_current = known.expires_at is None or now < known.expires_at
            accepted |= compare_digest(known.digest, digest) and is_current
        return accepted and bool(token.strip()) and not token.startswith("$")


def refusal(authorization: Sequence[str], hashes: TokenHashes, now: datetime) -> Problem | None:
    """Return why a request with these `Authorization` values is refused, None when it is not.

    Exactly one value counts. Argo CD sends the text `$key` when its Secret has no such key; that is told apart, because the
    remedy is another one than for a wrong token.
    """
    if not any(value.strip() for value in authorization):
        return Problem(TOKEN_MISSING, "The request has no Authorization header")
    match = _BEARER.fullmatch(authorization[0].strip())
    if len(authorization) == 1 and match and hashes.accepts(match[1], now):
        return None
    if len(authorization) == 1 and (match[1] if match else authorization[0].strip()).startswith("$"):
        return Problem(
            TOKEN_UNRESOLVED, "The token is an unresolved reference: Argo CD's Secret has no key of that name"
        )
    return Problem(TOKEN_REFUSED, "The token is not one that is accepted, or no longer; expected one `Bearer TOKEN`")
