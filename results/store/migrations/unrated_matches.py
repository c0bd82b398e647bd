"""The fifteenth form of a store: matches that aren't rated, and versions that came with Arena.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

from results.store.row_checksums import seal_matches, seal_rows

STATEMENTS = (
    "ALTER TABLE match ADD COLUMN rated BOOLEAN NOT NULL DEFAULT 1",
    "ALTER TABLE progress ADD COLUMN games_unrated INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE version ADD COLUMN bundled BOOLEAN NOT NULL DEFAULT 0",
)


def apply(connection: Connection) -> None:
    """Add the columns, and seal the rows with them; until now, every match of a league was rated.

    A version that came with Arena is known as such once it is entered again.
    """
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    seal_matches(connection)
    seal_rows(connection, "version")
