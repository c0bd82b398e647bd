"""Files of segments: their names, writing one, and opening one that anybody may have put there.

A segment is an SQLite file with the columns of the table `replay` and the leagues that its rows are of. It is written
once, under another name, and has reached the disk before it gets its own.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from results.base.clock import utc_now
from results.base.errors import SegmentDamaged, StoreFailed
from results.base.permissions import created, make_folder, to_disk, write_whole
from results.store.database import Database, translated
from results.store.sqlite_file import opened

APPLICATION_ID = 0x41725270
"""Marks an SQLite file as a segment: the bytes "ArRp"."""
SEGMENTS = "replays"
"""The folder of segments, in the folder next to a store."""
_FORMAT = 1
_TABLES = {
    "replay": (
        "CREATE TABLE replay (league_id INTEGER NOT NULL, match_no INTEGER NOT NULL, rotation INTEGER NOT NULL, "
        "body BLOB NOT NULL, timing BLOB NOT NULL, PRIMARY KEY (league_id, match_no, rotation))"
    ),
    "league": "CREATE TABLE league (id INTEGER NOT NULL PRIMARY KEY, uuid TEXT NOT NULL, name TEXT NOT NULL)",
}
_BLOCK_BYTES = 1 << 20


class Segment(NamedTuple):
    """A segment, as the ledger knows it."""

    number: int
    bytes: int
    sha256: str
    closed_at: str

    @property
    def name(self) -> str:
        """The name of its file: two segments of one number have two names, as after a store was restored."""
        return f"{self.number:06}-{self.sha256[:8]}.sqlite"


class Look(NamedTuple):
    """What a file is, from its content."""

    bytes: int
    sha256: str


def folder_of(database: Database) -> Path:
    """Return the folder of the segments of a store."""
    return database.files / SEGMENTS


def note_of(path: Path) -> Path:
    """Return the file next to a segment's that says where the segment was shipped."""
    return path.with_suffix(".shipped.json")


def look_at(path: Path) -> Look:
    """Return the size and the hash of a file. Raises OSError."""
    digest, size = sha256(), 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
            size += len(block)
    return Look(size, digest.hexdigest())


@contextmanager
def writing(growing: Path, source: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a new segment file, with the rows to take them from attached as `source`.

    At the end the file is complete and has reached the disk; it is removed if an error passes through.
    """
    try:
        with translated(growing):
            make_folder(growing.parent)
            os.close(created(growing, like=source))
            with closing(
                sqlite3.connect(growing.absolute().as_uri(), uri=True, isolation_level=None)
            ) as file:
                file.execute("PRAGMA journal_mode = OFF")
                file.execute("PRAGMA synchronous = OFF")  # it is synced as a whole
                file.execute("PRAGMA trusted_schema = OFF")
                file.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                file.execute(f"PRAGMA user_version = {_FORMAT}")
                for statement in _TABLES.values():
                    file.execute(statement)
                file.execute("ATTACH ? AS source", (f"{source.absolute().as_uri()}?mode=ro",))
                file.execute("BEGIN")
                yield file
                file.execute("COMMIT")
        to_disk(growing)
    except OSError as error:
        growing.unlink(missing_ok=True)
        raise StoreFailed(f"{growing} can't be written: {error.strerror}", "check folder and disk") from error
    except BaseException:
        growing.unlink(missing_ok=True)
        raise


def settle(growing: Path, folder: Path, number: int, closed_at: str) -> Segment:
    """Give a written file its name in the folder, and return its segment once that has reached the disk."""
    look = look_at(growing)
    segment = Segment(number, look.bytes, look.sha256, closed_at)
    make_folder(folder)
    growing.replace(folder / segment.name)
    to_disk(folder)
    return segment


@contextmanager
def reading(path: Path, segment: Segment) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a segment's file, for reading only. Raises SegmentDamaged and FileNotFoundError."""
    if path.stat().st_size != segment.bytes:
        raise SegmentDamaged(
            segment.number, f"{path.name} has {path.stat().st_size} bytes, not {segment.bytes}"
        )
    try:
        with closing(opened(path, unchanging=True)) as file:
            ((identity,),) = file.execute("PRAGMA application_id")
            defined: Sequence[tuple[str, str]] = file.execute(
                "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
            ).fetchall()
            if identity != APPLICATION_ID or dict(defined) != _TABLES:
                raise SegmentDamaged(segment.number, f"{path.name} is not a segment of replays")
            yield file
    except sqlite3.Error as error:
        raise SegmentDamaged(segment.number, f"{path.name} can't be read: {error}") from error


_MOST_NOTE_CHARS = 10_000


class Shipped(NamedTuple):
    """What shipping did."""

    copied: int
    copied_bytes: int
    there: int
    removed: int
    away: int
    """Segments that aren't here, and not in the folder either."""


def copy_missing(source: Path, target: Path, segments: Sequence[Segment]) -> int:
    """Copy segments that one folder has and the other lacks; return how many. Raises SegmentDamaged, StoreFailed."""
    copied = 0
    for segment in segments:
        if (source / segment.name).is_file() and not (target / segment.name).exists():
            make_folder(target)
            put(source / segment.name, target / segment.name, segment)
            copied += 1
    return copied


def shipped_to(path: Path) -> Path | None:
    """Return the folder to which a segment was shipped last; `path` is its file here. None if that isn't noted."""
    try:
        with note_of(path).open(encoding="utf-8") as file:
            return Path(str(json.loads(file.read(_MOST_NOTE_CHARS))["folder"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def put(source: Path, target: Path, segment: Segment) -> None:
    """Copy the file of a segment, complete and verified, or not at all. Raises SegmentDamaged, StoreFailed."""
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        digest, size = sha256(), 0
        with source.open("rb") as file, os.fdopen(created(part, like=source), "wb") as copy:
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
                size += len(block)
                copy.write(block)
            copy.flush()
            with suppress(OSError):  # not every mounted storage can
                os.fsync(copy.fileno())
        if (size, digest.hexdigest()) != (segment.bytes, segment.sha256):
            raise SegmentDamaged(segment.number, f"{source} is not what was written")
        if look_at(part) != Look(segment.bytes, segment.sha256):
            raise StoreFailed(
                f"{target.parent} doesn't hold what was written to it", "check the disk or mount"
            )
        part.replace(target)
        with suppress(OSError):
            to_disk(target.parent)
    except OSError as error:
        raise StoreFailed(
            f"{source} can't be copied to {target.parent}: {error.strerror}",
            "check the room and the permissions of the folder",
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def is_whole(path: Path, segment: Segment) -> bool:
    """Return whether a file is that of a segment, as it was written."""
    try:
        return path.stat().st_size == segment.bytes and look_at(path).sha256 == segment.sha256
    except OSError:
        return False


def note(here: Path, folder: Path) -> None:
    """Note where a segment was shipped; without the note it must be named."""
    text = json.dumps({"folder": str(folder.absolute()), "at": utc_now()}) + "\n"
    try:
        write_whole(note_of(here), text.encode())
    except OSError as error:
        raise StoreFailed(
            f"{note_of(here)} can't be written: {error.strerror}", "check the disk and its permissions"
        ) from error
