"""Opens a store where nothing can be written: on read-only media, full disks, in other users' folders.

A store is in WAL mode, in which even a reader creates a file of shared memory next to
the store. Where it can't, the file is opened as one that never changes. That is safe
only if the file itself contains all changes, and if nobody writes to it in the
meantime; this module checks both.
"""

import os
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine

from results.errors import StoreFailed, StoreFull
from results.store.database import connect, version_of_store


class Untouched(NamedTuple):
    """What a file looks like from outside; this differs once somebody has written to it."""

    inode: int
    size_bytes: int
    changed_ns: int
    log_bytes: int
    """The size of the file next to it that holds changes not yet carried over."""


def untouched(path: Path) -> Untouched:
    """Return the current look of a store's file. Raises OSError if it is unavailable."""
    now = path.stat()
    try:
        log_bytes = _log(path).stat().st_size
    except FileNotFoundError:
        log_bytes = 0
    return Untouched(now.st_ino, now.st_size, max(now.st_mtime_ns, now.st_ctime_ns), log_bytes)


def is_touched(path: Path, before: Untouched) -> bool:
    """Return whether a store's file has changed since."""
    try:
        return untouched(path) != before
    except OSError:  # it is gone
        return True


class Opened(NamedTuple):
    """A store that was opened for reading."""

    engine: Engine
    version: int
    """Version of its tables; 0 for a file without any."""
    untouched: Untouched | None
    """Its look when opened, if it is read as a file that never changes."""


def open_for_reading(path: Path, *, traceless: bool = False) -> Opened:
    """Open a store's file for reading only. Raises NotAStore, and StoreFailed if it can't be read.

    `traceless`: if nobody has it open, read it as a file that never changes, so that no file appears next to it.
    """
    if traceless and (before := _at_rest(path)) is not None:
        return _open_as_is(path, before)
    engine = connect(path, "ro")
    try:
        return Opened(engine, version_of_store(engine, path), None)
    except StoreFailed as error:
        engine.dispose()
        return _open_unchanging(path, error)
    except BaseException:
        engine.dispose()
        raise


def _open_unchanging(path: Path, refused: StoreFailed) -> Opened:
    could_write = os.access(path.absolute().parent, os.W_OK) and not isinstance(refused, StoreFull)
    if not os.access(path, os.R_OK) or could_write:
        raise refused
    before = untouched(path)
    if before.log_bytes and isinstance(refused, StoreFull):
        raise refused
    if before.log_bytes:
        raise StoreFailed(
            f"{path} can't be read here: {_log(path).name} next to it holds changes that it lacks, and "
            "reading both requires a writable folder",
            f"copy both to a folder of your own, or merge them where the folder is writable: "
            f"arena db backup COPY --store {path}",
        ) from refused
    return _open_as_is(path, before)


def _at_rest(path: Path) -> Untouched | None:
    """Return the look of a store's file if all changes are in it; None if there may be others next to it."""
    try:
        before = untouched(path)
        return None if _log(path).exists() else before
    except OSError:  # opening it will say what is wrong
        return None


def _open_as_is(path: Path, before: Untouched) -> Opened:
    engine = connect(path, "ro", unchanging=True)
    try:
        return Opened(engine, version_of_store(engine, path), before)
    except BaseException:
        engine.dispose()
        raise


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")
