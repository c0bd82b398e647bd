"""Which segments there are, and where the replays of games are: reading the tables and the files of segments."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from results.base.advice import Advice, by
from results.base.errors import SegmentAway, SegmentDamaged
from results.store.database import Database, insert, value
from results.store.schema.checked_rows import count, of_row, unpacked
from results.store.segments.files import Segment, folder_of, note_of, reading
from results.store.sqlite_file import Connection, opened

_COLUMNS = "segment.id, segment.bytes, segment.sha256, segment.closed_at"
_KEPT = "substr(game.checksums, 5, 4) <> x'00000000'"
"""Whether a replay was kept when the game was entered: the second of its checksums."""
COVERED = (
    f"game.pruned = 0 AND {_KEPT} AND EXISTS (SELECT 1 FROM segment_span WHERE segment_span.league_id = game.league_id "
    "AND game.match_no BETWEEN segment_span.first_match AND segment_span.last_match)"
)
"""In SQL: whether the replay of a game is in a segment, if it isn't in the store."""


class Found(NamedTuple):
    """A replay in a segment, as it was written."""

    body: bytes
    timing: bytes


def all_segments(connection: Connection) -> list[Segment]:
    """Return the segments of a store, oldest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM segment ORDER BY id")
    return [Segment(*row) for row in rows]


def segments_in(path: Path) -> list[Segment]:
    """Return the segments of a store's file that nobody writes to; none for a store that has no table of them."""
    with closing(opened(path, unchanging=True)) as file:
        if not file.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'segment'"
        ).fetchone():
            return []
        return [Segment(*row) for row in file.execute(f"SELECT {_COLUMNS} FROM segment ORDER BY id")]


def segments_of(connection: Connection, league: int, first: int, last: int) -> list[Segment]:
    """Return the segments with replays of a league's matches from `first` to `last`, newest first."""
    text = (
        f"SELECT {_COLUMNS} FROM segment JOIN segment_span ON segment_span.segment_id = segment.id "
        "WHERE league_id = ? AND first_match <= ? AND last_match >= ? ORDER BY segment.id DESC"
    )
    return [Segment(*row) for row in connection.execute(text, (league, last, first))]


def replay_in_segments(
    database: Database, connection: Connection, league: int, match_no: int, rotation: int, name: str
) -> Found | None:
    """Return the replay of a game from the segment that has it, if any. Raises SegmentAway, SegmentDamaged."""
    text = "SELECT pruned, checksums FROM game WHERE league_id = ? AND match_no = ? AND rotation = ?"
    pruned, checksums = connection.execute(text, (league, match_no, rotation)).fetchone() or (1, None)
    sums = unpacked(checksums)
    if pruned or (sums is not None and not sums.replay):
        return None
    away = []
    for segment in segments_of(connection, league, match_no, match_no):
        try:
            found = rows_in(database, segment, league, [(match_no, rotation)])
        except FileNotFoundError:
            away.append(segment)
            continue
        for row in found:
            if sums is None or of_row(row) != sums.replay:
                raise SegmentDamaged(
                    segment.number, f"the replay of {name} in {segment.name} is not what was written"
                )
            return Found(*row[3:])
    if away:
        raise is_away(away, name)
    return None


def is_away(segments: list[Segment], name: str) -> SegmentAway:
    """Return the error for a replay in a segment that isn't here; if it may be in one of several, name them all."""
    numbers = " or ".join(str(segment.number) for segment in segments)
    files = " or ".join(segment.name for segment in segments)
    return SegmentAway(
        f"the replay of {name} is in segment {numbers} ({files}), which isn't here",
        Advice("bring it back", by("db fetch", *(str(segment.number) for segment in segments))),
    )


def rows_in(
    database: Database, segment: Segment, league: int, keys: Iterable[tuple[int, int]], columns: str = "*"
) -> list[tuple[Any, ...]]:
    """Return the rows of those of some games, (match, rotation), whose replays are in a segment.

    Raises FileNotFoundError if the segment isn't here, SegmentDamaged if it can't be read.
    """
    text = f"SELECT {columns} FROM replay WHERE league_id = ? AND match_no = ? AND rotation = ?"
    with reading(folder_of(database) / segment.name, segment) as file:
        return [row for key in keys for row in file.execute(text, (league, *key))]


def rows_between(
    database: Database, connection: Connection, league: int, first: int, last: int
) -> Iterator[tuple[Segment, list[tuple[Any, ...]] | None]]:
    """Yield the segments with replays of some matches and these rows in key order; None: it can't be read."""
    for segment in segments_of(connection, league, first, last):
        ((lowest, highest),) = connection.execute(
            "SELECT first_match, last_match FROM segment_span WHERE league_id = ? AND segment_id = ?",
            (league, segment.number),
        )
        try:
            with reading(folder_of(database) / segment.name, segment) as file:
                found = file.execute(
                    "SELECT * FROM replay WHERE league_id = ? AND match_no BETWEEN ? AND ? ORDER BY match_no, rotation",
                    (league, max(first, lowest), min(last, highest)),
                )
                yield segment, found.fetchall()
        except (FileNotFoundError, SegmentDamaged):
            yield segment, None


class Span(NamedTuple):
    """The replays of one league in a segment."""

    league: int
    first_match: int
    last_match: int
    games: int


def next_number(connection: Connection) -> int:
    """Return the number of the next segment."""
    return int(value(connection, "SELECT coalesce(max(id), 0) + 1 FROM segment"))


def enter(connection: Connection, segment: Segment, spans: Sequence[Span]) -> None:
    """Enter a segment whose file has reached the disk."""
    insert(connection, "segment", [(*segment, of_row(segment))])
    count(connection, "segment", 0, 1)
    for span in spans:
        row = (span.league, segment.number, *span[1:])
        insert(connection, "segment_span", [(*row, of_row(row))])
        count(connection, "segment_span", span.league, 1)


def spans_in(connection: Connection, number: int) -> list[Span]:
    """Return the spans of a segment."""
    found = connection.execute(
        "SELECT league_id, first_match, last_match, games FROM segment_span WHERE segment_id = ? ORDER BY 1",
        (number,),
    )
    return [Span(*row) for row in found]


def drop_span(connection: Connection, league: int, number: int) -> None:
    """Drop the replays of a league from a segment. They may still be in its file, and no longer count."""
    text = "DELETE FROM segment_span WHERE league_id = ? AND segment_id = ?"
    dropped = connection.execute(text, (league, number)).rowcount
    count(connection, "segment_span", league, -dropped)


def drop_segment(connection: Connection, segment: Segment) -> None:
    """Drop a segment with its spans; its file is to be removed once that is committed."""
    for span in spans_in(connection, segment.number):
        drop_span(connection, span.league, segment.number)
    connection.execute("DELETE FROM segment WHERE id = ?", (segment.number,))
    count(connection, "segment", 0, -1)


def drop_empty(connection: Connection) -> list[Segment]:
    """Drop the segments in which no league has replays; return them, so that their files can be removed."""
    used = {number for (number,) in connection.execute("SELECT DISTINCT segment_id FROM segment_span")}
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
