"""Checks the `[stop]` table of a league file."""

from arena.config.league_file import StopTable
from arena.core.errors import UsageError


def check_stop(table: StopTable, entries: int, *, endless: bool) -> None:
    """Raise UsageError if a `[stop]` table makes no sense for that number of entries.

    `endless`: the schedule never ends by itself.
    """
    if table.until is None:
        for key in ("top", "indifference"):
            if getattr(table, key) != getattr(StopTable(), key):
                raise UsageError(
                    f'stop.{key}: has no effect without until = "settled"',
                    f'add until = "settled" to [stop], or remove {key}',
                )
        return
    if table.top is not None and table.top > entries:
        raise UsageError(
            f"stop.top: top is {table.top}, but there are only {entries} bots",
            f"set top to {entries} or less",
        )
    if entries < 2:
        raise UsageError("stop.until: one bot alone has no order to settle", "remove until, or add bots")
    if endless and table.matches is None and table.games is None and table.minutes is None:
        raise UsageError(
            "stop: equal bots never settle, and the schedule has no end",
            "add a budget to [stop]: matches, games or minutes",
        )
