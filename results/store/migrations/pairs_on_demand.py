"""The eleventh form of a store: pairs by parts of the matches are counted when somebody asks.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

STATEMENTS = ("DROP TABLE pair_part",)


def apply(connection: Connection) -> None:
    """Drop the table; the ledger has all that it was derived from."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
