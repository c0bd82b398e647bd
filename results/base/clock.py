"""Units of time, and the time of day in the only format that the ledger stores."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

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


LEAST_GAMES = 20
"""Fewer tell no pace."""
PAUSE_S, PAUSE_TIMES = 10.0, 20.0
"""A gap is a pause if it is longer than 10 seconds and than 20 median gaps: nothing was played then."""


def pace(finished_at: Iterable[str]) -> float | None:
    """Return how many games were played a second, by when each was over; None for too few, or all at once."""
    ended = sorted(map(datetime.fromisoformat, finished_at))
    if len(ended) < LEAST_GAMES:
        return None
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(ended)]
    pause_s = max(PAUSE_S, PAUSE_TIMES * sorted(gaps)[len(gaps) // 2])
    played = [gap for gap in gaps if gap <= pause_s]
    return len(played) / sum(played) if sum(played) > 0 else None
