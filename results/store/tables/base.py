"""What all tables of a store have in common."""

from typing import Any

from sqlalchemy import Column, Integer, MetaData, String, Table

COMPACT: dict[str, Any] = {"sqlite_with_rowid": False}
"""A table stored in primary-key order."""

METADATA = MetaData()
"""The tables of the ledger, apart from other tables in the process."""


COUNTED = ("author", "bot", "version", "ruleset", "league", "command", "segment")
"""Tables of the whole store whose rows are deleted only on request: leagues, versions that no league holds, and
segments whose replays are dropped."""

COUNTED_BY_LEAGUE = ("entry", "league_event", "match", "attempt", "segment_span")
"""Tables of leagues whose rows are never deleted, or only with segments. Games are counted with their matches, seats
with their games."""

ROW_COUNT = Table(
    "row_count",
    METADATA,
    Column("table_name", String, primary_key=True, comment="the table"),
    Column("league_id", Integer, primary_key=True, comment="the league; 0 for a table of the whole store"),
    Column("rows", Integer, nullable=False, comment="rows written so far"),
    **COMPACT,
    comment="The expected row counts of tables whose rows are never deleted, to detect missing rows.",
)

MIGRATION = Table(
    "migration",
    METADATA,
    Column("number", Integer, primary_key=True, comment="from 1"),
    Column("name", String, nullable=False, comment="what it did"),
    Column("at", String, nullable=False, comment="when"),
    Column("backup", String, comment="file name of the backup made before; null in a new store"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    comment="The migrations of this file; its version is also in `PRAGMA user_version`.",
)
