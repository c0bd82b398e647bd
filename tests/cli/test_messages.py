"""How lines for people are wrapped, in terminals and in pipes."""

from collections.abc import Callable
from io import StringIO

import pytest
from rich.console import Console

from arena.cli.display import live_league
from arena.cli.terminal import messages
from arena.cli.terminal.messages import hint, print_line, print_prose, say, say_error, warn
from arena.league.running.runner_activity import RunProgress

SENTENCE = "start Arena with: systemd-run --user --scope -p Delegate=yes arena …"


def printed(print_it: object, *more: object, is_terminal: bool) -> list[str]:
    file = StringIO()
    out = Console(file=file, width=40, force_terminal=is_terminal, color_system=None)
    print_it(out, SENTENCE, *more)  # type: ignore[operator]  # either of the two
    return file.getvalue().splitlines()


def test_prose_stays_one_line_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert printed(print_prose, is_terminal=False) == [SENTENCE]
    assert printed(print_prose, 4, is_terminal=False) == ["    " + SENTENCE]


def test_further_lines_are_indented_without_trailing_blanks() -> None:
    first, *rest = printed(print_prose, 4, is_terminal=True)
    assert first.startswith("    start")
    assert rest
    assert all(line.startswith("      ") and line[6] != " " for line in rest)
    for line in (first, *rest, *printed(print_line, is_terminal=True)):
        assert line == line.rstrip()
        assert len(line) <= 40
    assert " ".join([first.strip(), *(line.strip() for line in rest)]) == SENTENCE


LONG = (
    "SQLite has a bug that can damage a file; use a newer Python: /a/path/without/any/blanks/and/a/long/one"
)


def on_standard_error(
    monkeypatch: pytest.MonkeyPatch,
    tell: Callable[..., None],
    *words: str,
    is_terminal: bool,
    width: int = 40,
) -> list[str]:
    file = StringIO()
    out = Console(file=file, width=width, force_terminal=is_terminal, color_system=None)
    monkeypatch.setattr(messages, "error_console", lambda: out)
    tell(*words)
    return file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("tell", "label"), [(say, ""), (say_error, "error: "), (warn, "warning: "), (hint, "  hint: ")]
)
def test_messages_are_broken_between_words_in_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, tell: Callable[..., None], label: str
) -> None:
    assert on_standard_error(monkeypatch, tell, LONG, is_terminal=False) == [label + LONG]
    first, *rest = on_standard_error(monkeypatch, tell, LONG, is_terminal=True)
    assert first.startswith(label)
    indent = "    " if label.startswith(" ") else "  "
    assert all(line.startswith(indent) and line[len(indent)] != " " for line in rest)
    assert all(len(line) <= 40 for line in (first, *rest[:-1]))
    assert rest[-1].strip() == LONG.split()[-1], "a word that is too long stays whole"
    assert " ".join(line.strip() for line in (first, *rest)) == (label + LONG).strip()


def test_a_message_that_fits_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert on_standard_error(monkeypatch, warn, "x" * 31, is_terminal=True) == ["warning: " + "x" * 31]
    assert on_standard_error(monkeypatch, warn, "", is_terminal=True) == ["warning: "]
    assert on_standard_error(monkeypatch, say, "one\n\ntwo", is_terminal=True) == ["one", "  ", "  two"]


def test_a_command_is_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    command = "arena run friday --on tls://10.0.0.1:8786 --certificates certificates"
    assert on_standard_error(monkeypatch, say, f"stopped; continue with: {command}", is_terminal=True) == [
        "stopped; continue with:",
        f"  {command}",
    ]
    assert on_standard_error(monkeypatch, say, command, is_terminal=True) == [command]
    assert on_standard_error(
        monkeypatch, hint, "make them once with `arena host certificates FOLDER`, for all", is_terminal=True
    ) == ["  hint: make them once with", "    `arena host certificates FOLDER`,", "    for all"]


def test_further_lines_of_a_command_are_never_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    key = f"--tls-key '{'my ' * 20}certificates/key.pem'"
    command = f"dask scheduler \\\n{key} \\\n--no-dashboard"
    assert on_standard_error(monkeypatch, say, command, is_terminal=True) == [
        "dask scheduler \\",
        f"  {key} \\",
        "  --no-dashboard",
    ]


def test_a_message_before_the_first_game_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    file = StringIO()
    out = Console(file=file, width=60, force_terminal=True, color_system=None)
    monkeypatch.setattr(live_league, "error_console", lambda: out)
    with live_league.LiveDisplay[RunProgress](
        str, lambda *_: (), str, lambda one: one, bar_cells=10
    ) as shown:
        shown.say("waiting for hosts")
        assert "waiting for hosts" in file.getvalue()


def test_without_a_terminal_a_line_is_printed_only_if_there_is_something_new(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, progress = StringIO(), RunProgress(total_games=9, games_before=0)
    monkeypatch.setattr(live_league, "error_console", lambda: Console(file=file))
    monkeypatch.setattr(live_league, "PLAIN_S", 0.0)
    with live_league.LiveDisplay[RunProgress](
        lambda one: f"{one.games} of {one.total_games}",
        *(lambda *_: (), str, lambda one: one),
        bar_cells=10,
    ) as shown:
        for games in (0, 1, 1, 1, 4, 4):
            progress.games = games
            shown.show(progress)
    assert file.getvalue().splitlines() == ["1 of 9", "4 of 9"]
