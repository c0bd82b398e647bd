"""How a command keeps its bots apart, and what it says of that."""

from typing import TYPE_CHECKING

from arena.cli.messages import say, warn

if TYPE_CHECKING:
    from arena.sandbox.confinement import Confinement
    from arena.sandbox.probe import ProbeReport
    from results.isolation_levels import Wanted
    from results.store import Store


def warn_of_confinement(given: "Wanted", report: "ProbeReport | None") -> None:
    """Warn of bots that are not confined."""
    from arena.league.running.league_isolation import warning

    for line in warning(given, report):
        warn(line)


def warn_of_temporary_folder() -> None:
    """Warn of a $TMPDIR that is set and can't be used: bots' copies go elsewhere."""
    from arena.sandbox.temporary import passed_over

    if why := passed_over():
        warn(why)


def say_confinement(given: "Wanted", report: "ProbeReport | None") -> None:
    """Say how the bots of a run are kept, and how they could be kept better."""
    from arena.league.running.league_isolation import note

    warn_of_temporary_folder()
    warn_of_confinement(given, report)
    if more := note(given, report):
        say(more)


def confined(store: "Store", given: "Wanted") -> "Confinement":
    """Return how the bots of this command are kept; say what is missing. Raises UsageError for `require`."""
    from arena.league.running.league_isolation import confine

    warn_of_temporary_folder()
    confinement, report = confine(store, given)
    warn_of_confinement(given, report)
    return confinement
