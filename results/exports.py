"""Rows as text for other programs: CSV, JSON, Markdown. Tables for the terminal are the command line's."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

import msgspec

Row = msgspec.Struct | Mapping[str, Any]


def to_csv(rows: Sequence[Row], columns: Sequence[str] | None = None) -> str:
    """Return the rows as CSV with a heading; None is an empty cell, lists and objects are JSON.

    `columns`: which, in this order; all of the first row where not given. Raises KeyError for a column that
    a row has not.
    """
    names, cells = _cells(rows, columns)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(["" if cell is None else _flat(cell) for cell in line] for line in cells)
    return text.getvalue()


def to_json(rows: Sequence[Row], columns: Sequence[str] | None = None) -> str:
    """Return the rows as a JSON array of objects, floats to the last digit. Otherwise as `to_csv`."""
    names, cells = _cells(rows, columns)
    objects = [dict(zip(names, line, strict=True)) for line in cells]
    return json.dumps(objects, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_markdown(rows: Sequence[Row], columns: Sequence[str] | None = None) -> str:
    """Return the rows as a Markdown table, floats to two decimals, numbers to the right. Otherwise as `to_csv`."""
    names, cells = _cells(rows, columns)
    right = [
        all(isinstance(line[i], int | float | None) for line in cells) and bool(cells)
        for i in range(len(names))
    ]
    lines = [names, ["---:" if number else "---" for number in right]]
    lines += [["" if cell is None else _short(cell) for cell in line] for line in cells]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines) if names else ""


FORMATS: Mapping[str, Callable[[Sequence[Row], Sequence[str] | None], str]] = {
    "csv": to_csv,
    "json": to_json,
    "md": to_markdown,
}
"""Every form of text by the name that `--format` knows it by."""


def _cells(rows: Sequence[Row], columns: Sequence[str] | None) -> tuple[list[str], list[list[Any]]]:
    plain = [_plain(msgspec.structs.asdict(r) if isinstance(r, msgspec.Struct) else dict(r)) for r in rows]
    names = list(columns) if columns is not None else list(plain[0]) if plain else []
    return names, [[row[name] for name in names] for row in plain]


def _plain(value: Any) -> Any:
    """Return a value made of what JSON has."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, msgspec.Struct):
        return _plain(msgspec.structs.asdict(value))
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _flat(cell: Any) -> Any:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False)
    return cell


def _short(cell: Any) -> str:
    text = f"{cell:.2f}" if isinstance(cell, float) else str(_flat(cell))
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("\r", " ")
