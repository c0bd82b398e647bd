"""What all tables of a store have in common: how columns are declared."""

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Boolean, Column, Float, Integer, LargeBinary, MetaData, String, Table

METADATA = MetaData()
"""The tables of the ledger, apart from other tables in the process."""


def table(name: str, comment: str, *items: Any, compact: bool = False) -> Table:
    """Return a table of the ledger; `compact`: stored in the order of its primary key."""
    return Table(name, METADATA, *items, comment=comment, sqlite_with_rowid=not compact)


def _columns_of(kind: Any) -> Callable[..., Column[Any]]:
    """Return what makes a column of a type, which can't be null by default, from its name and comment."""

    def column(name: str, comment: str, *items: Any, nullable: bool = False, **options: Any) -> Column[Any]:
        return Column(name, kind, *items, nullable=nullable, comment=comment, **options)

    return column


integer, real, string, blob, flag = map(_columns_of, (Integer, Float, String, LargeBinary, Boolean))


def key(name: str, comment: str, *items: Any, kind: Any = Integer) -> Column[Any]:
    """Return a column of the primary key."""
    return Column(name, kind, *items, primary_key=True, comment=comment)


def of_game() -> Iterator[Column[Any]]:
    """Yield the key of a game, with which the keys of its rows begin."""
    yield key("league_id", "the league")
    yield key("match_no", "the match")
    yield key("rotation", "the number of the game within its match, from 0")


def checksum() -> Column[Any]:
    """Return the column with the checksum of a row."""
    return integer("checksum", "CRC-32 of the row, to detect damage", nullable=True)


ROW_COUNT = table(
    "row_count",
    "The expected row counts of tables whose rows are never deleted, to detect missing rows.",
    key("table_name", "the table", kind=String),
    key("league_id", "the league; 0 for a table of the whole store"),
    integer("rows", "rows written so far"),
    compact=True,
)

MIGRATION = table(
    "migration",
    "The migrations of this file; its version is also in `PRAGMA user_version`.",
    key("number", "from 1"),
    string("name", "what it did"),
    string("at", "when"),
    string("backup", "file name of the backup made before; null in a new store", nullable=True),
    checksum(),
)
