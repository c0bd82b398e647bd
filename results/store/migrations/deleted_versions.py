"""The tenth form of a store: each bot knows the highest number of a deleted version, which isn't given again.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

from results.store.row_checksums import seal_rows

STATEMENTS = ("ALTER TABLE bot ADD COLUMN last_deleted INTEGER NOT NULL DEFAULT 0",)


def apply(connection: Connection) -> None:
    """Add the column, and seal the rows with it; no version could be deleted before."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    seal_rows(connection, "bot")
