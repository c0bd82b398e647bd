"""Arguments and options that several commands have."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.display.tables import Format
from results.isolation_levels import Wanted

DEFAULT_STORE = Path("arena.sqlite")

StoreOption = Annotated[
    Path,
    typer.Option(
        "--store", envvar="ARENA_STORE", help="The results store, an SQLite file.", show_envvar=True
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to write the listing.")]
LeagueArgument = Annotated[
    str | None, typer.Argument(help="The league's name; left out: the store's only or newest league.")
]
BotOption = Annotated[
    str | None, typer.Option("--bot", "-b", help="Only this bot, by its name in the rankings.")
]

# Of commands that play.

GameOption = Annotated[
    str | None, typer.Option("--game", "-g", help="The game; default: the one that all the bots play.")
]
RulesetOption = Annotated[
    str | None, typer.Option("--ruleset", help="The ruleset; default: the game's first.")
]
RuleOptions = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="Set an option of the game."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        min=1,
        max=1024,
        help="Worker processes; default: the league file's, else one a core.",
    ),
]
ExecutorOption = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="How games are played: processes (the default), serial, or one that a package adds.",
    ),
]
_SANDBOX = "Sandbox for bots: required, the best available, or off"
SandboxOption = Annotated[Wanted, typer.Option("--sandbox", help=f"{_SANDBOX}.")]
LeagueSandboxOption = Annotated[
    Wanted | None, typer.Option("--sandbox", help=f"{_SANDBOX}; default: the league file's.")
]


def naming_store(path: Path) -> str:
    """Return what to add to a command so that it means this store; empty for the default one."""
    return "" if path == DEFAULT_STORE else f" --store {shlex.quote(str(path))}"
