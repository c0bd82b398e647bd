"""The fourteenth form of a store: seats keep the reason of a fault in one word.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

from results.store.row_checksums import seal_games

STATEMENTS = ("ALTER TABLE seat ADD COLUMN reason VARCHAR",)


def apply(connection: Connection) -> None:
    """Add the column, and seal the games with it; the reasons of earlier faults are not known."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    seal_games(connection)
