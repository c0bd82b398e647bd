"""The rows of segments in the ledger: entering them and dropping them, within a transaction."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert

from results.checksums import of_row
from results.store.database import Database
from results.store.row_checksums import count
from results.store.segments.files import Segment, folder_of
from results.store.segments.rows import all_segments
from results.store.tables import TABLES

_segment = TABLES["segment"]
_span = TABLES["segment_span"]


class Span(NamedTuple):
    """The replays of one league in a segment."""

    league: int
    first_match: int
    last_match: int
    games: int


def next_number(connection: Connection) -> int:
    """Return the number of the next segment."""
    return int(connection.exec_driver_sql("SELECT coalesce(max(id), 0) + 1 FROM segment").scalar_one())


def enter(connection: Connection, segment: Segment, spans: Sequence[Span]) -> None:
    """Enter a segment whose file has reached the disk."""
    connection.execute(insert(_segment).values((*segment, of_row(segment))))
    count(connection, "segment", 0, 1)
    for span in spans:
        row = (span.league, segment.number, *span[1:])
        connection.execute(insert(_span).values((*row, of_row(row))))
        count(connection, "segment_span", span.league, 1)


def spans_in(connection: Connection, number: int) -> list[Span]:
    """Return the spans of a segment."""
    found = connection.exec_driver_sql(
        "SELECT league_id, first_match, last_match, games FROM segment_span WHERE segment_id = ? ORDER BY 1",
        (number,),
    )
    return [Span(*row) for row in found]


def drop_span(connection: Connection, league: int, number: int) -> None:
    """Drop the replays of a league from a segment. They may still be in its file, and no longer count."""
    condition = (_span.c.league_id == league) & (_span.c.segment_id == number)
    dropped = connection.execute(delete(_span).where(condition)).rowcount
    count(connection, "segment_span", league, -dropped)


def drop_segment(connection: Connection, segment: Segment) -> None:
    """Drop a segment with its spans; its file is to be removed once that is committed."""
    for span in spans_in(connection, segment.number):
        drop_span(connection, span.league, segment.number)
    connection.execute(delete(_segment).where(_segment.c.id == segment.number))
    count(connection, "segment", 0, -1)


def drop_empty(connection: Connection) -> list[Segment]:
    """Drop the segments in which no league has replays; return them, so that their files can be removed."""
    used = {
        number for (number,) in connection.exec_driver_sql("SELECT DISTINCT segment_id FROM segment_span")
    }
    empty = [segment for segment in all_segments(connection) if segment.number not in used]
    for segment in empty:
        drop_segment(connection, segment)
    return empty


def remove_files(database: Database, segments: Sequence[Segment]) -> None:
    """Remove the files of segments that are no longer in the ledger, with the notes where they were shipped."""
    for segment in segments:
        path = folder_of(database) / segment.name
        for gone in (path, note_of(path)):
            gone.unlink(missing_ok=True)


def note_of(path: Path) -> Path:
    """Return the file next to a segment's that says where the segment was shipped."""
    return path.with_suffix(".shipped.json")
