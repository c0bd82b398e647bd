"""Copies segments to another folder and back, each checked against the ledger before it counts.

The folder may be a mounted object storage: files are written once, from the beginning to the end, then renamed. A note
next to where a segment was says where it went; the ledger doesn't know, so a runner may go on meanwhile.
"""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from results.base.advice import Advice, by, run
from results.base.clock import utc_now
from results.base.errors import NameRefused, SegmentDamaged, StoreFailed, StoreMissing, UnknownGame
from results.base.permissions import created, make_folder
from results.store.database import Database
from results.store.segments.files import Look, Segment, folder_of, look_at, to_disk
from results.store.segments.rows import all_segments, note_of

Report = Callable[[int, int], None]
"""Called with the numbers of segments done and of all."""

_BLOCK_BYTES = 1 << 20
_MOST_NOTE_CHARS = 10_000


class Shipped(NamedTuple):
    """What shipping did."""

    copied: int
    """Segments that were copied."""
    copied_bytes: int
    there: int
    """Segments that were there already."""
    removed: int
    """Segments that were removed here."""
    away: int
    """Segments that aren't here, and not in the folder either."""


def ship(database: Database, folder: Path, *, remove: bool = False, report: Report | None = None) -> Shipped:
    """Copy all segments to a folder, unless they are there; with `remove`, remove those here that are there, verified.

    Raises StoreMissing, NameRefused and StoreFailed for the folder, SegmentDamaged for a segment that isn't what was
    written; what was shipped before that stays shipped.
    """
    _check_folder(database, folder)
    copied = copied_bytes = there = removed = away = 0
    segments = _known(database)
    for done, segment in enumerate(segments):
        if report:
            report(done, len(segments))
        here, target = folder_of(database) / segment.name, folder / segment.name
        if _is_whole(target, segment):
            there += 1
        elif here.exists():
            put(here, target, segment)
            copied += 1
            copied_bytes += segment.bytes
        else:
            away += 1
            continue
        _note(here, folder)
        if remove and here.exists():
            here.unlink()
            removed += 1
    return Shipped(copied, copied_bytes, there, removed, away)


def fetch(
    database: Database, numbers: Sequence[int] = (), folder: Path | None = None, report: Report | None = None
) -> list[Segment]:
    """Copy segments back to the store, those with some numbers or all that aren't here; return those that were copied.

    `folder`: where they are; None: where they were shipped. Raises UnknownGame for a number that the ledger doesn't
    have, StoreMissing if a segment isn't there, SegmentDamaged if it isn't what was written.
    """
    known = {segment.number: segment for segment in _known(database)}
    for number in numbers:
        if number not in known:
            raise UnknownGame(f"there is no segment {number}", Advice(run("db segments"), " lists them"))
    wanted = [
        segment
        for segment in known.values()
        if (segment.number in numbers or not numbers)
        and not (
            _is_whole(folder_of(database) / segment.name, segment)
            if numbers
            else (folder_of(database) / segment.name).exists()
        )
    ]
    for done, segment in enumerate(wanted):
        if report:
            report(done, len(wanted))
        here = folder_of(database) / segment.name
        source = folder or shipped_to(here)
        if source is None:
            raise StoreMissing(
                f"where segment {segment.number} was shipped isn't noted here",
                Advice(
                    f"name the folder that has {segment.name}",
                    by("db fetch", f"{segment.number} --from FOLDER"),
                ),
            )
        if not (source / segment.name).is_file():
            raise StoreMissing(
                f"segment {segment.number} is not in {source}: there is no file {segment.name}",
                Advice(
                    "mount the folder, or name another", by("db fetch", f"{segment.number} --from FOLDER")
                ),
            )
        make_folder(here.parent)
        put(source / segment.name, here, segment)
    return wanted


def copy_missing(source: Path, target: Path, segments: Sequence[Segment]) -> int:
    """Copy those of some segments from folder to folder that one has and the other lacks; return how many.

    Raises SegmentDamaged for one that isn't what was written, and StoreFailed.
    """
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
    """Copy the file of a segment; it appears complete and verified, or not at all.

    Raises SegmentDamaged if the source isn't what was written, StoreFailed if it can't be copied.
    """
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


def _known(database: Database) -> list[Segment]:
    with database.reading() as connection:
        return all_segments(connection)


def _is_whole(path: Path, segment: Segment) -> bool:
    try:
        return path.stat().st_size == segment.bytes and look_at(path).sha256 == segment.sha256
    except OSError:
        return False


def _check_folder(database: Database, folder: Path) -> None:
    if not folder.is_dir():
        raise StoreMissing(f"there is no folder {folder}", "create or mount it first")
    if folder.resolve() == folder_of(database).resolve():
        raise NameRefused(f"{folder} is where the segments are", "name another folder")


def _note(here: Path, folder: Path) -> None:
    """Note where a segment was shipped; without the note it must be named."""
    text = json.dumps({"folder": str(folder.absolute()), "at": utc_now()}) + "\n"
    part = note_of(here).with_name(f"{note_of(here).name}.{os.getpid()}.part")
    try:
        make_folder(here.parent)
        with os.fdopen(created(part), "w", encoding="utf-8") as file:
            file.write(text)
        part.replace(note_of(here))
    except OSError as error:
        raise StoreFailed(
            f"{note_of(here)} can't be written: {error.strerror}", "check the disk and its permissions"
        ) from error
