"""Writing many rows by one statement that is compiled once."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.sql.dml import ValuesBase


class Bulk:
    """An INSERT or upsert of whole rows, for many rows at once.

    SQLAlchemy would look at every value of every row before the driver does;
    numbers, texts and bytes don't need it, and half the time is saved.
    """

    def __init__(self, statement: ValuesBase) -> None:
        compiled = statement.compile(dialect=dialect())
        order = tuple(getattr(compiled, "positiontup", None) or ())
        if len(order) < 2:
            raise AssertionError(f"{statement} takes no rows of several values")
        self.columns = order
        self._text = str(compiled)
        self._values = itemgetter(*order)

    def write(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """Write the rows, each a value for every column, within the connection's transaction; return how many."""
        return self.write_values(connection, [self._values(row) for row in rows])

    def write_values(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Write the rows, each its values in the order of `columns`, likewise."""
        return connection.exec_driver_sql(self._text, list(rows)).rowcount if rows else 0
