"""Tables of the file itself: how many rows it should have, and what brought it to its form."""

from sqlmodel import Field

from results.store.tables.base import COMPACT, LedgerTable

COUNTED = ("author", "bot", "version", "ruleset", "league")
"""Tables of the whole store whose rows never go."""

COUNTED_BY_LEAGUE = ("entry", "league_event", "match", "attempt")
"""Tables whose rows belong to a league and never go. Games are counted by their matches, seats by their games."""


class RowCountRow(LedgerTable, table=True):
    """How many rows a table has whose rows never go, so that missing ones are noticed."""

    __tablename__ = "row_count"
    __table_args__ = COMPACT

    table_name: str = Field(primary_key=True, description="the table")
    league_id: int = Field(primary_key=True, description="the league; 0 for a table of the whole store")
    rows: int = Field(description="rows written so far")


class MigrationRow(LedgerTable, table=True):
    """What brought the file to its present form; its version is also in `PRAGMA user_version`."""

    __tablename__ = "migration"

    number: int = Field(primary_key=True, description="from 1")
    name: str = Field(description="what it did")
    at: str = Field(description="when")
    backup: str | None = Field(description="file name of the copy made before; null in a new store")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to find damage by")
