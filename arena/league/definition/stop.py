"""Checks the `[stop]` table of a league file."""

from arena.config.league_file import LeagueFile, StopTable
from arena.core.errors import UsageError
from results.base.text import counted


def check_stop(table: StopTable, entries: int, *, endless: bool) -> None:
    """Raise UsageError if a `[stop]` table makes no sense for that number of entries.

    `endless`: the schedule never ends by itself.
    """
    if table.until is None:
        for key in ("top", "indifference", "arrivals", "ahead"):
            if getattr(table, key) != getattr(StopTable(), key):
                raise UsageError(
                    f'stop.{key}: has no effect without until = "settled"',
                    f'add until = "settled" to [stop], or remove {key}',
                )
        return
    if table.top is not None and table.top > entries:
        raise UsageError(
            f"stop.top: top is {table.top}, but there are only {counted(entries, 'bot')}",
            f"set top to {entries} or less",
        )
    if entries < 2:
        raise UsageError("stop.until: one bot alone has no order to settle", "remove until, or add bots")
    if endless and table.matches is None and table.games is None and table.minutes is None:
        raise UsageError(
            "stop: equal bots never settle, and the schedule has no end",
            "add a budget to [stop]: matches, games or minutes",
        )


def why_no_arrivals(file: LeagueFile) -> str:
    """Return why no entry may join a league after its start, by its end rule; empty if some may.

    The error rate of a settled order is divided among the pairs of entries in advance. Without a reserve, a claim about
    an entry that joins later would add to the probability of a mistake.
    """
    if file.stop.until != "settled" or file.stop.arrivals:
        return ""
    return (
        "it ends once its order is settled, and its whole error rate is divided among the entries it started with "
        "(stop.arrivals is 0)"
    )
