"""`arena new` and `arena suite`: new bots, and deals for them."""

import shlex
import shutil
from pathlib import Path
from secrets import token_hex
from typing import Annotated

import typer

from arena import registry
from arena.cli.base import options
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
from results.base.text import counted


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
