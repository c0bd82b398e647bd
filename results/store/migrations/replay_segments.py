"""The twelfth form of a store: older replays are in files of their own, the segments.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

STATEMENTS = (
    """
    CREATE TABLE segment (
        id INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        sha256 VARCHAR NOT NULL,
        closed_at VARCHAR NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (id)
    )
    """,
    """
    CREATE TABLE segment_span (
        league_id INTEGER NOT NULL,
        segment_id INTEGER NOT NULL,
        first_match INTEGER NOT NULL,
        last_match INTEGER NOT NULL,
        games INTEGER NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (league_id, segment_id),
        FOREIGN KEY(league_id) REFERENCES league (id),
        FOREIGN KEY(segment_id) REFERENCES segment (id)
    ) WITHOUT ROWID
    """,
)


def apply(connection: Connection) -> None:
    """Add the tables; the replays that are there stay where they are until they are moved, some at a time."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
