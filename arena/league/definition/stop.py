"""What a `[stop]` table may ask for."""

from arena.config.league_file import StopTable
from arena.core.errors import UsageError


def check_stop(table: StopTable, entries: int, *, endless: bool) -> None:
    """Raise UsageError for a `[stop]` table that makes no sense for so many entries.

    `endless`: the schedule has no end of its own.
    """
    if table.until is None:
        for key in ("top", "indifference"):
            if getattr(table, key) != getattr(StopTable(), key):
                raise UsageError(
                    f"stop.{key}: it says what is to be settled, but the league does not wait for that",
                    'add until = "settled" to [stop]',
                )
        return
    if table.top is not None and table.top > entries:
        raise UsageError(f"stop.top: top is {table.top}, but there are only {entries} bots")
    if entries < 2:
        raise UsageError("stop.until: one bot alone has no order to be settled")
    if endless and table.matches is None and table.games is None and table.minutes is None:
        raise UsageError(
            "stop: the order of equals is never settled, and the schedule has no end",
            "add a budget to [stop]: matches, games or minutes",
        )
