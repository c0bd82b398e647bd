"""The command line is documented whole: every command, argument and option says what it is."""

from pathlib import Path

import pytest

import generate
from generators.cli import commands, render
from tests.support.leagues import arena_here


def test_every_command_and_option_has_help_and_is_in_the_reference() -> None:
    page = (generate.ROOT / "docs/cli.md").read_text(encoding="utf-8")
    bare, missing = [], []
    for name, command, context in commands():
        if not (command.help or "").strip():
            bare.append(name)
        bare += [
            f"{name}: {one.name}"
            for one in command.params
            if one.get_help_record(context) and not (getattr(one, "help", "") or "").strip()
        ]
        if f"## `{name}`\n" not in page:
            missing.append(name)
        usage = " ".join(command.collect_usage_pieces(context))
        if set("{}<>") & set(usage) or "[[" in usage or usage != usage.upper():
            bare.append(f"{name}: {usage}")
    assert bare == [], "nothing is said of these, or their usage is hard to read"
    assert missing == []


def test_the_manual_has_every_command_with_its_usage() -> None:
    page = (generate.ROOT / "arena/cli/arena.1").read_text(encoding="utf-8")
    assert page.isascii()
    headings = [line[5:-1].replace("\\-", "-") for line in page.splitlines() if line.startswith(".SS ")]
    assert headings == [
        " ".join([name, *command.collect_usage_pieces(context)]) for name, command, context in commands()
    ]


def test_a_value_is_named_for_what_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = arena_here("compare", "--help", cwd=tmp_path).stdout.splitlines()
    assert lines[0] == "Usage: arena compare [OPTIONS] OLD NEW [OTHERS]..."
    assert "  -w, --workers N             Number of worker processes; default: one per core." in lines
    assert "                              [from 1 to 1,024]" in lines
    assert "  --sandbox require|auto|off  Sandbox for bots: required, the best available, or" in lines
    assert "One of table, json, csv, csv-bom, md." in " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= 80
    optional = arena_here("rankings", "--help", cwd=tmp_path).stdout.splitlines()[0]
    assert optional == "Usage: arena rankings [OPTIONS] [LEAGUE]"


def test_the_reference_does_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wide = render()
    monkeypatch.setenv("COLUMNS", "40")
    assert render() == wide
