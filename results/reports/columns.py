"""Rows of reports and their columns, which are declared once, for terminals, Markdown, CSV, JSON and pages."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import fields


class ReportRow(Struct, frozen=True, kw_only=True):
    """One row of a report: numbers, names and texts, formatted only when they are shown.

    Field names include units; a field with another name in JSON and CSV says so.
    """


class ColumnGroup(Struct, frozen=True, kw_only=True):
    """Columns of a row that it has together or not at all: a field of this type or None.

    In CSV and JSON they are columns of the row, empty for None.
    """


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


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a report, in a terminal or in Markdown."""

    key: str
    """The field of a row that it shows."""
    title: str
    decimals: int | None = None
    """Digits after the point of a float; None for other types."""
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

    @property
    def to_the_right(self) -> bool:
        """Whether its cells are aligned on the right, as numbers are."""
        return self.right or self.decimals is not None

    def text(self, row: Any) -> str:
        """Return the text of a row's cell."""
        return cell(self.drawn(row) if self.drawn else getattr(row, self.key), self.decimals)


DRAWING = 9
"""Priority of columns with nothing but a drawing."""


def cell(value: Any, decimals: int | None) -> str:
    """Return a value as text for a table."""
    if value is None:
        return "–"
    if decimals is not None and isinstance(value, int | float):
        return f"{value:.{decimals}f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
