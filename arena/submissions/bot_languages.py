"""The language that a bot is written in, as far as its command and files show it, and how things are done in it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec
from msgspec import Struct

from arena.sandbox.runtimes import unversioned
from results.records import VersionRecord
from results.store import Store

KITS: Final = frozenset({"arena_kit.py", "arena_kit.js", "arena_kit.h", "arena_kit.rs", "arena_kit.go"})
"""Files of the kits: they don't show what a bot itself is written in."""


class Language(Struct, frozen=True):
    """How the messages of the protocol are written in one language."""

    name: str
    programs: frozenset[str]
    """Names of programs that run or build it, without version numbers."""
    suffixes: frozenset[str]
    flush: str
    """How to write a line at once."""
    log: str
    """How to write to standard error."""
    json: str
    """How to make a line of JSON."""
    utf8: str = ""
    """How to write UTF-8, where that isn't the rule."""


class _Known(Struct, frozen=True):
    """What `languages.toml` has."""

    languages: tuple[Language, ...]
    compilers: dict[str, str]
    starts: dict[str, str]


@cache
def _known() -> _Known:
    return msgspec.toml.decode(Path(__file__).with_name("languages.toml").read_bytes(), type=_Known)


def languages() -> tuple[Language, ...]:
    """Return all languages; the last is the shell."""
    return _known().languages


_TEST: Final = re.compile(r"^test_|_test\.")
"""In the name of a file with tests, which is no part of the program."""
_MOST_SOURCES: Final = 6
"""With more sources, a Makefile names them better than bot.toml."""


def language_of(
    command: Sequence[str], files: Iterable[str] = (), build: Sequence[str] = ()
) -> Language | None:
    """Return the language of a bot; None if its command, its build and the names of its files don't show it.

    `files` are paths in its folder; those in subfolders are left out. A shell script counts only for a bot that has no
    program in another language.
    """
    names = [name for name in files if "/" not in name and name not in KITS]
    programs = {unversioned(PurePosixPath(word).name) for word in (*command[:1], *build[:1])}
    suffixes = {PurePosixPath(word).suffix for word in command}
    by_name = [one for one in languages() if one.programs & programs or one.suffixes & suffixes]
    by_name += [one for one in languages() if one.suffixes & {PurePosixPath(name).suffix for name in names}]
    return next((one for one in by_name if one is not languages()[-1]), by_name[0] if by_name else None)


def how_to_compile(program: str, files: Iterable[str]) -> str:
    """Return how a bot's program can be compiled, for a hint; empty if none of its files is a source of one.

    `program` and `files` are paths in the bot's folder. Sources in subfolders are left out.
    """
    names = sorted(name for name in files if "/" not in name and not _TEST.search(name))
    suffix = next((one for one in _known().compilers if any(name.endswith(one) for name in names)), None)
    if suffix is None:
        has_rules = "Makefile" in names
        return 'Makefile is here: run make, or add build = ["make"] to bot.toml' if has_rules else ""
    sources = [name for name in names if name.endswith(suffix)]
    own = [name for name in sources if name not in KITS] or sources
    stems = (PurePosixPath(program).stem, "main")
    main = next((name for name in own if PurePosixPath(name).stem in stems), own[0])
    if len(sources) > _MOST_SOURCES and "{sources}" in _known().compilers[suffix]:
        return f'{main} is here: compile it, or add a Makefile, and build = ["make"] to bot.toml'
    words = {"program": program, "main": main, "stem": PurePosixPath(main).stem}
    lines = {"build": _known().compilers[suffix], "command": _known().starts.get(suffix, "")}
    toml = [f"{key} = {_array(line, sources, words)}" for key, line in lines.items() if line]
    return f"{main} is here: compile it, or add {' and '.join(toml)} to bot.toml"


def _array(line: str, sources: Sequence[str], words: Mapping[str, str]) -> str:
    parts = [sources if word == "{sources}" else [word.format_map(words)] for word in line.split()]
    return json.dumps([word for part in parts for word in part], ensure_ascii=False)


def language_of_version(store: Store, version: VersionRecord | None) -> Language | None:
    """Return the language of a version; None if nothing shows it, as if its files are not next to the store."""
    if version is None:
        return None
    from arena.submissions.kept_version_files import (  # which read settings files
        sources_folder,
        versions_folder,
    )

    folders = [
        versions_folder(store) / version.sha256,
        sources_folder(store) / version.build.get("source", "-"),
    ]
    names = [path.name for folder in folders if folder.is_dir() for path in folder.iterdir()]
    return language_of(version.manifest.get("command", ()), names, version.manifest.get("build", ()))
