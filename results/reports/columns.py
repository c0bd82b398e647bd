"""Rows of reports and their columns, declared once for terminals and pages, and rows as CSV, JSON and Markdown.

Lines are yielded one by one, so a listing of any length needs little memory. `results.base.text` makes text safe.
"""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import chain
from typing import Any, TypeVar, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import fields, replace

from results.base.text import csv_text, json_text, markdown_text, meanings


class ReportRow(Struct, frozen=True, kw_only=True):
    """One row of a report: numbers, names and texts, formatted only when they are shown; units are in field names."""


class ColumnGroup(Struct, frozen=True, kw_only=True):
    """Columns that a row has together or not at all (None); in CSV and JSON they are columns of the row."""


def keys_of(kind: type[ReportRow], left_out: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names of a row's columns in JSON and CSV, in order, but for those of the fields `left_out`."""
    return tuple(key for name, keys in _layout(kind) if name not in left_out for key in keys)


def plain_row(row: Struct) -> dict[str, Any]:
    """Return the columns of a row by their names in JSON and CSV, with values of JSON types only."""
    found: dict[str, Any] = {}
    for name, keys in _layout(type(row)):
        value = getattr(row, name)
        if isinstance(value, ColumnGroup):
            found.update(
                zip(keys, (plain(getattr(value, one)) for one in value.__struct_fields__), strict=True)
            )
        else:
            found.update(dict.fromkeys(keys, plain(value)))
    return found


AnyRow = TypeVar("AnyRow", bound=Struct)


def row_from(source: object, kind: type[AnyRow], **more: Any) -> AnyRow:
    """Return a row with the values that a record has under the same names, and with `more`."""
    types = type(source), kind
    if types not in _SHARED:
        _SHARED[types] = [name for name in kind.__struct_fields__ if hasattr(source, name)]
    for name in _SHARED[types]:
        if name not in more:
            more[name] = getattr(source, name)
    return kind(**more)


_SHARED: dict[tuple[type, type], list[str]] = {}
"""The names that a record and a row have in common, by their types."""


def in_percent(part: float) -> float:
    """Return a part of 1 in percent, to 12 digits, so that sums of the same parts in any order give the same number.

    >>> in_percent(0.6374999999999999), in_percent(0.6375000000000001)
    (63.75, 63.75)
    """
    return float(f"{100 * part:.12g}")


def percent(part: float | None) -> float | None:
    """Return a part of 1 in percent, as `in_percent`; None for None."""
    return None if part is None else in_percent(part)


def plain(value: Any) -> Any:
    """Return a value using only JSON types."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, Struct):
        return plain_row(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


@cache
def _layout(kind: type[Struct]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the fields of a row, each with the names of its columns."""
    return tuple((one.name, tuple(_columns(one.encode_name, one.type))) for one in fields(kind))


def _columns(key: str, declared: Any) -> Iterator[str]:
    groups = [
        one
        for one in (declared, *get_args(declared))
        if isinstance(one, type) and issubclass(one, ColumnGroup)
    ]
    if not groups:
        yield key
    for group in groups:
        yield from (one.encode_name for one in fields(group))


class Column(Struct, frozen=True):
    """One column of a report, in terminals, in Markdown and on pages; the field of a row declares it."""

    title: str = ""
    """Empty: the name of the field, such as `mean ms` for `mean_ms`, `share %` for `share_percent`."""
    decimals: int | None = None
    """Digits after the point of a number; 0 for counts, whose thousands get commas. None for other types."""
    right: bool = False
    wide: bool = False
    """Text may wrap between words if the terminal is narrow."""
    priority: int = 5
    """If the terminal is narrower still, columns with the highest number are dropped first.

    0: it always stays, as names do. `DRAWING`: it repeats other columns, and is dropped without a message.
    """
    quiet: bool = False
    """Whether it is dropped without a message, because few need it."""
    drawn: Callable[[Any], Any] | None = None
    """Returns the content of the cell from a row; None: the field itself."""
    only_if: Callable[[Any], object] | None = None
    """In a terminal, it is left out unless this is true of a row; None: it never is."""
    page: str = ""
    """Its title on pages; empty: the same, with a capital and without the unit %."""
    up: bool = False
    """Whether pages sort numbers by the lowest first."""
    help: str = ""
    """What it means, shown on pages to who points at the title."""
    key: str = ""
    """The field of a row that it shows; empty: the one that declares it."""

    @property
    def sort_key(self) -> str:
        """What addresses of pages call it, as in `?sort=share`."""
        return self.key.removesuffix("_percent")

    @property
    def page_title(self) -> str:
        """Its title on pages."""
        title = self.title.replace("\n", " ").replace(" %", "")
        return self.page or title[:1].upper() + title[1:]

    @property
    def to_the_right(self) -> bool:
        """Whether its cells are aligned on the right, as numbers are."""
        return self.right or self.decimals is not None

    def text(self, row: Any) -> str:
        """Return the text of a row's cell."""
        return cell(self.drawn(row) if self.drawn else getattr(row, self.key), self.decimals)


@cache
def columns_of(kind: type[Struct], keys: str = "") -> tuple[Column, ...]:
    """Return the columns that the fields of a row declare, such as `games: Annotated[int, Column(priority=2)]`.

    Those of `keys`, with blanks between; by default all, in their order. Whole numbers are aligned on the right. What
    they mean stands below `Columns:` in the docstring of the row.
    """
    told = {
        name: text
        for one in reversed(kind.__mro__)
        for name, text in meanings(one.__doc__, "Columns").items()
    }
    found = {
        one.name: replace(
            column,
            key=one.name,
            help=column.help or told.get(one.name, ""),
            title=column.title or one.name.replace("_percent", " %").replace("_", " "),
            right=column.right or int in (one.type.__origin__, *get_args(one.type.__origin__)),
        )
        for one in fields(kind)
        for column in getattr(one.type, "__metadata__", ())
        if isinstance(column, Column)
    }
    return tuple(found[key] for key in keys.split() or found)


DRAWING = 9
"""Priority of columns with nothing but a drawing."""


def cell(value: Any, decimals: int | None) -> str:
    """Return a value as text for a table."""
    if value is None:
        return "–"
    if decimals == 0 and isinstance(value, int):
        return f"{value:,}"
    if decimals is not None and isinstance(value, int | float):
        return f"{value:z.{decimals}f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


Row = msgspec.Struct | Mapping[str, Any]


def csv_lines(rows: Iterable[Row], columns: Sequence[str] | None = None) -> Iterator[str]:
    """Yield the rows as CSV after a heading; None is an empty cell, lists and objects are JSON.

    `columns` selects and orders the columns; by default, all of the first row. Raises KeyError if a row lacks a
    column.
    """
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    names, cells = _cells(rows, columns)
    for row in chain([names], cells):
        writer.writerow(["" if cell is None else _flat(cell) for cell in row])
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def json_lines(rows: Iterable[Row], columns: Sequence[str] | None = None) -> Iterator[str]:
    """Yield the rows as pieces of a JSON array of objects, floats with all digits. Otherwise like `csv_lines`."""
    names, cells = _cells(rows, columns)
    before = "["
    for row in cells:
        text = json_text(dict(zip(names, row, strict=True)), indent=2)
        yield f"{before}\n  {text.replace(chr(10), f'{chr(10)}  ')}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def markdown_lines(
    headings: Sequence[str], right: Sequence[bool], rows: Iterable[Sequence[str]]
) -> Iterator[str]:
    """Yield a Markdown table of cells that are already text; `right` names the right-aligned columns."""
    yield _markdown_row(headings)
    yield "| " + " | ".join("---:" if number else "---" for number in right) + " |\n"
    yield from map(_markdown_row, rows)


def _cells(rows: Iterable[Row], columns: Sequence[str] | None) -> tuple[Sequence[str], Iterator[list[Any]]]:
    """Return the names of the columns, and the cells of each row."""
    found: Iterator[dict[str, Any]] = map(plain, rows)
    if columns is None:
        first = next(found, {})
        columns = list(first)
        found = chain([first], found) if first else iter(())
    names = columns
    return names, ([row[name] for name in names] for row in found)


def _flat(cell: Any) -> Any:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list | dict):
        return json_text(cell)
    return csv_text(cell) if isinstance(cell, str) else cell


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(markdown_text, cells)) + " |\n"
