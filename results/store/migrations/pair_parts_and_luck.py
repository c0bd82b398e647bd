"""The second form of a store: pairs by parts of the matches, luck of the deals, an index of sandbox levels.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

STATEMENTS = (
    """
    CREATE TABLE pair_part (
        league_id INTEGER NOT NULL,
        part INTEGER NOT NULL,
        entry_a INTEGER NOT NULL,
        entry_b INTEGER NOT NULL,
        matches INTEGER NOT NULL,
        matches_above INTEGER NOT NULL,
        matches_tied INTEGER NOT NULL,
        PRIMARY KEY (league_id, part, entry_a, entry_b)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE luck_total (
        league_id INTEGER NOT NULL,
        entry_no INTEGER NOT NULL,
        seats INTEGER NOT NULL,
        games INTEGER NOT NULL,
        matches INTEGER NOT NULL,
        points INTEGER NOT NULL,
        game_squares INTEGER NOT NULL,
        match_squares INTEGER NOT NULL,
        PRIMARY KEY (league_id, entry_no, seats, games)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX game_sandbox ON game (league_id, sandbox)",
    "DELETE FROM rating",
    "DELETE FROM rating_point",
    "DELETE FROM entry_total",
    "DELETE FROM seat_total",
    "DELETE FROM fault_total",
    "DELETE FROM pair_total",
    "UPDATE progress SET next_match_no = 0",
)


def apply(connection: Connection) -> None:
    """Make the new tables; what is derived is emptied, so that the fold fills old and new alike."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
