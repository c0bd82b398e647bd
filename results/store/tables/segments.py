"""Tables of the segments: files next to the store that hold older replays."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table

from results.store.tables.base import COMPACT, METADATA

SEGMENT = Table(
    "segment",
    METADATA,
    Column("id", Integer, primary_key=True, comment="number of the segment, from 1"),
    Column("bytes", Integer, nullable=False, comment="size of its file"),
    Column(
        "sha256",
        String,
        nullable=False,
        comment="SHA-256 of its file, whose name has the number and the first 8 digits of this",
    ),
    Column("closed_at", String, nullable=False, comment="when it was written; it never changes after that"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    comment="A file of older replays, in `arena.files/replays/` or shipped elsewhere.",
)

SEGMENT_SPAN = Table(
    "segment_span",
    METADATA,
    Column("league_id", Integer, ForeignKey("league.id"), primary_key=True, comment="the league"),
    Column("segment_id", Integer, ForeignKey("segment.id"), primary_key=True, comment="the segment"),
    Column("first_match", Integer, nullable=False, comment="the lowest match with a replay in it"),
    Column("last_match", Integer, nullable=False, comment="the highest match with a replay in it"),
    Column("games", Integer, nullable=False, comment="number of the league's replays in it"),
    Column("checksum", Integer, comment="CRC-32 of the row, to detect damage"),
    **COMPACT,
    comment="Which replays of a league are in a segment. Replays in between may be in another, or in the store.",
)
