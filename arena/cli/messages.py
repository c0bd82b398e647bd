"""Messages of the command line: answers on standard output, everything else on standard error."""

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
    """Print a line for people, wrapped between words to the width of the terminal."""
    out.print(Text(one_line(line), style))


def answer(line: str) -> None:
    """Print a result line on standard output."""
    typer.echo(one_line(line))


def say_error(message: str, hint: str = "") -> None:
    """Print an error, and a hint what to do about it."""
    out = error_console()
    out.print(Text.assemble(("error: ", "bold red"), paragraph(message)), soft_wrap=True)
    if hint:
        out.print(Text.assemble(("  hint: ", "bold"), paragraph(hint)), soft_wrap=True)


def warn(message: str) -> None:
    """Print a warning: nothing has failed, but the user should know."""
    error_console().print(Text.assemble(("warning: ", "bold yellow"), paragraph(message)), soft_wrap=True)
