"""What the terminal shows: consoles, tables in four formats, messages."""

import errno
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import IO, Annotated, Any, cast

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.cli.display.column_widths import Wish, fit
from arena.cli.interruption import hang_up
from results.escaping import one_line, paragraph


class Format(StrEnum):
    """How a listing is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"


FormatOption = Annotated[Format, typer.Option("--format", help="How to write the listing.")]


DRAWING = 9
"""Priority of columns that are only drawings."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a listing."""

    key: str
    """In JSON and CSV."""
    title: str
    """In tables."""
    decimals: int | None = None
    """Of a float in tables; None for what is no float."""
    right: bool = False
    wide: bool = False
    """Text that may be folded between words where the terminal is narrow."""
    priority: int = 5
    """Where the terminal is narrower still, columns go, the highest number first.

    0: it stays, as names do. `DRAWING`: it shows what stands in other columns too, and goes without a word.
    """

    @property
    def to_the_right(self) -> bool:
        """Whether its cells are lined up on the right, as numbers are."""
        return self.right or self.decimals is not None


class _StandardStream:
    """`sys.stdout` or `sys.stderr`, whichever file that is now. Once its terminal is closed, writing does nothing.

    A write to a closed terminal may fail before SIGHUP is heard, which then ends the command in order.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, text: str) -> int:
        try:
            self._file.write(text)
        except OSError as error:
            self._ignore_closed_terminal(error)
        return len(text)

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError as error:
            self._ignore_closed_terminal(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    @property
    def _file(self) -> IO[str]:
        return cast("IO[str]", getattr(sys, self._name))

    def _ignore_closed_terminal(self, error: OSError) -> None:
        if error.errno != errno.EIO:
            raise error
        hang_up()


def console() -> Console:
    """Return the console of standard output; honours NO_COLOR, pipes and COLUMNS."""
    return Console(file=cast("IO[str]", _StandardStream("stdout")), highlight=False)


def error_console() -> Console:
    """Return the console of standard error."""
    return Console(file=cast("IO[str]", _StandardStream("stderr")), stderr=True, highlight=False)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things in words; `plural`: where it is not the noun with an s.

    >>> counted(1, "bot"), counted(2, "match", "matches")
    ('1 bot', '2 matches')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def played_again(failed_attempts: int, void_matches: int, command: str) -> str:
    """Return the line that tells what a run met with of the platform's faults."""
    games = counted(failed_attempts, "game was", "games were")
    void = counted(void_matches, "match is", "matches are")
    return f"{games} replayed after platform errors, {void} void; see: {command}"


def say(message: str) -> None:
    """Print a line for people; on standard error, so that standard output stays parseable."""
    error_console().print(paragraph(message), markup=False, soft_wrap=True)


def print_line(out: Console, line: str, style: str = "") -> None:
    """Print a line for people, folded between words where it is longer than the terminal is wide."""
    out.print(Text(one_line(line), style))


def answer(line: str) -> None:
    """Print a line that was asked for, on standard output."""
    typer.echo(one_line(line))


def say_error(message: str, hint: str = "") -> None:
    """Print an error, and what to do about it."""
    out = error_console()
    out.print(Text.assemble(("error: ", "bold red"), paragraph(message)), soft_wrap=True)
    if hint:
        out.print(Text.assemble(("  hint: ", "bold"), paragraph(hint)), soft_wrap=True)


def warn(message: str) -> None:
    """Print what somebody should know, though nothing has failed."""
    error_console().print(Text.assemble(("warning: ", "bold yellow"), paragraph(message)), soft_wrap=True)


def list_rows(
    columns: Sequence[Column], rows: Iterable[dict[str, Any]], form: Format, title: str = "", empty: str = ""
) -> None:
    """Write rows in a format; in tables, `title` stands above and `empty` in place of no rows."""
    if form is not Format.TABLE:
        _write(_lines(columns, rows, form))
        return
    rows = list(rows)
    if not rows and empty:
        say(empty)
        return
    print_table(console(), columns, rows, title)


