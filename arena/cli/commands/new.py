"""`arena games`, `arena new` and `arena suite`: the games that are installed, new bots and deals for them."""

import shlex
import shutil
from pathlib import Path
from secrets import token_hex
from typing import Annotated

import typer
from rich.markdown import Markdown

from arena import registry
from arena.cli.base import options
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.consoles import console, write_data, write_line
from arena.cli.terminal.messages import answer, say, warn, write_file
from arena.config.deal_suites import (
    ENDING,
    MOST_DEALS,
    SEED_BYTES,
    Suite,
    check_suite_name,
    hash_of,
    suite_text,
)
from arena.config.names import BOT_NAME, is_bot_name, near_bot_name
from arena.core.errors import UsageError
from arena.core.game import AnyGame
from arena.core.package_files import rules_page
from arena.core.ruleset import numbers, show
from arena.core.ruleset import ruleset as ruleset_of
from arena.core.vectors import vectors as game_vectors
from arena.league.definition.resolve import given_rules, given_seats
from arena.registry import blaming
from arena.submissions.manifest import ANY_GAME, first_opponents
from arena.templates.new_folder import (
    EVERY_GAME,
    TOOLCHAINS,
    BotDraft,
    Language,
    commands,
    drafted,
    write_new_folder,
)
from results.base.text import counted, json_text
from results.reports.columns import Column, ReportRow, markdown_lines

app = typer.Typer()


class RulesetRow(ReportRow, frozen=True, kw_only=True):
    """A game in one of its rulesets."""

    name: Annotated[str, Column("game", priority=0)]
    """Name of the game."""
    ruleset: Annotated[str, Column(priority=0)]
    players: Annotated[str, Column(priority=2)]
    """Smallest and largest number."""
    options: Annotated[str, Column("options and defaults", wide=True, priority=1)]
    """Their values in this ruleset."""


@app.callback(invoke_without_command=True)
def games(context: typer.Context, form: options.Form = Format.TABLE) -> None:
    """List the installed games, with rulesets and options."""
    if context.invoked_subcommand is not None:
        return
    rows = []
    for game in registry.games().values():
        for name in game.info.rulesets:
            rules = ruleset_of(game.info, name)
            seats = game.seats(rules)
            rows.append(
                RulesetRow(
                    name=game.info.name,
                    ruleset=name,
                    players=numbers(seats, "–"),
                    options=", ".join(
                        f"{option}={show(rules[option])}" for option in sorted({*rules.options, *rules.off})
                    ),
                )
            )
    list_rows(RulesetRow, rows, form)
    for broken in registry.games().broken:
        warn(f"{broken.reason}; {broken.hint}")


@app.command("show")
def show_game(
    name: Annotated[str, typer.Argument(metavar="GAME")],
) -> None:
    """Print a game's page: rules, options, moves, events and messages.

    Options:
        name: The game's name, such as bread-basket.
    """
    game = registry.game(name)
    page = rules_page(game) or _short_page(game)
    out = console()
    if out.is_terminal:
        with out.pager(styles=True):
            out.print(Markdown(page))
    else:
        write_line(page)


@app.command()
def vectors(
    name: Annotated[str, typer.Argument(metavar="GAME")],
    ruleset: options.Ruleset = None,
    option: options.RuleOptions = None,
    seats: Annotated[list[int] | None, typer.Option(metavar="N")] = None,
    number: Annotated[int, typer.Option("--games", "-n", min=1, max=100_000)] = 10,
    seed: Annotated[str, typer.Option("--seed", "-s")] = "1",
    target: options.Target = None,
    force: options.Force = False,
) -> None:
    """Write random games as JSON lines, to test rules written in another language.

    Each game has a line for its deal, one for each turn and one for its end: what chance drew, what the seats see,
    the legal moves, the moves made, and what follows.

    Options:
        name: The game's name, such as bread-basket.
        seats: Number of seats; repeat it for several. Default: the fewest.
        number: Number of games for each number of seats.
        seed: Another seed gives other games.
    """
    game, given = registry.game(name), option or []
    tables = {
        count: given_rules(game, ruleset, given, count, by_option=True)
        for count in seats or given_seats(game, ruleset, given)[:1]
    }
    lines = (
        json_text(line) + "\n"
        for count, rules in tables.items()
        for game_no in range(number)
        for line in game_vectors(game, rules, count, seed, game_no)
    )
    with blaming("game", name, game):
        if target is None or str(target) == "-":
            for line in lines:
                write_data(line)
        else:
            write_file(target, "".join(lines), force=force)


