"""Messages of the command line: answers on standard output, everything else on standard error."""

import os

import typer
from rich.console import Console
from rich.text import Text

from arena.cli.consoles import error_console
from results.escaping import one_line, paragraph


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun; give `plural` if it is not the noun with an s.

    >>> counted(1, "bot"), counted(2, "match", "matches")
    ('1 bot', '2 matches')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def played_again(failed_attempts: int, void_matches: int, command: str) -> str:
    """Return the line about platform errors in a run."""
    games = counted(failed_attempts, "game was", "games were")
    void = counted(void_matches, "match is", "matches are")
    return f"{games} replayed after platform errors, {void} void; see: {command}"


def say(message: str) -> None:
    """Print a line for people; on standard error, so that standard output stays parseable."""
    error_console().print(paragraph(message), markup=False, soft_wrap=True)


def print_line(out: Console, line: str, style: str = "") -> None:
    """Print a line beside a table, wrapped to the width between words; a terminal shows its further lines indented."""
    if out.is_terminal:
        _print_indented(out, Text(one_line(line), style))
    else:
        out.print(Text(one_line(line), style))


def print_prose(out: Console, text: str | Text, indent: int = 0) -> None:
    """Print sentences for people, `indent` cells in. In a pipe they stay one line, unless COLUMNS asks for a width."""
    text = text if isinstance(text, Text) else Text(one_line(text))
    if out.is_terminal or "COLUMNS" in os.environ:
        _print_indented(out, text, indent)
    else:
        out.print(Text(" " * indent) + text, soft_wrap=True)


def _print_indented(out: Console, text: Text, indent: int = 0) -> None:
    """Print a text `indent` cells in, wrapped between words, with its further lines two cells further in."""
    further = indent + 2
    fits = indent + text.cell_len <= out.width
    lines = [text] if fits else text.wrap(out, max(1, out.width - further))
    for number, line in enumerate(lines):
        line.rstrip()
        out.print(Text(" " * (further if number else indent)) + line)


def answer(line: str) -> None:
    """Print a result line on standard output."""
    typer.echo(one_line(line))


def say_error(message: str, advice: str = "") -> None:
    """Print an error, and a hint what to do about it."""
    out = error_console()
    out.print(Text.assemble(("error: ", "bold red"), paragraph(message)), soft_wrap=True)
    if advice:
        hint(advice)


def hint(message: str) -> None:
    """Print what to do about the warning before it."""
    error_console().print(Text.assemble(("  hint: ", "bold"), paragraph(message)), soft_wrap=True)


def warn(message: str) -> None:
    """Print a warning: nothing has failed, but the user should know."""
    error_console().print(Text.assemble(("warning: ", "bold yellow"), paragraph(message)), soft_wrap=True)
