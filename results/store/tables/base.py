"""What all tables of a store have in common: how columns are declared, and statements that are compiled once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import (
    Boolean,
    ClauseElement,
    Column,
    ColumnElement,
    Compiled,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    bindparam,
    func,
    select,
)
from sqlalchemy.dialects.sqlite import dialect, insert
from sqlalchemy.sql.dml import ValuesBase

from results.store.database import driver_of

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


COUNTED = ("author", "bot", "version", "ruleset", "league", "command", "segment")
"""Tables of the whole store whose rows are deleted only on request: leagues, versions that no league holds, and
segments whose replays are dropped."""

COUNTED_BY_LEAGUE = ("entry", "league_event", "match", "attempt", "segment_span")
"""Tables of leagues whose rows are never deleted, or only with segments. Games are counted with their matches, seats
with their games."""

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


class Bulk:
    """An INSERT or upsert of complete rows, for many rows at once.

    SQLAlchemy would inspect every value of every row before the driver does. Numbers,
    texts and bytes don't need that, so the driver gets them at once, and its errors
    come as they are: `database.translated` knows both kinds. The
    statement is compiled when it is first used: commands that only read need none.
    """

    def __init__(self, statement: ValuesBase) -> None:
        self._statement = statement

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns in the order in which the statement takes their values."""
        order = tuple(getattr(self._compiled, "positiontup", None) or ())
        if len(order) < 2:
            raise AssertionError(f"{self._statement} takes no rows of several values")
        return order

    @cached_property
    def _compiled(self) -> Compiled:
        return self._statement.compile(dialect=dialect())

    @cached_property
    def _text(self) -> str:
        return str(self._compiled)

    def write_values(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Write rows of values in the order of `columns` within the connection's transaction; return their number."""
        if not rows:
            return 0
        return int(driver_of(connection).executemany(self._text, rows).rowcount)


def adding(table: Table) -> Bulk:
    """Return the statement that adds rows to existing ones with the same key; `max_` columns keep the larger value."""
    statement = insert(table)
    values = {
        c.name: func.max(c, statement.excluded[c.name])
        if c.name.startswith("max_")
        else c + statement.excluded[c.name]
        for c in table.columns
        if not c.primary_key
    }
    return Bulk(statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values))


class Prepared:
    """A statement with named values that is compiled once, for what runs in every transaction of a writer.

    Its rows are plain tuples of what SQLite keeps: use it for columns of numbers and texts. Like `Bulk`, it needs
    SQLAlchemy only for the text of the statement.
    """

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement

    @cached_property
    def _compiled(self) -> tuple[str, tuple[str, ...], Mapping[str, Any]]:
        """The text, the names of its values in order, and those that are known."""
        compiled = self._statement.compile(dialect=dialect())
        names = tuple(getattr(compiled, "positiontup", None) or ())
        return str(compiled), names, dict(compiled.params)

    def rows(self, connection: Connection, **values: Any) -> list[Any]:
        """Run the statement within the connection's transaction; return the rows."""
        text, names, known = self._compiled
        given = {**known, **values}
        rows: list[Any] = driver_of(connection).execute(text, [given[name] for name in names]).fetchall()
        return rows

    def run_all(self, connection: Connection, many: Iterable[Mapping[str, Any]]) -> None:
        """Run the statement once for each of several sets of values."""
        text, names, known = self._compiled
        rows = ({**known, **values} for values in many)
        driver_of(connection).executemany(text, [[given[name] for name in names] for given in rows])


def among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that a column has one of some values, given under this name as `listed` returns them."""
    return column.in_(select(func.json_each(bindparam(name)).table_valued("value").c.value))


def listed(numbers: Iterable[int]) -> str:
    """Return numbers as the value that `among` takes; their order doesn't matter."""
    return f"[{','.join(map(str, numbers))}]"
