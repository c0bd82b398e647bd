"""Chooses how a command confines its bots, and reports it."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.messages import say, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.config.league_file import LeagueFile
    from arena.league.create import Starts
    from arena.sandbox.confinement import Confinement
    from arena.sandbox.probe import ProbeReport
    from arena.submissions.build import Builder, Say
    from arena.submissions.programs import ToStart
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


def confined(store: Path, given: "Wanted", file: "LeagueFile | None" = None) -> "Confinement":
    """Return how the bots of this command are confined; report what is missing. `store` is the path of the store.

    `file` has the limits for bots, and whether they may think out of turn; default: as without a league.

    Raises UsageError if a sandbox is required and this machine has none.
    """
    from arena.league.running.league_isolation import confine

    warn_of_temporary_folder()
    if file is None:
        confinement, report = confine(store, given)
    else:
        confinement, report = confine(store, given, file.limits, pondering=file.pondering)
    warn_of_confinement(given, report)
    return confinement


def starting(store: Path) -> "Starts":
    """Return what starts the bots of a league once, confined as the league file says, before anything is written.

    `store` is the path of the store. On a machine that can't confine them so, they aren't started, which this says.
    """

    def starts(bots: "Sequence[ToStart]", file: "LeagueFile") -> None:
        from arena import registry
        from arena.checking.first_start import start_each
        from arena.core.errors import UsageError

        try:
            confinement = confined(store, file.sandbox, file)
        except UsageError as error:
            say(f"the bots were not started, to see whether they can: {error}")
            return
        start_each(bots, registry.game(file.game), confinement, file.clock.startup_ms, say)

    return starts


def confined_builder(
    store: Path, given: "Wanted", told: "Say" = say, *, keeps: bool = True
) -> "tuple[Callable[[], Confinement], Builder]":
    """Return a function that gives the confinement of this command's bots, and what builds them in it.

    The confinement is found out, and reported, when it is first needed. `told` is told what is built; `keeps`: whether
    the results are kept for other commands.
    """
    from arena.submissions.build import Builder
    from results.store import files_beside

    confinement = cache(lambda: confined(store, given))
    return confinement, Builder(files_beside(store), confinement, told, keeps)
