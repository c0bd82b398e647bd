"""The third form of a store: how a league's secret follows from its seed.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

STATEMENTS = (
    "ALTER TABLE league ADD COLUMN seed_derivation INTEGER",
    "UPDATE league SET seed_derivation = 1 WHERE NOT sealed",
)


def apply(connection: Connection) -> None:
    """Add the column; all leagues with a seed were made by the first derivation."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
