"""Checks the files of segments: whether each is here, is what was written, and has the rows that it should have."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sqlalchemy import Connection

from results.base.errors import SegmentDamaged
from results.records.query_rows import Finding, Mend
from results.store.database import Database
from results.store.segments.files import Look, Segment, folder_of, look_at, reading
from results.store.segments.rows import all_segments, spans_in
from results.store.segments.shipping import shipped_to
from results.store.tables.rows import of_row, unpacked
from results.store.verification.games import Span

_MOST_NAMED = 5


def check_segments(
    database: Database, connection: Connection, spans: Sequence[Span], progress: Callable[[int, int], None]
) -> Iterator[Finding]:
    """Check the file of every segment; the replays in it are checked with the games.

    `spans`: the matches whose games are checked. Of segments without any of them, only the size is looked at.
    """
    first: dict[int, int] = {}
    for span in spans:
        first[span.league] = min(first.get(span.league, span.start), span.start)
    segments = all_segments(connection)
    for done, segment in enumerate(segments):
        progress(done, len(segments))
        of_segment = spans_in(connection, segment.number)
        whole = any(one.league in first and one.last_match >= first[one.league] for one in of_segment)
        yield from _check(database, connection, segment, whole=whole)


def _check(database: Database, connection: Connection, segment: Segment, *, whole: bool) -> Iterator[Finding]:
    path = folder_of(database) / segment.name
    games = sum(span.games for span in spans_in(connection, segment.number))
    try:
        if not whole and path.stat().st_size == segment.bytes:
            return
        look = look_at(path)
    except FileNotFoundError:
        if (folder := shipped_to(path)) is not None:
            text = f"segment {segment.number} with {games:,} replays isn't here; it was shipped to {folder}"
            yield Finding("segment", None, None, None, text, Mend.AWAY)
        else:
            yield _finding(segment, f"its file {segment.name} with {games:,} replays is missing")
        return
    except OSError as error:
        yield _finding(segment, f"its file {segment.name} can't be read: {error.strerror}")
        return
    if look == Look(segment.bytes, segment.sha256):
        return
    size = "" if look.bytes == segment.bytes else f" and has {look.bytes:,} bytes, not {segment.bytes:,}"
    told = _told(connection, path, segment, look)
    yield _finding(segment, f"its file {segment.name} is not what was written{size}{told}")


def _told(connection: Connection, path: Path, segment: Segment, look: Look) -> str:
    """Return what is wrong with the rows of a file that isn't what was written, in words."""
    try:
        with reading(path, segment._replace(bytes=look.bytes)) as file:
            return _rows(connection, file, segment)
    except SegmentDamaged as error:
        return f": {error.what}"


def _rows(connection: Connection, file: sqlite3.Connection, segment: Segment) -> str:
    """Compare the rows of a segment's file with the ledger."""
    foreign: list[str] = []
    altered: list[str] = []
    here = 0
    uuids: dict[int, str] = dict(connection.exec_driver_sql("SELECT id, uuid FROM league").all())
    known = {
        number for number, uuid in file.execute("SELECT id, uuid FROM league") if uuids.get(number) == uuid
    }
    spans = {span.league: span for span in spans_in(connection, segment.number) if span.league in known}
    names: dict[int, str] = dict(connection.exec_driver_sql("SELECT id, name FROM league").all())
    for row in file.execute("SELECT league_id, match_no, rotation, body, timing FROM replay"):
        game = connection.exec_driver_sql(
            "SELECT checksums FROM game WHERE league_id = ? AND match_no = ? AND rotation = ?", row[:3]
        ).first()
        name = f"{names.get(row[0], f'league number {row[0]}')}/{row[1]}.{row[2]}"
        span = spans.get(row[0])
        if game is None or span is None or not span.first_match <= row[1] <= span.last_match:
            foreign.append(name)
            continue
        here += 1
        sums = unpacked(game.checksums)
        if sums is not None and of_row(row) != sums.replay:
            altered.append(name)
    should = sum(span.games for span in spans_in(connection, segment.number))
    problems = []
    if foreign:
        problems.append(f"{_listed(foreign)} not of this segment")
    if altered:
        problems.append(f"{_listed(altered)} altered")
    if here < should:
        problems.append(f"{should - here:,} of {should:,} replays missing")
    return (
        f": {', '.join(problems)}"
        if problems
        else ": its replays are those that were written, its pages are not"
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def _finding(segment: Segment, text: str) -> Finding:
    return Finding("segment", None, None, None, f"segment {segment.number}: {text}", Mend.FETCH)
