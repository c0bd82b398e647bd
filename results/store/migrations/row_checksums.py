"""The fourth form of a store: checksums of rows, counts of rows that never go, a mark of pruned replays.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

from results.store.row_checksums import count_all, seal_games, seal_matches, seal_rows

_SEALED = (
    "author",
    "bot",
    "version",
    "ruleset",
    "league",
    "entry",
    "league_event",
    "attempt",
    "migration",
)
_BY_LEAGUE = ("entry", "league_event", "match", "attempt")

STATEMENTS = (
    *(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER" for table in (*_SEALED, "match")),
    "ALTER TABLE game ADD COLUMN pruned BOOLEAN DEFAULT 0 NOT NULL",
    "ALTER TABLE game ADD COLUMN checksums BLOB",
    """
    CREATE TABLE row_count (
        table_name VARCHAR NOT NULL,
        league_id INTEGER NOT NULL,
        rows INTEGER NOT NULL,
        PRIMARY KEY (table_name, league_id)
    ) WITHOUT ROWID
    """,
)


def apply(connection: Connection) -> None:
    """Add the columns and fill them from what is there, which is taken to be right."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    for table in _SEALED:
        seal_rows(connection, table)
    seal_matches(connection)
    seal_games(connection)
    for table in ("author", "bot", "version", "ruleset", "league"):
        count_all(connection, table, by_league=False)
    for table in _BY_LEAGUE:
        count_all(connection, table, by_league=True)
