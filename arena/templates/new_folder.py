"""Writes a new folder: all of its files or none."""

import errno
import json
import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from arena.config.names import check_author, check_bot_name
from arena.core.errors import UsageError
from results.base.text import markdown_text, one_line


class Language(StrEnum):
    """A language by the name that users give it; its templates are in the folder of that name."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    C = "c"
    RUST = "rust"
    GO = "go"


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What the folder of a bot in some language has, and what its author needs and runs there."""

    title: str
    """The language as people write it."""
    program: str
    """The file of the bot's program."""
    test: str
    """The file of its test."""
    kit: str
    """The file of its kit."""
    test_command: str
    needs: str
    """The interpreter or compiler."""
    package: str
    """The Debian package that has it."""


TOOLCHAINS = {
    Language.PYTHON: Toolchain(
        *("Python", "bot.py", "test_bot.py", "arena_kit.py"), "python3 -m unittest", "python3", "python3"
    ),
    Language.JAVASCRIPT: Toolchain(
        *("JavaScript", "bot.js", "bot.test.js", "arena_kit.js"), "node --test", "node", "nodejs"
    ),
    Language.C: Toolchain(*("C", "bot.c", "test_bot.c", "arena_kit.h"), "make test", "cc", "build-essential"),
    Language.RUST: Toolchain(
        *("Rust", "bot.rs", "test_bot.rs", "arena_kit.rs"), "make test", "rustc", "rustc"
    ),
    Language.GO: Toolchain(*("Go", "bot.go", "bot_test.go", "arena_kit.go"), "go test", "go", "golang-go"),
}


EVERY_GAME = "*"
_TITLE_CHARS = 160
"""Longer titles are cut, so that the description in bot.toml isn't too long."""
_AUTHOR = b'author = "{{author}}"\n'
_WORD = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class BotDraft:
    """What the templates need to know about a new bot."""

    name: str
    author: str
    """Both as in bot.toml, which names no author if this is empty."""
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
    if draft.author:
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
        if not words["author"]:
            content = content.replace(_AUTHOR, b"")
        # As in a string of TOML; none has control characters.
        words = {name: json.dumps(word, ensure_ascii=False)[1:-1] for name, word in words.items()}
    elif file.name == "README.md":
        words = {**words, "title": markdown_text(words["title"])}
    else:
        return content
    return _WORD.sub(lambda found: words[found[1]], content.decode()).encode()


_MISTAKES = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
)
"""Errors of the system that a path of the user's can cause."""


def write_new_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files, by name, to a folder that doesn't exist or is empty.

    A link at its place is never followed. A folder that doesn't exist appears complete or not at all; an empty one is
    empty again after an error. Raises UsageError if there is something at the place, or if it can't be written to.
    """
    try:
        if os.path.lexists(folder):
            _fill_empty(folder, files)
        else:
            _make(folder, files)
    except OSError as error:
        if error.errno not in _MISTAKES:
            raise
        raise UsageError(
            f"can't make the folder {folder}: {error.strerror}", "name a place that you can write to"
        ) from None


def _make(folder: Path, files: Mapping[str, bytes]) -> None:
    growing = folder.with_name(f".{folder.name[:40]}.{secrets.token_hex(4)}")
    growing.mkdir()
    try:
        _fill_empty(growing, files)
        growing.rename(folder)
    except BaseException:  # an interruption too
        shutil.rmtree(growing, ignore_errors=True)
        raise


def _fill_empty(folder: Path, files: Mapping[str, bytes]) -> None:
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link; a new bot needs a folder of its own", "name another folder")
    if not folder.is_dir():
        raise UsageError(f"{folder} already exists, and is no folder", "name another folder")
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    written = []
    try:
        if os.listdir(place):  # noqa: PTH208  of the descriptor, which nobody can exchange
            raise UsageError(
                f"{folder} already exists, and isn't empty; nothing was written",
                "name another folder, or an empty one",
            )
        for name, content in files.items():
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            descriptor = os.open(name, flags, 0o666, dir_fd=place)
            written.append(name)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
    except BaseException:  # an interruption too
        for name in written:
            os.unlink(name, dir_fd=place)
        raise
    finally:
        os.close(place)