def _lines(columns: Sequence[Column], rows: Iterable[dict[str, Any]], form: Format) -> Iterator[str]:
    """Yield the text of a listing: all columns to the last digit, or, in Markdown, what the table shows."""
    from results.reports.exports import csv_lines, json_lines, markdown_lines

    if form is Format.MD:
        return markdown_lines(
            [column.title.replace("\n", " ") for column in columns],
            [column.to_the_right for column in columns],
            ([cell(row[column.key], column.decimals) for column in columns] for row in rows),
        )
    keys = [column.key for column in columns]
    return (csv_lines if form is Format.CSV else json_lines)(rows, keys)


def _write(lines: Iterator[str]) -> None:
    """Write lines to standard output, many at a time."""
    while some := "".join(islice(lines, LINES_AT_A_TIME)):
        typer.echo(some, nl=False)


LINES_AT_A_TIME = 1000


def print_table(
    out: Console, columns: Sequence[Column], rows: Sequence[dict[str, Any]], title: str = ""
) -> None:
    """Print a table below its title; say which columns the terminal is too narrow for."""
    if title:
        print_line(out, title, "bold")
    drawn, gone = fitted_table(columns, rows, out.width)
    out.print(drawn)
    if missed := [column for column in gone if column.priority != DRAWING]:
        titles = ", ".join(column.title.replace("\n", " ") for column in missed)
        say(f"too narrow for: {titles} (--format csv has every column)")


def table(columns: Sequence[Column], rows: Sequence[dict[str, Any]], width: int) -> Table:
    """Return a table of rows that is at most `width` cells wide."""
    return fitted_table(columns, rows, width)[0]


def fitted_table(
    columns: Sequence[Column], rows: Sequence[dict[str, Any]], width: int
) -> tuple[Table, list[Column]]:
    """Return a table of rows that is at most `width` cells wide, and the columns that went for that."""
    cells = [[one_line(cell(row[column.key], column.decimals)) for column in columns] for row in rows]
    wishes = [_wish(column, [line[i] for line in cells]) for i, column in enumerate(columns)]
    fitted = fit(wishes, width)
    kept = [i for i, given in enumerate(fitted.widths) if given is not None]
    drawn = Table(
        pad_edge=False,
        padding=(0, fitted.gap - 1, 0, 0),  # and one that the box draws
        box=_box(),
    )
    for i in kept:
        column = columns[i]
        drawn.add_column(
            Text(column.title),
            justify="right" if column.to_the_right else "left",
            no_wrap=not column.wide,
            overflow="fold" if column.wide else "ellipsis",
            width=fitted.widths[i],
        )
    for line in cells:
        drawn.add_row(*(Text(line[i]) for i in kept))
    return drawn, [column for i, column in enumerate(columns) if i not in kept]


LEAST_TEXT = 20
"""Cells that a text is folded to at least, where it has as many."""
LONGEST_WORD = 32
"""Words of up to so many cells are not broken."""


def _wish(column: Column, cells: Sequence[str]) -> Wish:
    """Return how wide a column has to be."""
    heading = max(map(cell_len, column.title.split("\n")))
    natural = max([heading, *map(cell_len, cells)])
    if not column.wide:
        return Wish(natural, natural, column.priority)
    longest = max((cell_len(word) for text in cells for word in text.split()), default=0)
    least = max(heading, LEAST_TEXT, min(longest, LONGEST_WORD))
    return Wish(natural, min(natural, least), column.priority)


def _box() -> Any:
    from rich import box

    return box.SIMPLE_HEAD


def cell(value: Any, decimals: int | None) -> str:
    """Return a value as it stands in a table."""
    if value is None:
        return "–"
    if decimals is not None and isinstance(value, int | float):
        return f"{value:.{decimals}f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
