"""What authors write does nothing where it is shown: every listing in every format, and all that tells of bots."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from arena.cli.app import app
from tests.cli.hostile_store import (
    FORGED,
    HOSTILE,
    LABELS,
    LEAGUE,
    LISTINGS,
    OF_THE_RUNNER,
    OF_THE_SITE,
    PLAYING,
    hostile_store,
)
from tests.support.leagues import arena_here

TELLING = (
    ["stats"],
    ["stats", "--bot", LABELS[1]],
    ["replay", "show", "0.0"],
    ["replay", "show", "0.0", "--boards"],
    ["replay", "show", "0.0", "--seat", "0"],
    ["replay", "show", "0.0", "--public"],
    ["replay", "export", "0.0"],
    ["replay", "verify"],
    ["run", LEAGUE],
    ["db", "digest"],
    ["status"],
    ["status", "--json"],
    ["rankings", HOSTILE],
    ["faults", "--bot", HOSTILE + "?"],
    ["bots", "log", "ababab"],
    ["bots", "--store", HOSTILE.replace("/", "")],
)
"""Commands that write text for people, and errors that repeat what was typed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("hostile")
    hostile_store(made)
    return made


def listings(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the commands that have `--format`."""
    if any("--format" in option.opts for option in command.params):
        yield " ".join(path)
    for name, below in getattr(command, "commands", {}).items():
        yield from listings(below, (*path, name))


def test_no_listing_is_left_out() -> None:
    assert set(listings(typer.main.get_command(app))) == set(LISTINGS) | PLAYING | OF_THE_SITE | OF_THE_RUNNER


def assert_calm(text: str, allowed: str = "\n") -> None:
    bad = {c for c in text if c not in allowed and (not c.isprintable() or unicodedata.category(c) == "Cf")}
    assert not bad, ascii(bad)


@pytest.mark.parametrize(
    ("command", "arguments", "form"),
    [
        pytest.param(name, arguments, form, marks=[pytest.mark.slow] * (form != "table" and name != "faults"))
        for name, all_of in LISTINGS.items()
        for arguments in all_of
        for form in ("table", "csv", "json", "md")
    ],
)
def test_listings(folder: Path, command: str, arguments: list[str], form: str) -> None:
    done = arena_here(*command.split(), *arguments, "--format", form, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout or done.stderr
    assert_calm(done.stderr)
    if form == "csv":
        assert_calm(done.stdout, "\n\t")
        for row in csv.reader(io.StringIO(done.stdout)):
            for cell in row:
                assert not cell.startswith(tuple("=@\t\r\n")), cell
                assert not cell.startswith(("+", "-")) or float(cell) is not None
        return
    assert_calm(done.stdout)
    assert not re.search(rf"^{FORGED}", done.stdout, re.MULTILINE)
    if form == "json":
        rows = json.loads(done.stdout)
        words = [value for row in rows for value in row.values() if isinstance(value, str)]
        assert not any("\N{REPLACEMENT CHARACTER}" in word for word in words), "JSON loses nothing"
        if command in ("rankings", "faults", "history", "matrix"):
            assert any(HOSTILE in word for word in words)
    elif form == "md":
        heading, *lines = [re.sub(r"\\.", "", line) for line in done.stdout.splitlines()]
        for line in lines:
            assert line.count("|") == heading.count("|")
            assert line.startswith("| ")
            assert line.endswith(" |")
            assert not set(line) & set("<>`*[]"), line


@pytest.mark.parametrize("arguments", TELLING, ids=lambda arguments: ascii(" ".join(arguments))[:24])
def test_what_is_told(folder: Path, arguments: list[str]) -> None:
    done = arena_here(*arguments, cwd=folder)
    for text in (done.stdout, done.stderr):
        assert_calm(text)
        assert not re.search(rf"^{FORGED}", text, re.MULTILINE)


def test_an_exported_replay_loses_nothing(folder: Path) -> None:
    body = json.loads(arena_here("replay", "export", "0.0", cwd=folder).stdout)
    assert body["moves"][0]["note"] == HOSTILE
    arena_here("replay", "export", "0.0", "--output", "game.json", cwd=folder)
    assert_calm((folder / "game.json").read_text())
    assert json.loads((folder / "game.json").read_text()) == body
