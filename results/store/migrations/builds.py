"""The ninth form of a store: each version says how its files were built.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

from results.store.row_checksums import seal_rows

STATEMENTS = ("ALTER TABLE version ADD COLUMN build VARCHAR NOT NULL DEFAULT '{}'",)


def apply(connection: Connection) -> None:
    """Add the column, and seal the rows with it; nothing that was entered before was built."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    seal_rows(connection, "version")
