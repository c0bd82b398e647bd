"""Arguments and options that several commands share."""

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
        "--store", envvar="ARENA_STORE", help="The results store (an SQLite file).", show_envvar=True
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="Output format.")]
ANY_BOT = (
    "a folder or an archive, one of Arena's such as `bots/sandwich/greedy`, or a submitted bot: `name`, `author/name`, "
    "`name@2` or the start of its hash"
)
"""How commands name bots; see `arena.league.definition.named_bots`."""
AnyBot = Annotated[str, typer.Argument(metavar="BOT", help=f"The bot: {ANY_BOT}.")]
LeagueArgument = Annotated[
    str | None, typer.Argument(help="The league's name; default: the store's only or newest league.")
]
ENTRY = "by its name in the league or any other name"
"""How commands name bots in a league."""
ChangedLeague = Annotated[str, typer.Argument(metavar="LEAGUE", help="The league's name.")]
ChangedEntry = Annotated[str, typer.Argument(metavar="BOT", help=f"The bot, {ENTRY}.")]
BotOption = Annotated[str | None, typer.Option("--bot", "-b", help=f"Show only this bot, {ENTRY}.")]

# For commands that can ask a server.

AtOption = Annotated[
    str | None,
    typer.Option("--at", metavar="URL", help="Ask the server at this address instead of reading a store."),
]
InsecureOption = Annotated[
    bool,
    typer.Option("--insecure", help="Allow an address without https, which others on the way can read."),
]

# For commands that play games.

GameOption = Annotated[
    str | None, typer.Option("--game", "-g", help="The game; default: the only one that all the bots play.")
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
        help="Number of worker processes; default: the league file's, or one per core.",
    ),
]
ExecutorOption = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="How to play games: processes (the default), serial, or an executor from a plug-in.",
    ),
]
_SANDBOX = "Sandbox for bots: required, the best available, or off"
SandboxOption = Annotated[Wanted, typer.Option("--sandbox", help=f"{_SANDBOX}.")]
LeagueSandboxOption = Annotated[
    Wanted | None, typer.Option("--sandbox", help=f"{_SANDBOX}; default: the league file's.")
]


def naming_store(path: Path) -> str:
    """Return the option that makes a command use this store; empty for the default store."""
    return "" if path == DEFAULT_STORE else f" --store {shlex.quote(str(path))}"
