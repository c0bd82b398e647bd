"""Chooses how a command confines its bots, and reports it."""

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.messages import say, warn

if TYPE_CHECKING:
    from arena.config.league_file import LimitsTable
    from arena.sandbox.confinement import Confinement
    from arena.sandbox.probe import ProbeReport
    from results.isolation_levels import Wanted


def warn_of_confinement(given: "Wanted", report: "ProbeReport | None") -> None:
    """Warn if bots are not confined."""
    from arena.league.running.league_isolation import warning

    for line in warning(given, report):
        warn(line)


def warn_of_temporary_folder() -> None:
    """Warn if $TMPDIR is set but can't be used: copies of bots go to another folder."""
    from arena.sandbox.temporary import passed_over

    if why := passed_over():
        warn(why)


def say_confinement(given: "Wanted", report: "ProbeReport | None") -> None:
    """Report how the bots of a run are confined, and what is missing."""
    from arena.league.running.league_isolation import note

    warn_of_temporary_folder()
    warn_of_confinement(given, report)
    if more := note(given, report):
        say(more)


def confined(
    store: Path, given: "Wanted", limits: "LimitsTable | None" = None, *, pondering: bool = False
) -> "Confinement":
    """Return how the bots of this command are confined; report what is missing. `store` is the path of the store.

    `limits` and `pondering` are those of a league file; default: the defaults.

    Raises UsageError if a sandbox is required and this machine has none.
    """
    from arena.league.running.league_isolation import confine

    warn_of_temporary_folder()
    confinement, report = confine(store, given, limits, pondering=pondering)
    warn_of_confinement(given, report)
    return confinement
