"""Checks the `[quota]` table of a league file."""

from msgspec.structs import asdict

from arena import registry
from arena.config.league_file import QuotaTable
from arena.core.errors import UsageError
from arena.schedules.base import Open, Schedule


def check_quota(table: QuotaTable, schedule: Schedule) -> None:
    """Raise UsageError if a `[quota]` table limits anything in a league whose field can't change."""
    if isinstance(schedule, Open):
        return
    for key, limit in asdict(table).items():
        if limit is not None:
            kinds = [name for name, other in registry.schedules().items() if isinstance(other, Open)]
            raise UsageError(
                f"quota.{key}: the field of the schedule {schedule.name!r} is fixed, so no bot can pause or join",
                f"remove [quota], or use a schedule whose field can change: {', '.join(kinds)}",
            )
