"""Statements that are compiled once: for many rows, and for what every transaction of a writer does."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import ClauseElement, ColumnElement, Compiled, Connection, Table, bindparam, func, select
from sqlalchemy.dialects.sqlite import dialect, insert
from sqlalchemy.sql.dml import ValuesBase

from results.store.database import driver_of


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
