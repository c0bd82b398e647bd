"""Arguments and options that several commands share."""

import re
import shlex
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from arena.cli.display.tables import Format
from arena.core.errors import UsageError
from results.base.isolation_levels import Wanted

DEFAULT_STORE = Path("arena.sqlite")

Store = Annotated[Path, typer.Option(envvar="ARENA_STORE", help="The results store (an SQLite file).")]
Explain = Annotated[bool, typer.Option("--explain", help="Say what each column means, with its figures.")]
Form = Annotated[Format, typer.Option("--format", help="Output format; `csv-bom` is CSV for spreadsheets.")]
ANY_BOT = (
    "a folder or an archive, one of Arena's such as `bots/sandwich/greedy`, or a submitted bot: `name`, `author/name`, "
    "`name@2` or the start of its hash"
)
"""How commands name bots; see `arena.league.definition.bot_arguments`."""
AnyBot = Annotated[str, typer.Argument(metavar="BOT", help=f"The bot: {ANY_BOT}.")]
League = Annotated[
    str | None,
    typer.Argument(metavar="LEAGUE", help="The league's name; default: the store's only or newest league."),
]
ENTRY = "by its name in the league or any other name"
"""How commands name bots in a league."""
ChangedLeague = Annotated[str, typer.Argument(metavar="LEAGUE", help="The league's name.")]
ChangedEntry = Annotated[str, typer.Argument(metavar="BOT", help=f"The bot, {ENTRY}.")]
Bot = Annotated[str | None, typer.Option("--bot", "-b", help=f"Show only this bot, {ENTRY}.")]
BotInGame = Annotated[str | None, typer.Option("--bot", "-b", help=f"The bot, {ENTRY}.")]
GAME_HELP = "LEAGUE/MATCH.ROTATION, such as demo/12.0; default for LEAGUE: the store's only or newest league."
GameName = Annotated[str, typer.Argument(metavar="GAME", help=GAME_HELP)]
Seat = Annotated[int | None, typer.Option(min=0, help="The seat, from 0, instead of the bot's name.")]

Full = Annotated[bool, typer.Option("--full", help="Show every move and value in full.")]
JsonLines = Annotated[bool, typer.Option("--json", help="Print a JSON object for each line.")]
Target = Annotated[
    Path | None, typer.Option("--output", "-O", help="The file to write; default: `-`, standard output.")
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite the file if it exists.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]

# For commands that can ask a server.

At = Annotated[
    str | None, typer.Option(metavar="URL", help="Ask the server at this address instead of reading a store.")
]
Insecure = Annotated[
    bool,
    typer.Option("--insecure", help="Allow an address without https, which others on the network can read."),
]

# For commands that play games.

Game = Annotated[
    str | None, typer.Option("--game", "-g", help="The game; default: the only one that all the bots play.")
]
Ruleset = Annotated[str | None, typer.Option("--ruleset", help="The ruleset; default: the game's first.")]
RuleOptions = Annotated[
    list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="Set an option of the game.")
]
Seed = Annotated[
    str | None,
    typer.Option(
        "--seed", "-s", help="Play the deal of this seed; suite:NAME/7 is the seventh deal of a suite."
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        min=1,
        max=1024,
        help="Number of worker processes; default: the league file's, or one per core.",
    ),
]
Executor = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How to play games: processes (the default), serial, or an executor from a plug-in.",
    ),
]
_SANDBOX = "Sandbox for bots: required, the best available, or off"
Sandbox = Annotated[Wanted, typer.Option("--sandbox", help=f"{_SANDBOX}.")]
LeagueSandbox = Annotated[
    Wanted | None, typer.Option("--sandbox", help=f"{_SANDBOX}; default: the league file's.")
]

On = Annotated[
    str | None,
    typer.Option(
        metavar="HOSTS",
        help="Play on several hosts: `tls://HOST:PORT` of a Dask scheduler, or `local:N` for N hosts on this machine, "
        "which share its cores or `--workers`. Default: worker processes of this machine.",
    ),
]
Certificates = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="The certificates of the cluster, for `tls://`; default: those of the settings file.",
    ),
]


def naming_store(path: Path) -> str:
    """Return the option that makes a command use this store; empty for the default store."""
    return "" if path == DEFAULT_STORE else f" --store {shlex.quote(str(path))}"


_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes"}


def _span(text: str) -> timedelta | None:
    """Return the span of a text such as `7d`; None if it is none. Raises OverflowError."""
    found = re.fullmatch(r"([0-9]{1,6})([wdhm])", text)
    return timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else None


class GivenTime(NamedTuple):
    """The time that an option names, and how to show it."""

    at: datetime
    """In UTC."""
    text: str
    """`2026-11-22` for a whole day, otherwise with the time of day, in UTC."""


def given_time(option: str, text: str, now: datetime, *, end_of_day: bool = False) -> GivenTime:
    """Return the time that the value of an option names; `now` has an offset from UTC.

    A day begins at midnight UTC; with `end_of_day` it stands for the midnight after it. A time without an offset is in
    UTC. `7d` and `12h` are so long before `now`. Raises UsageError.
    """
    text = text.strip()
    try:
        if (span := _span(text)) is not None:
            return GivenTime((now - span).astimezone(UTC), _shown(now - span))
        if day := _day(text):
            at = datetime.combine(day, time(), UTC)
            return GivenTime(at + timedelta(days=1) if end_of_day else at, day.isoformat())
        at = datetime.fromisoformat(text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        return GivenTime(at, _shown(at))
    except (ValueError, OverflowError):
        raise UsageError(
            f"{option} {text!r} is not a date",
            f"write a day or a time, in UTC, or how long ago: {option} 2026-11-22, {option} 2026-11-22T14:30, "
            f"{option} 7d, {option} 12h",
        ) from None


def _day(text: str) -> date | None:
    """Return the day that a text names without a time; None if it has one, or is no date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _shown(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def given_span(option: str, text: str) -> timedelta:
    """Return the duration that the value of an option names, such as `30d` or `12h`. Raises UsageError."""
    try:
        span = _span(text.strip()) or timedelta()
    except OverflowError:
        span = timedelta()
    if not timedelta() < span <= timedelta(days=36_500):
        raise UsageError(
            f"{option} {text!r} is not a duration",
            f"write a number of weeks, days, hours or minutes: {option} 4w, {option} 30d, {option} 12h, {option} 90m",
        )
    return span


def lists(context: typer.Context) -> bool:
    """Return whether a group of commands stands alone, and so lists. Raises UsageError for options before a command."""
    if context.invoked_subcommand is None:
        return True
    for param in context.command.params:
        source = context.get_parameter_source(str(param.name))
        if source is not None and source.name == "COMMANDLINE":
            group = f"arena {context.info_name}"
            raise UsageError(
                f"{group}: {param.opts[0]} stands before the command {context.invoked_subcommand}",
                f"write it after the command: {group} {context.invoked_subcommand} … {param.opts[0]} …",
            )
    return False
