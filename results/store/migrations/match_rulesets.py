"""The thirteenth form of a store: matches with a ruleset of their own have an index.

Word for word as it was released; it never changes.
"""

from sqlalchemy import Connection

STATEMENT = "CREATE INDEX match_ruleset ON match (league_id, ruleset_id) WHERE ruleset_id IS NOT NULL"


def apply(connection: Connection) -> None:
    """Add the index."""
    connection.exec_driver_sql(STATEMENT)
