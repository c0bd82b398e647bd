"""The command line is documented whole: every command, argument and option says what it is."""

import pytest

import generate
from generators.cli import Command, Context, commands, render

ALL = list(commands())


@pytest.mark.parametrize(("name", "command", "context"), ALL, ids=[name for name, _, _ in ALL])
def test_every_command_and_option_has_help(name: str, command: Command, context: Context) -> None:
    assert (command.help or "").strip(), f"{name} has no help"
    shown = [(one, one.get_help_record(context)) for one in command.params]
    bare = [one.name for one, record in shown if record and not (getattr(one, "help", "") or "").strip()]
    assert bare == [], f"{name}: nothing is said of these"


def test_every_command_is_in_the_reference() -> None:
    page = (generate.ROOT / "docs/cli.md").read_text(encoding="utf-8")
    assert [name for name, _, _ in ALL if f"## `{name}`\n" not in page] == []


def test_the_reference_does_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wide = render()
    monkeypatch.setenv("COLUMNS", "40")
    assert render() == wide
