"""Messages of the command line: answers on standard output, everything else on standard error."""

import os
import re
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from arena.cli.terminal.consoles import error_console, write_data, write_line
from arena.core.errors import UsageError
from arena.sandbox.machine_shortage import refusal
from results.base.text import counted, json_text, one_line, paragraph

DONE = 0
OURS = 1
"""Arena or the machine is at fault."""
USAGE = 2
"""The command, or a file it reads, has a mistake."""
BOT_FAILED = 3
"""A bot that is there has a mistake, doesn't start, or failed its check."""
INTERRUPTED = 4
"""Interrupted; run the same command to continue."""
PAUSED = 5
"""The machine lacks resources that games need; once that is fixed, run the same command to continue."""

DIFFERENT = 6
"""A bot, or a game played again, differs from the stored game."""

NO_DIFFERENCE = 10
WORSE = 11
UNDECIDED = 12
"""Answers of `arena compare`, which exits with 0 if the new version is better."""


def write_file(target: Path, content: str | bytes, *, force: bool) -> None:
    """Write a file. Overwrites an existing file only if `force`; always writes to pipes and devices."""
    try:
        new = not force and (target.is_file() or not target.exists())
        with target.open("xb" if new else "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
    except FileExistsError:
        raise UsageError(
            f"{target} already exists", "choose another name, or overwrite it with --force"
        ) from None
    except OSError as error:
        if refusal(error) is not None:  # a full disk, say
            raise
        raise UsageError(
            f"{target} can't be written: {error.strerror}", "choose an existing folder that you may write to"
        ) from error


_WHOLE = re.compile(r"`[^`]*`|(?:^|(?<=: ))(?:arena|chmod|dask|pip|systemd-run) .*$|^ +--.*$")
"""Commands in messages, and further lines of them. They aren't broken, so that they can be copied from a terminal."""


def played_again(failed_attempts: int, void_matches: int, command: str) -> str:
    """Return the line about platform errors in a run."""
    games = counted(failed_attempts, "game was", "games were")
    void = counted(void_matches, "match is", "matches are")
    return f"{games} replayed after platform errors, {void} void; see: {command}"


def say(message: str) -> None:
    """Print a line for people; on standard error, so that standard output stays parseable."""
    _print_message(message)


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


_GLUE = "\ue000"
"""Stands for the space before a percent sign while a text is broken: 95 % stays on one line."""


def _print_indented(out: Console, text: Text, indent: int = 0) -> None:
    """Print a text `indent` cells in, wrapped between words, with its further lines two cells further in."""
    further = indent + 2
    fits = indent + text.cell_len <= out.width
    if not fits:
        text.plain = text.plain.replace(" %", f"{_GLUE}%")
    lines = [text] if fits else text.wrap(out, max(1, out.width - further))
    for number, line in enumerate(lines):
        line.plain = line.plain.replace(_GLUE, " ")
        line.rstrip()
        out.print(Text(" " * (further if number else indent)) + line)


def _print_message(message: str, label: str = "", style: str = "") -> None:
    """Print a message on standard error. A terminal shows it broken between words; in a pipe its lines stay whole."""
    out = error_console()
    text = Text.assemble((f"{label}: ", style) if label else "", paragraph(message))
    for line in text.split("\n", allow_blank=True):
        indent = len(line.plain) - len(line.plain.lstrip()) + 2
        parts = _broken(line, out.width, indent) if out.is_terminal else [line]
        for number, part in enumerate(parts):
            out.print(Text(" " * (indent if number else 0)) + part, soft_wrap=True)


def _broken(line: Text, width: int, indent: int) -> list[Text]:
    """Return a line in parts that fit, all but the first `indent` cells in. A word that is too long stays whole."""
    plain = line.plain
    whole = [found.span() for found in _WHOLE.finditer(plain)]
    begin, room, cuts = 0, width, []
    last = len(plain) - len(plain.lstrip())
    for gap in [*(at for at in range(last, len(plain)) if plain[at] == " "), len(plain)]:
        if any(first < gap < end for first, end in whole):
            continue
        if cell_len(plain[begin:gap]) > room and plain[begin:last].strip():
            cuts.append(last)
            begin, room = last + 1, width - indent
        last = gap
    parts = list(line.divide(cuts))
    return [parts[0], *(part[1:] for part in parts[1:])]


def answer(line: str) -> None:
    """Print a result line on standard output."""
    write_line(one_line(line))


def answer_json(value: Any, indent: int | None = None) -> None:
    """Print an object as JSON on standard output."""
    import msgspec  # not for the help of the program

    write_data(json_text(msgspec.to_builtins(value), indent) + "\n")


def say_error(message: str, advice: str = "") -> None:
    """Print an error, and a hint what to do about it."""
    _print_message(message, "error", "bold red")
    if advice:
        hint(advice)


def hint(message: str) -> None:
    """Print what to do about the warning before it."""
    _print_message(message, "  hint", "bold")


def warn(message: str) -> None:
    """Print a warning: nothing has failed, but the user should know."""
    _print_message(message, "warning", "bold yellow")
