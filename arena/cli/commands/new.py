"""`arena new`."""

import getpass
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.messages import answer, warn
from arena.config.names import BOT_NAME, BOT_NAME_CHARS, is_bot_name, near_bot_name, why_reserved
from arena.templates.new_folder import TOOLCHAINS, Language

if TYPE_CHECKING:
    from arena.templates.new_folder import BotDraft


def new(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", help="The game it plays, or '*' for every game.", show_default=False),
    ] = None,
    language: Annotated[
        Language, typer.Option("--language", "-l", help="The language to write it in.")
    ] = Language.PYTHON,
    author: Annotated[
        str | None, typer.Option("--author", help="Its author; default: your login name.", show_default=False)
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="A new or empty folder for it; default: ./NAME.", show_default=False),
    ] = None,
) -> None:
    """Make a new bot: a folder with a simple bot that works at once, its test and a README."""
    from arena.templates.new_folder import commands, drafted, write_new_folder

    _check_name(name)
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


def _check_name(name: str) -> None:
    """Raise UsageError if a bot can't have this name; the hint is the command with a valid one."""
    from arena.core.errors import UsageError

    if not is_bot_name(name):
        raise UsageError(
            f"name: {name!r} is not a valid name: {BOT_NAME}",
            f"arena new {near_bot_name(name) or 'my-bot-2'} …",
        )


def _draft(name: str, author: str | None, language: Language, game: str | None, place: Path) -> "BotDraft":
    """Return the draft of a bot for a game that exists. Raises UsageError if there is no such game."""
    from arena import registry
    from arena.core.errors import UsageError
    from arena.core.ruleset import ruleset
    from arena.submissions.bundled import bundled_bots
    from arena.templates.new_folder import EVERY_GAME, BotDraft

    if game is None:
        raise UsageError(
            "which game does it play?", f"add --game with one of {', '.join(registry.games())}, or --game '*'"
        )
    any_game = "bots/any_game/random"
    if game == EVERY_GAME:
        title, rival, seats = "every game", any_game, 2
    else:
        rules = registry.game(game)
        title, seats = rules.info.title, rules.seats(ruleset(rules.info, next(iter(rules.info.rulesets))))[0]
        greedy = f"{game.replace('-', '_')}/greedy"
        rival = f"bots/{greedy}" if (bundled_bots() / greedy).is_dir() else any_game
    opponents = (rival, *(any_game,) * (seats - 2)) if seats > 1 else ()
    folder = shlex.quote(f"./{place.absolute().name}")
    return BotDraft(name, author or _login_name(), language, game, title, opponents, folder)


def _login_name() -> str:
    """Return the user's login name with only the characters that the name of an author may have."""
    try:
        login = getpass.getuser()
    except (OSError, KeyError):  # the account has no name
        return "me"
    name = re.sub(r"[^a-z0-9_-]+", "-", login.lower()).strip("-_")[:BOT_NAME_CHARS]
    return name if name and not why_reserved(name) else "me"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("new")(new)
