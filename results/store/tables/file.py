"""Tables about the file itself: its expected row counts and its migrations."""

from sqlmodel import Field

from results.store.tables.base import COMPACT, LedgerTable

COUNTED = ("author", "bot", "version", "ruleset", "league", "command")
"""Tables of the whole store whose rows are deleted only on request: leagues, and versions that no league holds."""

COUNTED_BY_LEAGUE = ("entry", "league_event", "match", "attempt")
"""Tables of leagues whose rows are never deleted. Games are counted with their matches, seats with their games."""


class RowCountRow(LedgerTable, table=True):
    """The expected row counts of tables whose rows are never deleted, to detect missing rows."""

    __tablename__ = "row_count"
    __table_args__ = COMPACT

    table_name: str = Field(primary_key=True, description="the table")
    league_id: int = Field(primary_key=True, description="the league; 0 for a table of the whole store")
    rows: int = Field(description="rows written so far")


class MigrationRow(LedgerTable, table=True):
    """The migrations of this file; its version is also in `PRAGMA user_version`."""

    __tablename__ = "migration"

    number: int = Field(primary_key=True, description="from 1")
    name: str = Field(description="what it did")
    at: str = Field(description="when")
    backup: str | None = Field(description="file name of the backup made before; null in a new store")
    checksum: int | None = Field(default=None, description="CRC-32 of the row, to detect damage")
