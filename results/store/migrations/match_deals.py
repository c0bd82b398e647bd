"""The eighth form of a store: single matches keep the seed of their deal.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

from results.store.row_checksums import seal_matches

STATEMENTS = (
    "ALTER TABLE match ADD COLUMN seed BLOB",
    "ALTER TABLE match ADD COLUMN first_rotation INTEGER NOT NULL DEFAULT 0",
)


def apply(connection: Connection) -> None:
    """Add the columns, and seal the rows with them; the seeds of earlier single matches are not known."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    seal_matches(connection)
