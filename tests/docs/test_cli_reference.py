"""The command line is documented whole: every command, argument and option says what it is."""

import pytest

import generate
from generators.cli import commands, render


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
    assert bare == [], "nothing is said of these"
    assert missing == []


def test_the_reference_does_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wide = render()
    monkeypatch.setenv("COLUMNS", "40")
    assert render() == wide
