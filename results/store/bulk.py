"""Writes many rows with one statement that is compiled once."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.sql.dml import ValuesBase


class Bulk:
    """An INSERT or upsert of complete rows, for many rows at once.

    SQLAlchemy would inspect every value of every row before the driver does. Numbers,
    texts and bytes don't need that, and skipping it saves half the time.
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
        """Write rows with a value for every column within the connection's transaction; return their number."""
        return self.write_values(connection, [self._values(row) for row in rows])

    def write_values(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Do the same for rows whose values are in the order of `columns`."""
        return connection.exec_driver_sql(self._text, list(rows)).rowcount if rows else 0
