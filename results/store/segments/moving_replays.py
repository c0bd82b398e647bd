"""Moves older replays to segments, and drops those that are no longer kept: the part `store.segments`."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from results.base.advice import Advice, by, run
from results.base.errors import LedgerError, NameRefused, StoreBusy, StoreMissing, UnknownGame
from results.base.permissions import make_folder
from results.records import GameRecord
from results.store.database import Database, Part
from results.store.segments.files import (
    Segment,
    Shipped,
    folder_of,
    is_whole,
    note,
    note_of,
    put,
    reading,
    settle,
    shipped_to,
    writing,
)
from results.store.segments.lookup import (
    Span,
    all_segments,
    drop_empty,
    drop_segment,
    drop_span,
    enter,
    next_number,
    spans_in,
)
from results.store.sqlite_file import Connection

_AT_FAULT = (
    "EXISTS (SELECT 1 FROM ledger.seat WHERE seat.league_id = replay.league_id AND seat.match_no = replay.match_no "
    "AND seat.rotation = replay.rotation AND seat.verdict IS NOT NULL)"
)
_MARK = "UPDATE game SET pruned = 1 WHERE league_id = ? AND match_no = ? AND rotation = ?"
_MARK_ALL = (
    "UPDATE game SET pruned = 1 WHERE league_id = ? AND match_no BETWEEN ? AND ? "
    "AND substr(checksums, 5, 4) <> x'00000000'"
)


def drop_older(connection: Connection, league: int, beyond: tuple[int, int]) -> list[Segment]:
    """Drop segments whose replays of a league are all older than a game (match, rotation); return the empty ones."""
    going = [
        number
        for (number,) in connection.execute(
            "SELECT segment_id FROM segment_span WHERE league_id = ? AND last_match < ?", (league, beyond[0])
        )
    ]
    for number in going:
        drop_span(connection, league, number)
    return drop_empty(connection) if going else []


class Pruned:
    """What pruning the segments of a league did."""

    def __init__(self) -> None:
        self.replays = 0
        self.gone: list[Segment] = []
        """Segments whose files are to be removed once that is committed."""
        self.away: list[Segment] = []
        """Segments that keep some of the league's replays and drop others, but aren't here."""


def prune(
    database: Database,
    connection: Connection,
    league: int,
    beyond: tuple[int, int] | None,
    *,
    only_faults: bool,
) -> Pruned:
    """Drop replays of a league: up to a game (match, rotation), or with `only_faults` all games without a fault.

    With neither, all of them. The games whose replays are dropped are marked as pruned.
    """
    done = Pruned()
    for segment in all_segments(connection):
        for span in spans_in(connection, segment.number):
            if span.league != league or (beyond is not None and span.first_match > beyond[0]):
                continue
            if not only_faults and (beyond is None or span.last_match < beyond[0]):
                connection.execute(_MARK_ALL, (league, span.first_match, span.last_match))
                drop_span(connection, league, segment.number)
                done.replays += span.games
            elif not (folder_of(database) / segment.name).exists():
                done.away.append(segment)
            else:
                condition, values = (
                    (_AT_FAULT, ()) if beyond is None else ("(match_no, rotation) > (?, ?)", beyond)
                )
                _rewrite(database, connection, segment, span, condition, values, done)
    done.gone += drop_empty(connection)
    return done


def _rewrite(
    database: Database,
    connection: Connection,
    segment: Segment,
    span: Span,
    condition: str,
    values: tuple[int, ...],
    done: Pruned,
) -> None:
    """Replace a segment by one without the replays of a league that don't meet a condition."""
    path = folder_of(database) / segment.name
    with reading(path, segment):  # so that nothing is taken over from a damaged file
        pass
    growing = database.files / "segment.growing"
    staying = [kept.league for kept in spans_in(connection, segment.number) if kept.league != span.league]
    with writing(growing, path) as file:
        file.execute("COMMIT")
        file.execute("ATTACH ? AS ledger", (f"{database.path.absolute().as_uri()}?mode=ro",))
        file.execute("BEGIN")
        others = "".join(f" OR league_id = {int(other)}" for other in staying)
        file.execute(
            "INSERT INTO main.replay SELECT * FROM source.replay AS replay "
            f"WHERE (league_id = ? AND {condition}){others} ORDER BY rowid",
            (span.league, *values),
        )
        file.execute("INSERT INTO main.league SELECT * FROM source.league")
        going: Iterator[tuple[int, int]] = file.execute(
            f"SELECT match_no, rotation FROM source.replay AS replay WHERE league_id = ? AND NOT ({condition})",
            (span.league, *values),
        )
        dropped = 0
        for match_no, rotation in going:
            connection.execute(_MARK, (span.league, match_no, rotation))
            dropped += 1
        spans = [Span(*row) for row in file.execute(_SPANS)]
    if not dropped:
        growing.unlink()
        return
    done.replays += dropped
    done.gone.append(segment)
    number = next_number(connection)
    drop_segment(connection, segment)
    if spans:
        enter(connection, settle(growing, folder_of(database), number, database.now()), spans)
    else:
        with suppress(FileNotFoundError):
            growing.unlink()


