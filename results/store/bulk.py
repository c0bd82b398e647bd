"""Writes many rows with one statement that is compiled once."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from sqlalchemy import Compiled, Connection
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.sql.dml import ValuesBase


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

    @cached_property
    def _values(self) -> "itemgetter[Any]":
        return itemgetter(*self.columns)

    def write(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """Write rows with a value for every column within the connection's transaction; return their number."""
        return self.write_values(connection, [self._values(row) for row in rows])

    def write_values(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Do the same for rows whose values are in the order of `columns`."""
        if not rows:
            return 0
        driver = connection.connection.driver_connection
        if driver is None:
            raise AssertionError("the connection is closed")
        return int(driver.executemany(self._text, rows).rowcount)
