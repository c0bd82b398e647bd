"""Checks the file, the tables that don't grow with the games, and the files of segments."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from results.base.errors import SegmentDamaged
from results.records.query_rows import Finding, Mend
from results.store.database import Database, value, version_of
from results.store.schema.checked_rows import COUNTED, COUNTED_BY_LEAGUE, checked_columns, of_row, unpacked
from results.store.segments.files import Look, Segment, folder_of, look_at, reading, shipped_to
from results.store.segments.lookup import all_segments, spans_in
from results.store.sqlite_file import Connection
from results.store.updating_derived_tables import DERIVED
from results.store.verification.games import Span

SEALED = (*COUNTED, "migration")
"""Tables of the whole store that have a checksum per row."""

SEALED_BY_LEAGUE = ("entry", "league_event", "attempt", "segment_span")
"""The same for tables with rows of leagues; those of matches and games are checked with the games."""

_MOST_NAMED = 20
"""At most this many rows of one kind are listed individually."""


@contextmanager
def reading_anything(connection: Connection) -> Iterator[None]:
    """Read text that isn't valid UTF-8 too, with a mark in place of the invalid bytes."""
    connection.text_factory = lambda content: content.decode(errors="replace")
    try:
        yield
    finally:
        connection.text_factory = str


def check_file(connection: Connection) -> Iterator[Finding]:
    """Check the file with SQLite, and the list of migrations in it."""
    for (problem,) in connection.execute(f"PRAGMA integrity_check({_MOST_NAMED})"):
        if problem != "ok":
            mend = Mend.REBUILD if " index " in problem else Mend.BACKUP
            yield Finding("file", None, None, None, f"SQLite finds that {problem}", mend)
    rows = connection.execute("SELECT number, backup FROM migration ORDER BY 1").fetchall()
    steps, version = [number for number, _ in rows], version_of(connection)
    began_new = bool(rows) and rows[0][1] is None
    if not began_new or steps != list(range(steps[0], version + 1)):
        text = f"table migration: its rows are {_listed(steps)}, and the file is of version {version}"
        yield Finding("missing", None, None, None, text)


def check_references(connection: Connection, leagues: Mapping[int, str]) -> Iterator[Finding]:
    """Look for rows that refer to missing rows; all that lack the same row are one finding."""
    broken = {(row[0], row[3]) for row in connection.execute("PRAGMA foreign_key_check")}
    for table, reference in sorted(broken):
        columns = [
            row for row in connection.execute(f"PRAGMA foreign_key_list({table})") if row[0] == reference
        ]
        parent = columns[0][2]
        keys = connection.keys(table)
        same = " AND ".join(f"p.{to} = c.{own}" for _, _, _, own, to, *_ in columns)
        given = " AND ".join(f"c.{own} IS NOT NULL" for _, _, _, own, *_ in columns)
        wanted = [f"c.{own}" for _, _, _, own, *_ in columns]
        text = (
            f"SELECT count(*), {', '.join([f'c.{key}' for key in keys] + wanted)} FROM {table} c "
            f"WHERE {given} AND NOT EXISTS (SELECT 1 FROM {parent} p WHERE {same}) "
            f"GROUP BY {', '.join(wanted)} LIMIT {_MOST_NAMED}"
        )
        for count, *row in connection.execute(text):
            key = dict(zip(keys, row, strict=False))
            missing = dict(zip((to for _, _, _, _, to, *_ in columns), row[len(keys) :], strict=True))
            league = leagues.get(key.get("league_id", -1))
            if count > 1:
                text = f"table {table}: {count} rows refer to {_told(missing)} of table {parent}, which is not there"
                yield Finding("missing", league, None, None, text)
                continue
            yield Finding(
                "missing",
                league,
                key.get("match_no"),
                key.get("rotation"),
                f"table {table}: the row with {_told(key)} refers to {_told(missing)} of table {parent}, "
                "which is not there",
            )


