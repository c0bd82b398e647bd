"""Tables and charts for the terminal, and output in the formats of `--format`."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, islice
from typing import Any, TypeVar

from msgspec import Struct
from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from arena.cli.terminal.consoles import as_written, console, write_data
from arena.cli.terminal.messages import print_line, print_prose, say
from results.base.text import counted, one_line
from results.reports.columns import (
    DRAWING,
    Column,
    ReportRow,
    columns_of,
    csv_lines,
    json_lines,
    keys_of,
    markdown_lines,
)
from results.reports.leagues import LeagueSummary


class Format(StrEnum):
    """Output format."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    CSV_BOM = "csv-bom"
    """CSV that begins with a byte order mark, so that spreadsheets read it as UTF-8."""
    MD = "md"


Row = TypeVar("Row", bound=ReportRow)


def list_rows(
    kind: type[Row],
    rows: Iterable[Row],
    form: Format,
    title: str = "",
    empty: str = "",
    columns: Sequence[Column] | None = None,
    keys: Sequence[str] | None = None,
    of: int | None = None,
) -> None:
    """Write rows of a kind: the columns in tables and Markdown, every field in full precision in JSON and CSV.

    Markdown has the columns that a terminal of `MARKDOWN_WIDTH` has, or one as wide as COLUMNS says.
    Tables have the `title` above them; if there are no rows, `empty` is printed instead. `columns`: others than the
    kind declares. `keys`: only these fields in JSON and CSV. `of`: how many rows there are, if reading them may take
    long; nothing may be printed meanwhile.
    """
    if of is not None:
        from arena.cli.display.long_work import busy

        with busy("reading rows") as work:
            found = work.over(rows, of)
            if form is not Format.TABLE and not sys.stdout.isatty():
                list_rows(kind, found, form, title, empty, columns, keys)
                return
            rows = list(found) if form is Format.TABLE else rows
    columns = columns_of(kind) if columns is None else columns
    if form is Format.MD:
        rows = iter(rows)
        first = list(islice(rows, LINES_AT_A_TIME))
        columns = columns if len(first) == LINES_AT_A_TIME else _of_use(columns, first)
        gone = fitted_table(columns, first, int(os.environ.get("COLUMNS") or MARKDOWN_WIDTH))[1]
        write_markdown([column for column in columns if column not in gone], chain(first, rows))
        if missed := _missed(gone):
            say(f"{missed}; set COLUMNS=200 to show more")
        return
    if form is not Format.TABLE:
        keys = keys_of(kind) if keys is None else keys
        mark = "\N{ZERO WIDTH NO-BREAK SPACE}" if form is Format.CSV_BOM else ""
        _write(json_lines(rows, keys) if form is Format.JSON else chain([mark], csv_lines(rows, keys)))
        return
    rows = list(rows)
    if not rows and empty:
        say(empty)
        return
    print_table(console(), columns, rows, title)


def write_markdown(columns: Sequence[Column], rows: Iterable[Any]) -> None:
    """Write the columns of all rows as a Markdown table."""
    _write(
        markdown_lines(
            [column.title.replace("\n", " ") for column in columns],
            [column.to_the_right for column in columns],
            ([column.text(row) for column in columns] for row in rows),
        )
    )


def _write(lines: Iterator[str]) -> None:
    """Write lines to standard output, many at a time."""
    while some := "".join(islice(lines, LINES_AT_A_TIME)):
        write_data(some)


LINES_AT_A_TIME = 1000
MARKDOWN_WIDTH = 100


def print_table(
    out: Console,
    columns: Sequence[Column],
    rows: Sequence[Any],
    title: str = "",
    style: Callable[[Any], str] = lambda _: "",
) -> list[Column]:
    """Print a table below its title, name the columns that don't fit, and return those that do.

    `style` returns that of a row.
    """
    if title:
        print_line(out, title, "bold")
    columns = _of_use(columns, rows)
    drawn, gone = fitted_table(columns, rows, out.width, style)
    out.print(drawn)
    if missed := _missed(gone):
        print_line(out, missed, "dim")
    return [column for column in columns if column not in gone]


