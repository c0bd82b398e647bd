"""What `[stop]` and `[quota]` of a league file may say in a league."""

from msgspec.structs import asdict

from arena import registry
from arena.config.league_file import LeagueFile, QuotaTable, StopTable
from arena.core.errors import BadValue
from arena.schedules.base import Field, Open, Schedule


def check_quota(table: QuotaTable, schedule: Schedule) -> None:
    """Raise BadValue if a `[quota]` table limits anything in a league whose field can't change."""
    limited = [key for key, limit in asdict(table).items() if limit is not None]
    if limited and not isinstance(schedule, Open):
        kinds = [name for name, other in registry.schedules().items() if isinstance(other, Open)]
        raise BadValue(
            ("quota", limited[0]),
            f"the field of the schedule {schedule.name!r} is fixed, so no bot can pause or join",
            f"remove [quota], or use a schedule whose field can change: {', '.join(kinds)}",
        )


def check_stop(table: StopTable, field: Field, *, endless: bool) -> None:
    """Raise BadValue if `[stop]` makes no sense; `endless`: the schedule never ends by itself."""
    if table.until is None:
        for key in ("top", "indifference", "arrivals", "ahead"):
            if getattr(table, key) != getattr(StopTable(), key):
                hint = f'add until = "settled" to [stop], or remove {key}'
                raise BadValue(("stop", key), 'has no effect without until = "settled"', hint)
        return
    entries = len(field.entries)
    if table.top is not None and table.top > entries:
        said = f"top is {table.top}, but there are only {field.named(entries)}"
        raise BadValue(("stop", "top"), said, f"set top to {entries} or less")
    if entries < 2:
        said = f"{field.named(entries)} alone has no order to settle"
        raise BadValue(("stop", "until"), said, f"remove until, or {field.remedy}")
    if endless and table.matches is None and table.games is None and table.minutes is None:
        hint = "add a budget to [stop]: matches, games or minutes"
        raise BadValue(("stop",), "equal bots never settle, and this schedule never ends", hint)


def why_no_arrivals(file: LeagueFile) -> str:
    """Return why no entry may join a league after its start, by its end rule; empty if some may.

    The error rate of a settled order is divided among the pairs of entries in advance. Without a reserve, a claim about
    an entry that joins later would add to the probability of a mistake.
    """
    if file.stop.until != "settled" or file.stop.arrivals:
        return ""
    return (
        "it ends once its order is settled, and the entries it started with use up its error rate "
        "(stop.arrivals is 0)"
    )
