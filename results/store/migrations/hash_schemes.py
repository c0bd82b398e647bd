"""The fifth form of a store: each version says by which scheme its content hash was made.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

from results.store.row_checksums import seal_rows

STATEMENTS = ("ALTER TABLE version ADD COLUMN hash_scheme INTEGER NOT NULL DEFAULT 1",)


def apply(connection: Connection) -> None:
    """Add the column, and seal the rows with it; all that was entered before has scheme 1."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    seal_rows(connection, "version")
