"""The folder next to a store: the notes of its runner, cached results, and how much room all of it takes."""

import os
import shutil
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from results.base.permissions import read_regular, write_whole
from results.base.runner_notes import MOST_BYTES, RunnerNotes, unpacked
from results.store.database import files_beside
from results.store.file_locks import has_ended
from results.store.store_lock import Holder, holder_of

FILE_NAME = "runner.json"
FRESH_S = 10.0
"""A runner that is alive writes the file more often than this, unless a step takes long."""


def write_notes(files: Path, notes: RunnerNotes) -> bool:
    """Write notes to a store's folder, so that readers see the old ones or the new ones; return whether that worked.

    A disk that is full or read-only is no error. The file isn't flushed to the disk: after a crash of the machine, no
    runner is left that it could speak of.
    """
    try:
        write_whole(files / FILE_NAME, msgspec.json.encode(notes))
    except (OSError, ValueError):
        return False
    return True


def remove_notes(files: Path) -> None:
    """Remove the notes from a store's folder, if that is possible."""
    with suppress(OSError):
        for path in (files / FILE_NAME, *files.glob(f".{FILE_NAME}.*")):
            path.unlink(missing_ok=True)


class Runner(Struct, frozen=True):
    """What is known of the runner of a store."""

    holder: Holder | None
    """The process that holds the store's lock."""
    notes: RunnerNotes | None
    """The notes of that process, or if nobody holds the lock those of the last runner, which was killed."""

    @property
    def is_running(self) -> bool:
        """Whether a runner holds the lock."""
        return self.holder is not None and self.holder.is_runner

    @property
    def was_killed(self) -> bool:
        """Whether there is no runner, and the last one didn't end in order."""
        return not self.is_running and self.notes is not None


def runner_of(store: Path) -> Runner:
    """Return what is known of the runner of the store at this path. Changes nothing, and waits for nobody."""
    holder = holder_of(store)
    notes = read_notes(files_beside(store))
    if (
        holder is not None
        and holder.pid is not None
        and has_ended(holder.pid)  # or is in a container, where processes have other numbers
        and not _is_fresh(files_beside(store))
    ):
        holder = None  # the lock is still held by what cleans up after it
    if holder is not None and not holder.does and notes is not None and holder.pid in (None, notes.pid):
        holder = Holder(notes.pid, notes.does)  # those who may read the store can't open its locks
    if holder is not None and holder.is_runner and notes is not None and notes.pid != holder.pid:
        notes = None  # of an earlier one
    return Runner(holder, notes)


def _is_fresh(files: Path) -> bool:
    try:
        return abs(time.time() - (files / FILE_NAME).lstat().st_mtime) < FRESH_S
    except OSError:
        return False


def read_notes(files: Path) -> RunnerNotes | None:
    """Return the notes in a store's folder; None if there are none that can be read."""
    try:
        return unpacked(read_regular(files / FILE_NAME, MOST_BYTES + 1))
    except OSError:
        return None


FOLDER = "fits"
"""Of these files, in the folder beside the store."""

VERIFIED_FILE = "verified"
"""Of these: the digests of the games that were verified, one after the other."""


class Cache:
    """The files of one store."""

    def __init__(self, files: Path) -> None:
        """`files`: the folder beside the store."""
        self.folder = files / FOLDER

    def state(self) -> int:
        """Return a value that differs once a file has been written."""
        try:
            return self.folder.stat().st_mtime_ns  # each is written under another name and renamed
        except OSError:
            return 0

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none, or it can't be read."""
        try:
            return (self.folder / name).read_bytes()
        except OSError:
            return None

    def remove(self, name: str) -> None:
        """Remove a file, if it is there and that is possible."""
        with suppress(OSError):
            (self.folder / name).unlink()

    def write(self, name: str, content: bytes) -> None:
        """Write a file, so that it appears complete or not at all; a folder that can't be written to is no error."""
        with suppress(OSError):
            write_whole(self.folder / name, content)


MOST_FILES = 20_000
"""How many files to look at, at most, in the folder next to a store."""


class DiskUse(Struct, frozen=True):
    """Sizes in bytes."""

    store_bytes: int
    wal_bytes: int
    """The file next to the store that holds changes not yet carried over."""
    files_bytes: int
    """The folder next to the store."""
    files_complete: bool
    """Whether all of it was counted; if not, it is larger."""
    free_bytes: int | None
    """Free for this user on the store's file system; None if that is unknown."""


def disk_use(store: Path) -> DiskUse:
    """Return how much room the store at this path takes. Reads names and sizes only, and follows no links."""
    files_bytes, complete = _size_of(files_beside(store))
    try:
        free = shutil.disk_usage(store.absolute().parent).free
    except OSError:
        free = None
    wal = store.with_name(f"{store.name}-wal")
    return DiskUse(_size(store), _size(wal), files_bytes, complete, free)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _size_of(folder: Path) -> tuple[int, bool]:
    """Return the size of all files below a folder, and whether none was left out."""
    folders, total, seen = deque([str(folder)]), 0, 0
    while folders:
        try:
            with os.scandir(folders.popleft()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MOST_FILES:
                        return total, False
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:  # it has gone, or is another user's
            continue
    return total, True
