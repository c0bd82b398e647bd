"""Every example in the pages is one that works: commands exist, files are read."""

import shlex
import tomllib
from functools import cache

import pytest

from arena.config.league_file import LeagueFile
from arena.config.mistakes import parse_toml
from arena.submissions.manifest import Manifest
from generators.cli import Command, Context, commands
from tests.support.tree import Example, examples

SHELLS = {"console", "sh", "bash", "shell"}


@cache
def known() -> dict[str, tuple[Command, Context]]:
    return {name: (command, context) for name, command, context in (*commands(), *commands("host"))}


def command_lines() -> list[tuple[Example, str]]:
    """Return every command of Arena's in the examples for a shell, with its example."""
    found = []
    for example in examples():
        if example.language in SHELLS:
            joined = example.text.replace("\\\n", " ")
            for line in joined.splitlines():
                plain = line.strip().removeprefix("$ ").strip()
                if plain.startswith("arena "):
                    found.append((example, plain))
    return found


def find(words: list[str]) -> tuple[str, list[str]]:
    """Return the command that the words name, and the words behind its name."""
    name = "arena"
    rest = words[1:]
    while rest and f"{name} {rest[0]}" in known():
        name, rest = f"{name} {rest[0]}", rest[1:]
    return name, rest


@pytest.mark.parametrize(("example", "line"), command_lines(), ids=str)
def test_commands_in_examples_exist(example: Example, line: str) -> None:
    name, rest = find(shlex.split(line.partition(" #")[0].partition(" | ")[0].partition(" > ")[0]))
    command, _ = known()[name]
    if hasattr(command, "list_commands") and rest and not rest[0].startswith("-"):
        pytest.fail(f"{example}: there is no command {name} {rest[0]}")
    options = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
    unknown = [word.partition("=")[0] for word in rest if word.startswith("--") and word != "--"]
    assert [word for word in unknown if word not in options] == [], f"{example}: options of {name}"


def toml_examples() -> list[Example]:
    return [example for example in examples() if example.language == "toml"]


@pytest.mark.parametrize("example", toml_examples(), ids=str)
def test_toml_in_examples_is_read(example: Example) -> None:
    content = tomllib.loads(example.text)
    if "command" in content:
        parse_toml(example.text, Manifest, str(example))
    elif "game" in content and "bots" in content:
        parse_toml(example.text, LeagueFile, str(example))
