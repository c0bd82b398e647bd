"""Rows as text for other programs: CSV, JSON, Markdown. The command line draws the tables for the terminal.

Lines are yielded one by one, so a listing of any length needs little memory. `results.base.text` makes text safe.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from results.base.text import csv_text, json_text, markdown_text
from results.reports.columns import plain

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


def to_csv(rows: Iterable[Row], columns: Sequence[str] | None = None) -> str:
    """Return the lines of `csv_lines` as one text."""
    return "".join(csv_lines(rows, columns))


def to_json(rows: Iterable[Row], columns: Sequence[str] | None = None) -> str:
    """Return the lines of `json_lines` as one text."""
    return "".join(json_lines(rows, columns))


def to_markdown(rows: Iterable[Row], columns: Sequence[str] | None = None) -> str:
    """Return the rows as a Markdown table, floats with two decimals, numbers right-aligned. Otherwise like `to_csv`."""
    names, cells = _cells(rows, columns)
    lines = list(cells)
    right = [
        all(isinstance(line[i], int | float | None) for line in lines) and bool(lines)
        for i in range(len(names))
    ]
    short = [["" if cell is None else _short(cell) for cell in line] for line in lines]
    return "".join(markdown_lines(names, right, short)) if names else ""


FORMATS: Mapping[str, Callable[[Iterable[Row], Sequence[str] | None], str]] = {
    "csv": to_csv,
    "json": to_json,
    "md": to_markdown,
}
"""Every text format, by its name for `--format`."""


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


def _short(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.2f}"
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return json_text(cell) if isinstance(cell, list | dict) else str(cell)


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(map(markdown_text, cells)) + " |\n"
