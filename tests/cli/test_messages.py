"""How lines for people are wrapped, in terminals and in pipes."""

from io import StringIO

import pytest
from rich.console import Console

from arena.cli.messages import print_line, print_prose

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
