"""`arena new`: the folder of a new bot."""

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer

from arena import registry
from arena.cli.terminal.messages import answer, warn
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
