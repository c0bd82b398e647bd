"""The time of day, as the ledger writes it."""

from datetime import UTC, datetime


def utc_now() -> str:
    """Return the time of day in UTC, ISO 8601, to the second: `2026-01-31T12:00:00Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