def _missed(gone: Sequence[Column]) -> str:
    """Return in words which columns a table has no room for; empty if nobody misses one."""
    missed = [column for column in gone if column.priority != DRAWING and not column.quiet]
    titles = ", ".join(column.title.replace("\n", " ") for column in missed)
    return titles and f"too narrow for: {titles} (--format csv has every column)"


def explain(
    out: Console, columns: Sequence[Column], row: Any, own: Callable[[Column], str] | None = None
) -> None:
    """Print what the columns of a table mean, with the figures of a row; `own`: returns that, if not by their help."""
    named = [column for column in columns if column.priority == 0]
    who = ", ".join(f"{one.title} {one.text(row)}" if one.to_the_right else one.text(row) for one in named)
    print_line(out, "")
    for column in columns:
        if told := own(column) if own else in_words(column, row, "" if column in named else who):
            title = column.title.replace("-\n", "-").replace("\n", " ")
            print_prose(out, Text.assemble((title, "bold"), f"  {one_line(told)}"))


def in_words(column: Column, row: Any, who: str) -> str:
    """Return what a column means by its help, with the figure of `who`, unless that is empty; empty without a help."""
    figure = column.text(row).strip()
    example = f" ({who}: {figure})" if who and figure else ""
    return f"{column.help[:1].lower()}{column.help[1:]}{example}" if column.help else ""


def table(columns: Sequence[Column], rows: Sequence[Any], width: int) -> Table:
    """Return a table of rows that is at most `width` cells wide."""
    return fitted_table(_of_use(columns, rows), rows, width)[0]


def _of_use(columns: Sequence[Column], rows: Sequence[Any]) -> list[Column]:
    """Return the columns that say something of these rows."""
    return [column for column in columns if column.only_if is None or any(map(column.only_if, rows))]


def fitted_table(
    columns: Sequence[Column], rows: Sequence[Any], width: int, style: Callable[[Any], str] = lambda _: ""
) -> tuple[Table, list[Column]]:
    """Return a table of rows that is at most `width` cells wide, and the columns that were dropped for that."""
    cells = [[as_written(one_line(column.text(row))) for column in columns] for row in rows]
    wishes = [_wish(column, [line[i] for line in cells]) for i, column in enumerate(columns)]
    fitted = fit(wishes, width)
    kept = [i for i, given in enumerate(fitted.widths) if given is not None]
    drawn = Table(
        pad_edge=False,
        padding=(0, fitted.gap - 1, 0, 0),  # and one that the box draws
        box=box.SIMPLE_HEAD,
    )
    for i in kept:
        column = columns[i]
        drawn.add_column(
            Text(as_written(column.title)),
            justify="right" if column.to_the_right else "left",
            no_wrap=not column.wide,
            overflow="fold" if column.wide else "ellipsis",
            width=fitted.widths[i],
        )
    for row, line in zip(rows, cells, strict=True):
        drawn.add_row(*(Text(line[i]) for i in kept), style=style(row))
    return drawn, [column for i, column in enumerate(columns) if i not in kept]


LEAST_TEXT = 20
"""Smallest width to wrap a text to."""
LONGEST_WORD = 32
"""Words up to this many cells are not broken."""


def _wish(column: Column, cells: Sequence[str]) -> "Wish":
    """Return the widths that a column asks for."""
    heading = max(map(cell_len, as_written(column.title).split("\n")))
    natural = max([heading, *map(cell_len, cells)])
    if not column.wide:
        return Wish(natural, natural, column.priority)
    longest = max((cell_len(word) for text in cells for word in text.split()), default=0)
    least = max(heading, LEAST_TEXT, min(longest, LONGEST_WORD))
    return Wish(natural, min(natural, least), column.priority)


EDGES = 2
"""Cells that the box of a table draws at its two ends."""
GAPS = 2, 1
"""Cells between columns: with and without room to spare."""


class Wish(Struct, frozen=True):
    """The widths that one column asks for."""

    natural: int
    """Cells that its content takes without wrapping."""
    least: int
    """Smallest width to wrap to; equal to `natural` if it never wraps."""
    priority: int
    """0: it always stays. Columns with the highest number are dropped first; of equals, the last one."""


class Fitted(Struct, frozen=True):
    """The widths that the columns get."""

    widths: tuple[int | None, ...]
    """Cells of each; None: dropped."""
    gap: int
    """Cells between two columns."""


