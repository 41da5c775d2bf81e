"""Moments as text: in keys, payloads and documents."""

from datetime import UTC, datetime


def text_of(moment: datetime) -> str:
    """Write a moment as RFC 3339 in UTC, whole seconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment_of(text: str) -> datetime:
    """Read what `text_of` wrote."""
    return datetime.fromisoformat(text).astimezone(UTC)
