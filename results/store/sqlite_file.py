"""What SQLite does not say: whether a disk is full, why a store can't be written, whether SQLite has a known bug."""

import errno
import os
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path

from results.base.errors import StoreFailed
from results.base.permissions import created

ENOUGH_BYTES = 16_000_000
"""Enough for any single change of a store: SQLite's log of changes and its temporary files."""

_PROBE_BYTES = 65_536


def full_disk(path: Path, *, surely: bool) -> tuple[str, str] | None:
    """Return what is full and what to do, in words, or None if nothing is full.

    `path`: the file that was written to · `surely`: SQLite reported a full disk; otherwise this is tested by
    writing a little.
    """
    folder = path.absolute().parent
    if _is_full(folder):
        return _told(path, folder, "")
    for name in ("SQLITE_TMPDIR", "TMPDIR"):
        if (place := os.environ.get(name)) and _is_full(Path(place)):
            return _told(path, Path(place), f", where temporary files are made ({name})")
    return _told(path, folder, "") if surely else None


def _told(path: Path, folder: Path, why: str) -> tuple[str, str]:
    place = _file_system(folder)
    hint = (
        f"make room there, {ENOUGH_BYTES / 1e6:.0f} MB at least, then run the same command again; nothing was half "
        "written"
    )
    try:
        room = os.statvfs(folder)
    except OSError:
        return f"{path}: the disk is full: {place}{why}", hint
    free_bytes = room.f_bavail * room.f_frsize
    if room.f_files and not room.f_favail:
        return f"{path}: the disk is full: there is no room for another file on {place}{why}", hint
    if free_bytes > ENOUGH_BYTES:
        return (
            f"{path}: the disk is full, though {free_bytes / 1e6:.0f} MB are free on {place}{why}: there is a quota, "
            "or a bound on the size of a file",
            "raise it, or put the store elsewhere, then run the same command again; nothing was half written",
        )
    return f"{path}: the disk is full: {free_bytes / 1e6:.1f} MB are free on {place}{why}", hint


def _is_full(folder: Path) -> bool:
    """Return whether a folder has no room for even a little more."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return False


def _file_system(folder: Path) -> str:
    """Return the mount point of a folder's file system."""
    place = folder.resolve()
    while not place.is_mount() and place != place.parent:
        place = place.parent
    return f"the file system {place}"


def refuse_read_only(path: Path) -> None:
    """Raise StoreFailed for a store that certainly can't be written to, before doing any work."""
    if found := unwritable(path):
        raise StoreFailed(*found)


def unwritable(path: Path) -> tuple[str, str] | None:
    """Return why a store can't be written to and what to do, in words, or None if no reason is found.

    `path`: its file, which needn't exist yet. This doesn't cover files that can't be read either.
    """
    folder = path.absolute().parent
    there = path.exists()
    if there and not os.access(path, os.R_OK):
        return None
    place = path if there else folder
    what = f"{path} can't be {'written to' if there else 'made'}"
    hint = "pass a writable path with --store"
    if there:
        hint = (
            f"commands that only read still work; to continue, copy {path.name} and {path.with_suffix('.files').name} "
            "to a folder of your own and pass the copy with --store"
        )
    try:
        if os.statvfs(place).f_flag & os.ST_RDONLY:
            return f"{what}: the file system of {place.absolute()} is mounted read-only", hint
    except OSError:
        return None
    if there and not os.access(path, os.W_OK):
        return (
            f"{what}: you have no write permission for this file",
            f"if it is yours: chmod u+w {path}; {hint}",
        )
    if not os.access(folder, os.W_OK | os.X_OK) and not path.with_name(f"{path.name}-wal").exists():
        made = "SQLite creates files next to the store" if there else "that is where the store would be"
        return f"{what}: you have no write permission for the folder {folder}, and {made}", hint
    return None


_FIRST, _FIXED = (3, 7, 0), (3, 51, 3)
_NOTE = "warned-of-sqlite"
_FIXED_BRANCHES: dict[tuple[int, ...], tuple[int, int, int]] = {(3, 50): (3, 50, 7), (3, 44): (3, 44, 6)}


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Return whether this version of SQLite has the bug."""
    fixed = _FIXED_BRANCHES.get(version[:2], _FIXED)
    return _FIRST <= version < fixed


def bug_warning() -> str | None:
    """Return a line for people if this process uses an SQLite with the bug, which says what to do; None if not."""
    if not has_wal_reset_bug(sqlite3.sqlite_version_info):
        return None
    return (
        f"SQLite {sqlite3.sqlite_version} has a bug that can damage a file if two programs write to it at the same "
        "moment; Arena lets only one write, which makes that very unlikely; use a Python with SQLite 3.51.3 or newer "
        "to be sure"
    )


def new_bug_warning(files: Path) -> str | None:
    """Return `bug_warning` if it is the first one for this store and this SQLite, and note it; None if not.

    `files` is the folder next to the store. The note is a small file there, written once.
    """
    line, note = bug_warning(), files / _NOTE
    if line is None:
        return None
    with suppress(OSError, UnicodeDecodeError):  # there is no note yet
        if note.read_text() == sqlite3.sqlite_version:
            return None
    with suppress(OSError), os.fdopen(created(note), "w") as file:  # otherwise it is said again
        file.write(sqlite3.sqlite_version)
    return line


def sqlite_version() -> str:
    """Return the version of SQLite that this process uses."""
    return sqlite3.sqlite_version