def fit(wishes: Sequence[Wish], room: int) -> Fitted:
    """Return widths for at most `room` cells. Columns of priority 0 get less than they need only if they must."""
    kept = list(range(len(wishes)))
    while True:
        natural, least = {i: wishes[i].natural for i in kept}, {i: wishes[i].least for i in kept}
        for gap in GAPS:
            if _width(natural, gap) <= room:
                return _fitted(wishes, natural, gap)
        if _width(least, gap) <= room:
            return _fitted(wishes, _narrowed(natural, least, room, gap), gap)
        first = max(kept, key=lambda i: (wishes[i].priority, i), default=0)
        if not kept or wishes[first].priority == 0:
            return _fitted(wishes, _narrowed(least, dict.fromkeys(least, 1), room, gap), gap)
        kept.remove(first)


def _width(widths: Mapping[int, int], gap: int) -> int:
    return EDGES + sum(widths.values()) + gap * max(0, len(widths) - 1)


def _fitted(wishes: Sequence[Wish], widths: Mapping[int, int], gap: int) -> Fitted:
    return Fitted(tuple(widths.get(i) for i in range(len(wishes))), gap)


def _narrowed(widths: dict[int, int], least: Mapping[int, int], room: int, gap: int) -> dict[int, int]:
    """Take cells from the widest of the columns that have more than the least, until all fit."""
    while _width(widths, gap) > room and (more := [i for i in widths if widths[i] > least[i]]):
        widths[max(more, key=lambda i: widths[i])] -= 1
    return widths


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Print texts, wrapped like other sentences, and tables."""
    out = console()
    for part in parts:
        if isinstance(part, Text):
            print_prose(out, part)
        else:
            out.print(part)


def heading(league: LeagueSummary) -> str:
    """Return a league's name, rules, number of games, and state."""
    rules = "single games" if league.ruleset is None else f"{league.game} · {league.ruleset}"
    parts = [f"{league.name}: {rules}", counted(league.games, "game")]
    if league.state:
        parts.append("finished, settled" if league.is_settled else league.state)
    return " · ".join(parts)


LEVELS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float | None], low: float, high: float) -> str:
    """Return block characters: a bar of eight heights for each value, a gap for None."""
    span = high - low

    def height(value: float | None) -> int:
        if value is None:
            return 0
        return min(8, max(1, 1 + int(8 * (value - low) / span))) if span > 0 else 5

    return "".join(f" {LEVELS}"[height(value)] for value in values)


def at_both_ends(left: str, right: str, width: int) -> str:
    """Return a line of this width, or a longer one, with one text at its beginning and one at its end."""
    return f"{left}{' ' * max(1, width - cell_len(left) - cell_len(right))}{right}" if right else left


def band(points: Sequence[tuple[float, float] | None], height: int) -> list[str]:
    """Return the lines, top first, of a chart of a value and its spread over time, with a scale on the left.

    `points` are values with half the width of their bands, in order of time; None leaves a gap. The value is drawn as
    ●, the band as ░. The scale covers all values and the last band; wider bands are cut off.
    """
    known = [point for point in points if point is not None]
    if not known:
        return []
    value, spread = known[-1]
    low = min(value - spread, *(middle for middle, _ in known))
    high = max(value + spread, *(middle for middle, _ in known))
    step = (high - low) / (height - 1) or 1.0
    lines = []
    for row in range(height):
        at = high - row * step
        cells = "".join(" " if point is None else _cell(at, step, *point) for point in points)
        lines.append(f"{at:8.2f} ┤{cells}".rstrip())
    return lines


def _cell(at: float, step: float, value: float, spread: float) -> str:
    if abs(value - at) <= step / 2:
        return "●"
    return "░" if abs(value - at) <= spread else " "


_EIGHTHS = " ▏▎▍▌▋▊▉█"
BAR_CELLS = 12


def bar(value: float, most: float, width: int = BAR_CELLS) -> str:
    """Return a bar in steps of an eighth of a cell; `most` fills `width` cells, and 0 is empty.

    A positive value is never drawn as nothing, and a value above `most` fills the width.
    """
    if most <= 0 or value <= 0:
        return ""
    eighths = max(1, min(8 * width, round(8 * width * value / most)))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
