"""The seventh form of a store: the commands that were taken up from the inbox.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

STATEMENT = """
    CREATE TABLE command (
        id INTEGER NOT NULL,
        uuid VARCHAR NOT NULL,
        kind VARCHAR NOT NULL,
        submitted_by VARCHAR NOT NULL,
        submitted_at VARCHAR NOT NULL,
        taken_at VARCHAR NOT NULL,
        outcome VARCHAR NOT NULL,
        words VARCHAR NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (id),
        UNIQUE (uuid),
        CONSTRAINT command_outcome CHECK (outcome IN ('done', 'refused'))
    )
    """


def apply(connection: Connection) -> None:
    """Add the table."""
    connection.exec_driver_sql(STATEMENT)
