"""Drafts new bots: the files of a bot's folder, from the templates."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from arena.config.allowed_names import check_author, check_bot_name
from arena.templates.languages import TOOLCHAINS, Language
from results.escaping import markdown_text, one_line

EVERY_GAME = "*"
_TITLE_CHARS = 160
"""Longer titles are cut, so that the description in bot.toml isn't too long."""
_WORD = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class BotDraft:
    """What the templates need to know about a new bot."""

    name: str
    author: str
    """Both as in bot.toml."""
    language: Language
    game: str
    """The name of a game, or `*` for all."""
    title: str
    """What it plays, in words: `Bread Basket`. It may come from another package, so it may be any text."""
    opponents: tuple[str, ...]
    """The bots for a first match, as on a command line."""
    folder: str
    """Its folder for a reader beside it, as on a command line: `./first`."""


def drafted(draft: BotDraft) -> dict[str, bytes]:
    """Return the files of a new bot's folder by name. Raises UsageError if the name or the author isn't allowed."""
    check_bot_name("name", draft.name)
    check_author(draft.author)
    templates, language = files("arena.templates"), draft.language.value
    game_folder = templates / language / draft.game.replace("-", "_")
    if draft.game in (EVERY_GAME, "common") or not game_folder.is_dir():
        game_folder = templates / language / "any_game"
    words = _words(draft)
    made = {
        file.name: _filled(file, words)
        for folder in (templates / "common", templates / language / "common", game_folder)
        for file in folder.iterdir()
        if file.is_file()
    }
    if draft.language is Language.PYTHON:
        made[TOOLCHAINS[Language.PYTHON].kit] = (files("protocol") / "kit.py").read_bytes()
    return dict(sorted(made.items()))


def commands(draft: BotDraft, folder: str) -> list[tuple[str, str]]:
    """Return the next commands for the author and what each does; `folder` is the bot's, as on a command line.

    They are for a folder above it: in the bot's own, Arena would make its store there.
    """
    toolchain = TOOLCHAINS[draft.language]
    game = " --game bread-basket" if draft.game == EVERY_GAME else ""
    match = " ".join(("arena match", folder, *draft.opponents)) + f"{game} --rotate"
    return [
        (f"(cd {folder} && {toolchain.test_command})", "tests it, without Arena"),
        (f"arena check {folder}", "checks it step by step, and explains what is wrong"),
        (match, "plays it on one deal from every seat"),
        (f"arena submit {folder}", "submits it to a store of bots"),
    ]


def _words(draft: BotDraft) -> dict[str, str]:
    """Return what stands in the templates between double braces, by name."""
    toolchain = TOOLCHAINS[draft.language]
    rules = f"`arena games show {draft.game}` prints the rules of the game, with all moves, events and views."
    return {
        "name": draft.name,
        "author": draft.author,
        "game": draft.game,
        "title": one_line(draft.title)[:_TITLE_CHARS],
        "program": toolchain.program,
        "test": toolchain.test,
        "kit": toolchain.kit,
        "commands": _aligned(commands(draft, draft.folder)),
        "rules": "`arena games` lists the games." if draft.game == EVERY_GAME else rules,
    }


def _aligned(lines: Sequence[tuple[str, str]]) -> str:
    width = max(len(command) for command, _ in lines)
    return "\n".join(f"$ {command:{width}}  # {purpose}" for command, purpose in lines)


def _filled(file: Traversable, words: Mapping[str, str]) -> bytes:
    """Return a template with its words filled in; only files about the bot have any."""
    content = file.read_bytes()
    if file.name == "bot.toml":
        words = {name: _in_toml(word) for name, word in words.items()}
    elif file.name == "README.md":
        words = {**words, "title": markdown_text(words["title"])}
    else:
        return content
    return _WORD.sub(lambda found: words[found[1]], content.decode()).encode()


def _in_toml(word: str) -> str:
    """Return a word without control characters as it stands in a string of TOML."""
    return json.dumps(word, ensure_ascii=False)[1:-1]