def check_rows(connection: Connection, table: str, leagues: Mapping[int, str]) -> Iterator[Finding]:
    """Compare every row of a table with its checksum; of tables of leagues, the rows of leagues that exist."""
    columns, keys = checked_columns(connection, table), connection.keys(table)
    league = "id" if table == "league" else "league_id" if "league_id" in columns else None
    text = f'SELECT {", ".join(columns)}, checksum FROM "{table}"'
    for row in connection.execute(text):
        values = dict(zip(columns, row, strict=False))
        if (table in SEALED_BY_LEAGUE and values["league_id"] not in leagues) or row[-1] == of_row(
            tuple(row[:-1])
        ):
            continue
        what = "is not what was written" if row[-1] is not None else "has no checksum"
        key = {key: values[key] for key in keys}
        name = leagues.get(values[league]) if league else None
        yield Finding("row", name, None, None, f"table {table}: the row with {_told(key)} {what}")


def check_counts(connection: Connection, leagues: Mapping[int, str]) -> Iterator[Finding]:
    """Check that tables have as many rows as were written."""
    said = {
        (table, league): rows
        for table, league, rows in connection.execute("SELECT table_name, league_id, rows FROM row_count")
    }
    for table in COUNTED:
        numbers = _numbers(connection, table, "id", "")
        yield from _miscounted(table, None, said.pop((table, 0), 0), numbers, 1)
    for league, name in leagues.items():
        for table, column in zip(
            COUNTED_BY_LEAGUE, ("entry_no", "event_no", "match_no", None, None), strict=True
        ):
            numbers = _numbers(connection, table, column, f" WHERE league_id = {int(league)}")
            yield from _miscounted(table, name, said.pop((table, league), 0), numbers, 0)
    for table, league in said:
        text = f"table row_count: its row for table {table} of league number {league} counts nothing that is here"
        yield Finding("row", None, None, None, text)


def _numbers(connection: Connection, table: str, column: str | None, where: str) -> Sequence[int]:
    """Return the numbers of a table's rows; if they have none, as many numbers as there are rows."""
    if column is None:
        text = f"SELECT count(*) FROM {table}{where}"
        return range(value(connection, text))
    rows = connection.execute(f"SELECT {column} FROM {table}{where}")
    return [number for (number,) in rows]


def _miscounted(
    table: str, league: str | None, written: int, numbers: Sequence[int], first: int
) -> Iterator[Finding]:
    if len(numbers) == written:
        return
    there = set(numbers)
    gone = [number for number in range(first, first + written) if number not in there]
    named = f"; missing: {_listed(gone)}" if gone and isinstance(numbers, list) else ""
    text = f"table {table} has {len(numbers)} rows, and {written} by table row_count{named}"
    yield Finding("missing", league, None, None, text)


def check_league(connection: Connection, league: int, name: str) -> Iterator[Finding]:
    """Check that a league's secret matches its commitment, and that its progress exists."""
    ((secret, commitment),) = connection.execute(
        "SELECT secret, commitment FROM league WHERE id = ?", (league,)
    )
    if not isinstance(secret, bytes) or sha256(secret).hexdigest() != commitment:
        text = "table league: the secret is not the one committed to (columns secret, commitment)"
        yield Finding("file", name, None, None, text)
    if not connection.execute("SELECT 1 FROM progress WHERE league_id = ?", (league,)).fetchone():
        yield Finding("derived", name, None, None, "table progress: it has no row", Mend.REBUILD)


def check_strays(connection: Connection) -> Iterator[Finding]:
    """Look for derived rows of leagues that don't exist or aren't rated."""
    for table in (*DERIVED, "progress"):
        rated = "" if table == "progress" else " WHERE rated"
        strays = connection.execute(
            f"SELECT DISTINCT league_id FROM {table} WHERE league_id NOT IN (SELECT id FROM league{rated})"
        )
        for (number,) in strays:
            text = f"table {table}: it has rows with league_id {number}, for which nothing is derived"
            yield Finding("derived", None, None, None, text, Mend.REBUILD)


