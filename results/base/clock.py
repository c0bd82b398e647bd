"""Units of time, and the time of day in the only format that the ledger stores."""

from datetime import UTC, date, datetime, timedelta

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


def utc_now() -> str:
    """Return the current time in the format of `utc_text`."""
    return utc_text(datetime.now(UTC))


def utc_text(moment: datetime) -> str:
    """Return a moment in UTC, ISO 8601, to the millisecond: `2026-01-31T12:00:00.000Z`. It must have a UTC offset."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no offset from UTC")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_the_second(text: str) -> str:
    """Return a time from the ledger without its milliseconds: `2026-01-31T12:00:00Z`."""
    return f"{text[:19]}Z"


def utc_day(text: str) -> str:
    """Return the day of a time from the ledger, in UTC: `2026-01-31`."""
    return text[:10]


def day_after(day: str) -> str:
    """Return the day after a day.

    >>> day_after("2026-12-31")
    '2027-01-01'
    """
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