SEGMENT_GAMES = 1_000_000
SEGMENT_BYTES = 256 << 20
"""Replays are moved once the store has so many, or so many bytes of them."""
LOOKS = 16
"""How often to look in the time in which as many come in."""

_SAMPLE = 64
_WAITING = (
    "SELECT (SELECT max(rowid) FROM replay) - (SELECT min(rowid) FROM replay) + 1, "
    "(SELECT avg(size) FROM (SELECT length(body) + length(timing) AS size FROM replay ORDER BY rowid DESC LIMIT ?))"
)
_LAST = (
    "SELECT max(row) FROM (SELECT row, size, sum(size) OVER (ORDER BY row) AS total FROM "
    "(SELECT rowid AS row, length(body) + length(timing) AS size FROM replay ORDER BY rowid LIMIT ?)) "
    "WHERE total - size < ?"
)
_SPANS = (
    "SELECT league_id, min(match_no), max(match_no), count(*) FROM main.replay GROUP BY league_id ORDER BY 1"
)


class SegmentState(NamedTuple):
    """A segment, and where it is."""

    segment: Segment
    games: int
    is_here: bool
    shipped_to: Path | None
    """The folder to which it was shipped last, as far as that is noted here."""


class Segments(Part):
    """Files of older replays, to which the store moves them while it grows."""

    def __init__(self, database: Database) -> None:
        """Begin with a look at the first games that are added."""
        super().__init__(database)
        self._games = SEGMENT_GAMES
        self._bytes = SEGMENT_BYTES

    @property
    def folder(self) -> Path:
        """The folder next to the store that has the segments that are here."""
        return folder_of(self._database)

    def added(self, games: Sequence[GameRecord]) -> None:
        """Move replays to a new segment if it is time. Never fails: then they stay in place."""
        self._games += len(games)
        self._bytes += sum(len(game.body) + len(game.timing) for game in games)
        is_time = self._games * LOOKS >= SEGMENT_GAMES or self._bytes * LOOKS >= SEGMENT_BYTES
        if not is_time or self._database.is_together:
            return
        self._games = self._bytes = 0
        try:
            waiting, mean_bytes = self._waiting()
            if waiting >= SEGMENT_GAMES or waiting * mean_bytes >= SEGMENT_BYTES:
                self.roll()
        except (LedgerError, OSError):  # a full disk, which the next games will meet
            return

    def roll(self, games: int | None = None, size_bytes: int | None = None) -> Segment | None:
        """Move the oldest replays to a new segment, up to a limit; None without any. Raises StoreFailed, StoreFull."""
        database = self._database
        with database.reading() as connection:
            bounds = (games or SEGMENT_GAMES, size_bytes or SEGMENT_BYTES)
            last = connection.execute(_LAST, bounds).fetchone()[0]
            number = next_number(connection)
        if last is None:
            return None
        growing = database.files / "segment.growing"
        with writing(growing, database.path) as file:
            file.execute(
                "INSERT INTO main.replay SELECT league_id, match_no, rotation, body, timing FROM source.replay "
                "WHERE rowid <= ? ORDER BY rowid",
                (last,),
            )
            file.execute(
                "INSERT INTO main.league SELECT id, uuid, name FROM source.league "
                "WHERE id IN (SELECT DISTINCT league_id FROM main.replay)"
            )
            spans = [Span(*row) for row in file.execute(_SPANS)]
        segment = settle(growing, self.folder, number, database.now())
        with database.changing() as connection:
            moved = connection.execute("DELETE FROM replay WHERE rowid <= ?", (last,)).rowcount
            if moved != sum(span.games for span in spans):
                raise StoreBusy(f"{database.path} changed while replays were moved", "nothing was moved")
            enter(connection, segment, spans)
        return segment

    def all(self) -> list[SegmentState]:
        """Return all segments, oldest first."""
        with self._database.reading() as connection:
            found = [
                (segment, sum(span.games for span in spans_in(connection, segment.number)))
                for segment in all_segments(connection)
            ]
        places = [self.folder / segment.name for segment, _ in found]
        return [
            SegmentState(segment, games, place.exists(), shipped_to(place))
            for (segment, games), place in zip(found, places, strict=True)
        ]

    def waiting(self) -> int:
        """Return about how many replays are in the store itself."""
        return self._waiting()[0]

    def due_at(self) -> int:
        """Return at about how many replays in the store a segment is written, as large as the newest replays are."""
        _, mean_bytes = self._waiting()
        return (
            SEGMENT_GAMES if not mean_bytes else max(1, min(SEGMENT_GAMES, int(SEGMENT_BYTES / mean_bytes)))
        )

    def _waiting(self) -> tuple[int, float]:
        """Return about how many replays are in the store, and the mean bytes of the newest; zeros without any."""
        with self._database.reading() as connection:
            ((games, mean_bytes),) = connection.execute(_WAITING, (_SAMPLE,))
        return games or 0, float(mean_bytes or 0)

    def unknown_files(self) -> list[str]:
        """Return the names of files in the folder of segments that belong to no segment of this ledger."""
        known = {segment.name for segment in self._known()}
        known |= {note_of(Path(name)).name for name in known}
        if not self.folder.is_dir():
            return []
        return sorted(path.name for path in self.folder.iterdir() if path.name not in known)

    def ship(self, folder: Path, *, remove: bool = False) -> Shipped:
        """Copy all segments to a folder, unless they are there; with `remove`, remove those that are there, verified.

        Raises StoreMissing, NameRefused and StoreFailed for the folder, SegmentDamaged for a segment that isn't what
        was written; what was shipped before that stays shipped.
        """
        if not folder.is_dir():
            raise StoreMissing(f"there is no folder {folder}", "create or mount it first")
        if folder.resolve() == self.folder.resolve():
            raise NameRefused(f"{folder} is where the segments are", "name another folder")
        copied = copied_bytes = there = removed = away = 0
        for segment in self._known():
            here, target = self.folder / segment.name, folder / segment.name
            if is_whole(target, segment):
                there += 1
            elif here.exists():
                put(here, target, segment)
                copied += 1
                copied_bytes += segment.bytes
            else:
                away += 1
                continue
            note(here, folder)
            if remove and here.exists():
                here.unlink()
                removed += 1
        return Shipped(copied, copied_bytes, there, removed, away)

    def fetch(self, numbers: Sequence[int] = (), folder: Path | None = None) -> list[Segment]:
        """Copy segments back to the store, those with some numbers or all that aren't here; return which.

        `folder`: where they are; None: where they were shipped. Raises UnknownGame for a number that the ledger doesn't
        have, StoreMissing if a segment isn't there, SegmentDamaged if it isn't what was written.
        """
        known = self._known()
        for number in numbers:
            if all(segment.number != number for segment in known):
                raise UnknownGame(f"there is no segment {number}", Advice(run("db segments"), " lists them"))
        wanted = [
            segment
            for segment in known
            if (
                segment.number in numbers and not is_whole(self.folder / segment.name, segment)
                if numbers
                else not (self.folder / segment.name).exists()
            )
        ]
        for segment in wanted:
            here = self.folder / segment.name
            source, name_it = folder or shipped_to(here), by("db fetch", f"{segment.number} --from FOLDER")
            if source is None:
                raise StoreMissing(
                    f"where segment {segment.number} was shipped isn't noted here",
                    Advice(f"name the folder that has {segment.name}", name_it),
                )
            if not (source / segment.name).is_file():
                raise StoreMissing(
                    f"segment {segment.number} is not in {source}: there is no file {segment.name}",
                    Advice("mount the folder, or name another", name_it),
                )
            make_folder(here.parent)
            put(source / segment.name, here, segment)
        return wanted

    def _known(self) -> list[Segment]:
        with self._database.reading() as connection:
            return all_segments(connection)
