"""Moments, days and durations as users write them: `2026-11-22`, `2026-11-22T14:30`, `7d`."""

import re
from datetime import UTC, date, datetime, time, timedelta

from msgspec import Struct

from arena.core.errors import UsageError

_AGO = re.compile(r"([0-9]{1,6})([wdhm])")
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes"}


class Moment(Struct, frozen=True):
    """A moment, and how to show it."""

    at: datetime
    """In UTC."""
    text: str
    """`2026-11-22` for a whole day, otherwise with the time of day, in UTC."""


def moment_of(option: str, text: str, now: datetime, *, end_of_day: bool = False) -> Moment:
    """Return the moment that the value of an option names; `now` has an offset from UTC.

    A day begins at midnight UTC; with `end_of_day` it stands for the midnight after it. A time without an offset is in
    UTC. `7d` and `12h` are so long before `now`. Raises UsageError.
    """
    text = text.strip()
    try:
        if ago := _AGO.fullmatch(text):
            at = now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
            return Moment(at.astimezone(UTC), _shown(at))
        if day := _day(text):
            at = datetime.combine(day, time(), UTC)
            return Moment(at + timedelta(days=1) if end_of_day else at, day.isoformat())
        at = datetime.fromisoformat(text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        return Moment(at, _shown(at))
    except (ValueError, OverflowError):
        raise UsageError(
            f"{option} {text!r} is not a date",
            f"write a day or a time, in UTC, or how long ago: {option} 2026-11-22, {option} 2026-11-22T14:30, "
            f"{option} 7d, {option} 12h",
        ) from None


def _day(text: str) -> date | None:
    """Return the day that a text names without a time; None if it has one, or is no date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _shown(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def lasting(option: str, text: str) -> timedelta:
    """Return the duration that the value of an option names, such as `30d` or `12h`. Raises UsageError."""
    found = _AGO.fullmatch(text.strip())
    try:
        span = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta()
    except OverflowError:
        span = timedelta()
    if not timedelta() < span <= timedelta(days=36_500):
        raise UsageError(
            f"{option} {text!r} is not a duration",
            f"write a number of weeks, days, hours or minutes: {option} 4w, {option} 30d, {option} 12h, {option} 90m",
        )
    return span