def _short_page(game: AnyGame) -> str:
    """Return a short page for a game that has none."""
    info = game.info
    options = [(one.name, one.allowed, show(one.default), one.summary) for one in info.options]
    rulesets = [
        (name, ", ".join(f"{key}={show(value)}" for key, value in changes.items()))
        for name, changes in info.rulesets.items()
    ]
    tables = (("ruleset", "sets"), rulesets), (("option", "values", "default", "meaning"), options)
    drawn = ["".join(markdown_lines(names, [False] * len(names), rows)) for names, rows in tables if rows]
    return "\n".join([f"# {info.title}\n\n{info.summary}\n", *drawn])


def suite(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    game: Annotated[str, typer.Option("--game", "-g")],
    deals: Annotated[int, typer.Option(min=1, max=MOST_DEALS)] = 100,
    force: options.Force = False,
) -> None:
    """Make a suite of deals: a file that you can publish, to play the same deals each time.

    Play it with --deals suite:NAME in `arena compare` and `arena race`, with deals = "suite:NAME" in a league file, and
    its seventh deal with --seed suite:NAME/7 in `arena match`. What is played on it is never rated, because anyone can
    know its deals beforehand.

    Options:
        name: Its name; the file is NAME.suite.toml.
        game: The game whose deals they are.
        deals: Number of deals.
    """
    found = registry.game(game).info.name
    path = Path(f"{check_suite_name(name)}{ENDING}")
    seeds = tuple(token_hex(SEED_BYTES) for _ in range(deals))
    write_file(path, suite_text(Suite(name, found, hash_of(found, seeds), seeds)), force=force)
    say(f"wrote {path}: {counted(deals, 'deal')} of {found}; play them with --deals suite:{name}")


def new(
    name: Annotated[str, typer.Argument()],
    game: Annotated[str | None, typer.Option("--game", "-g", show_default=False)] = None,
    language: Annotated[Language, typer.Option("--language", "-l")] = Language.PYTHON,
    author: Annotated[str | None, typer.Option(show_default=False)] = None,
    folder: Annotated[Path | None, typer.Option(metavar="FOLDER", show_default=False)] = None,
) -> None:
    """Make a new bot: a folder with a simple bot that works at once.

    Its test and a README come with it.

    Options:
        name: The bot's name.
        game: The game it plays, or '*' for every game.
        language: The language to write it in.
        author: Its author; default: left open, so that a site fills it in.
        folder: A new or empty folder for it; default: ./NAME.
    """
    check_bot_name(name)
    place = folder or Path(name)
    draft = _draft(name, author, language, game, place)
    files = drafted(draft)
    write_new_folder(place, files)
    answer(f"made {place}: {', '.join(files)}")
    toolchain = TOOLCHAINS[language]
    if shutil.which(toolchain.needs) is None:
        warn(
            f"there is no {toolchain.needs} on this machine; on Debian, install the package {toolchain.package}"
        )
    answer("next:")
    above = place.resolve() != Path.cwd()
    if not above:
        answer("  cd ..")
    written = str(place) if place.is_absolute() else f"./{place}"
    for command, _ in commands(draft, shlex.quote(written) if above else draft.folder):
        answer(f"  {command}")


def check_bot_name(name: str) -> None:
    """Raise UsageError if a bot can't have this name; the hint is the command with a valid one."""
    if not is_bot_name(name):
        raise UsageError(
            f"name: {name!r} is not a valid name: {BOT_NAME}",
            f"arena new {near_bot_name(name) or 'my-bot-2'} …",
        )


def _draft(name: str, author: str | None, language: Language, game: str | None, place: Path) -> BotDraft:
    """Return the draft of a bot for a game that exists. Raises UsageError if there is no such game."""
    if game is None:
        raise UsageError(
            "which game does it play?", f"add --game with one of {', '.join(registry.games())}, or --game '*'"
        )
    opponents: tuple[str, ...]
    if game == EVERY_GAME:
        title, opponents = "every game", (ANY_GAME,)
    else:
        rules = registry.game(game)
        title, opponents = rules.info.title, first_opponents(rules)
    folder = shlex.quote(f"./{place.absolute().name}")
    return BotDraft(name, author or "", language, game, title, opponents, folder)
