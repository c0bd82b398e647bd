"""How the command line speaks of the sandbox."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.display.tables import say, warn

if TYPE_CHECKING:
    from arena.sandbox.confinement import Confinement, Wanted
    from arena.sandbox.levels import ProbeReport
    from results.store import Store


class Sandbox(StrEnum):
    """The choices of `--sandbox`."""

    REQUIRE = "require"
    AUTO = "auto"
    OFF = "off"


_HELP = "Sandbox for bots: required, the best available, or off"
SandboxOption = Annotated[Sandbox, typer.Option("--sandbox", help=f"{_HELP}.")]
LeagueSandboxOption = Annotated[
    Sandbox | None, typer.Option("--sandbox", help=f"{_HELP}; default: the league file's.")
]


def wanted(given: Sandbox) -> "Wanted":
    """Return the option in the words of the sandbox."""
    choices: dict[Sandbox, Wanted] = {
        Sandbox.REQUIRE: "require",
        Sandbox.AUTO: "auto",
        Sandbox.OFF: "off",
    }
    return choices[given]


def warn_of(given: "Wanted", report: "ProbeReport | None") -> None:
    """Warn of bots that are not confined."""
    from arena.league.running.isolation import warning

    for line in warning(given, report):
        warn(line)


def warn_of_temporary_folder() -> None:
    """Warn of a $TMPDIR that is set and can't be used: bots' copies go elsewhere."""
    from arena.sandbox.temporary import passed_over

    if why := passed_over():
        warn(why)


def tell(given: "Wanted", report: "ProbeReport | None") -> None:
    """Say how the bots of a run are kept, and how they could be kept better."""
    from arena.league.running.isolation import note

    warn_of_temporary_folder()
    warn_of(given, report)
    if more := note(given, report):
        say(more)


def confined(store: "Store", given: Sandbox) -> "Confinement":
    """Return how the bots of this command are kept; say what is missing. Raises UsageError for `require`."""
    from arena.league.running.isolation import confine

    warn_of_temporary_folder()
    confinement, report = confine(store, wanted(given))
    warn_of(wanted(given), report)
    return confinement