def _told(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _listed(things: Sequence[object], most: int = _MOST_NAMED) -> str:
    more = f" and {len(things) - most:,} more" if len(things) > most else ""
    return (", ".join(map(str, things[:most])) or "none") + more


_MOST_REPLAYS = 5


def check_segments(
    database: Database, connection: Connection, spans: Sequence[Span], progress: Callable[[int, int], None]
) -> Iterator[Finding]:
    """Check every segment's file; of those without any match of `spans`, only the size is looked at."""
    first: dict[int, int] = {}
    for span in spans:
        first[span.league] = min(first.get(span.league, span.start), span.start)
    segments = all_segments(connection)
    for done, segment in enumerate(segments):
        progress(done, len(segments))
        of_segment = spans_in(connection, segment.number)
        whole = any(one.league in first and one.last_match >= first[one.league] for one in of_segment)
        yield from _check_segment(database, connection, segment, whole=whole)


def _check_segment(
    database: Database, connection: Connection, segment: Segment, *, whole: bool
) -> Iterator[Finding]:
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
            yield _of_segment(segment, f"its file {segment.name} with {games:,} replays is missing")
        return
    except OSError as error:
        yield _of_segment(segment, f"its file {segment.name} can't be read: {error.strerror}")
        return
    if look == Look(segment.bytes, segment.sha256):
        return
    size = "" if look.bytes == segment.bytes else f" and has {look.bytes:,} bytes, not {segment.bytes:,}"
    told = _told_of_file(connection, path, segment, look)
    yield _of_segment(segment, f"its file {segment.name} is not what was written{size}{told}")


def _told_of_file(connection: Connection, path: Path, segment: Segment, look: Look) -> str:
    """Return what is wrong with the rows of a file that isn't what was written, in words."""
    try:
        with reading(path, segment._replace(bytes=look.bytes)) as file:
            return _told_of_rows(connection, file, segment)
    except SegmentDamaged as error:
        return f": {error.what}"


def _told_of_rows(connection: Connection, file: sqlite3.Connection, segment: Segment) -> str:
    """Compare the rows of a segment's file with the ledger."""
    foreign: list[str] = []
    altered: list[str] = []
    here = 0
    uuids: dict[int, str] = dict(connection.execute("SELECT id, uuid FROM league").fetchall())
    known = {
        number for number, uuid in file.execute("SELECT id, uuid FROM league") if uuids.get(number) == uuid
    }
    spans = {span.league: span for span in spans_in(connection, segment.number) if span.league in known}
    names: dict[int, str] = dict(connection.execute("SELECT id, name FROM league").fetchall())
    for row in file.execute("SELECT league_id, match_no, rotation, body, timing FROM replay"):
        game = connection.execute(
            "SELECT checksums FROM game WHERE league_id = ? AND match_no = ? AND rotation = ?", row[:3]
        ).fetchone()
        name = f"{names.get(row[0], f'league number {row[0]}')}/{row[1]}.{row[2]}"
        span = spans.get(row[0])
        if game is None or span is None or not span.first_match <= row[1] <= span.last_match:
            foreign.append(name)
            continue
        here += 1
        sums = unpacked(game[0])
        if sums is not None and of_row(row) != sums.replay:
            altered.append(name)
    should = sum(span.games for span in spans_in(connection, segment.number))
    problems = []
    if foreign:
        problems.append(f"{_listed(foreign, _MOST_REPLAYS)} not of this segment")
    if altered:
        problems.append(f"{_listed(altered, _MOST_REPLAYS)} altered")
    if here < should:
        problems.append(f"{should - here:,} of {should:,} replays missing")
    return (
        f": {', '.join(problems)}"
        if problems
        else ": its replays are those that were written, its pages are not"
    )


def _of_segment(segment: Segment, text: str) -> Finding:
    return Finding("segment", None, None, None, f"segment {segment.number}: {text}", Mend.FETCH)
